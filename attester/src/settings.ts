import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";

const Address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text): `0x${string}` => `0x${text.slice(2).toLowerCase()}`);
const PrivateKey = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .transform((text): `0x${string}` => `0x${text.slice(2)}`);

/**
 * Test networks have the domains of their main networks. Each of the two has keys of its own, so that a message for one is worth nothing
 * on the other.
 */
const Network = z.enum(["testnet", "mainnet"]);

const ChainSettings = z.strictObject({
  name: z.string().regex(/^\w{1,40}$/),
  network: Network,
  domain: z.int().min(0),
  rpcUrl: z.url(),
  /** Reached from chains of both networks. */
  isHub: z.boolean().default(false),
  usdc: Address,
  transmitter: Address,
  messenger: Address,
  gatewayWallet: Address,
  gatewayMinter: Address,
});
export type ChainSettings = z.infer<typeof ChainSettings>;

const Keys = z.strictObject({
  /** As many as must sign a message. */
  attesters: z.array(PrivateKey).min(1).max(10),
  /** Signs attestations of the Gateway and sends its burns: it has native gas on the chains. */
  gateway: PrivateKey,
});

const Secrets = z.strictObject({
  chains: z.array(ChainSettings),
  keys: z.strictObject({ testnet: Keys, mainnet: Keys }),
  /** How long after it was first seen a burn counts as final. */
  fastMilliseconds: z.int().min(0).default(0),
  standardMilliseconds: z.int().min(0).default(0),
  /** The fee of a fast transfer, in basis points, by the source's domain; 1 where none is named. */
  fastFees: z.record(z.string(), z.number().min(0).max(14)).default({}),
  /** For how many blocks of the destination an attestation can be used: of a fast message, and of the Gateway. */
  lifeBlocks: z.int().min(1).default(1_000),
  /** The fee of a Gateway burn, in USDC, without its 0.005 %. */
  gatewayFee: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,6})?$/)
    .default("0.01"),
});
export type Secrets = z.infer<typeof Secrets>;

const Settings = z.object({
  port: z.coerce.number().int().min(0).max(65_535),
  folder: z.string({ error: "--folder is required" }).min(1),
  /** Whether faults can be armed. Never where real money moves. */
  faults: z.enum(["on", "off"]),
});
export type Settings = z.infer<typeof Settings> & { secrets: Secrets };

/** Arguments only, never the environment. The secrets file keeps the keys out of the process list. */
export function readSettings(args: readonly string[]): Settings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: "string", default: "0" },
      folder: { type: "string" },
      "secrets-file": { type: "string", default: "" },
      faults: { type: "string", default: "off" },
    },
  });
  const secrets = Secrets.safeParse(JSON.parse(readFileSync(values["secrets-file"], "utf8")));
  const settings = Settings.safeParse(values);
  const wrong = settings.error ?? secrets.error;
  if (wrong !== undefined || !settings.success || !secrets.success) {
    throw new Error(wrong === undefined ? "the settings are wrong" : z.prettifyError(wrong).replaceAll("\n", " "));
  }
  return { ...settings.data, secrets: secrets.data };
}
