import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { locateAnvil } from "./locate-anvil.ts";

const Address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, "an address must be 0x and 40 hexadecimal digits");

/** A chain beside the first one. Its name is that of its folder and of its path. */
const ChainSpec = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_]{1,40}$/),
  chainId: z.int().min(1),
});
export type ChainSpec = z.infer<typeof ChainSpec>;

export const Settings = z.object({
  /** Everything that this chain keeps. */
  folder: z.string({ error: "--folder is required" }).min(1),
  port: z.coerce.number().int().min(0).max(65_535),
  chainId: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
  /** The node's program. */
  anvil: z.string().min(1),
  /** Who owns native gas from the first block on. Read at the first start; later it is only compared. */
  prefund: z.array(Address),
  /** A snapshot follows when this many blocks and transactions would have to be replayed. */
  snapshotAfter: z.coerce.number().int().min(1),
  /** The node is replaced by a fresh one when it holds this many blocks and transactions. */
  renewAfter: z.coerce.number().int().min(16),
  /** The time of every block, so that a run can be repeated. */
  standStillAt: z.iso.datetime().optional(),
  /** Ends another process that runs the folder's chain: for who alone owns the folder. */
  replace: z.boolean(),
  /** Chains that start when they are first used, at `/chains/<name>`. */
  chains: z.array(ChainSpec),
  /** How many of them run at the same time. */
  mostChains: z.coerce.number().int().min(1).max(16),
  /** Unused for so many seconds, a chain makes room for another; after more of them it is parked anyway. */
  idleAfterSeconds: z.coerce.number().min(0),
  parkAfterSeconds: z.coerce.number().min(0),
  /** Ends what runs the folder's chain, and the node that a killed process left there, and starts nothing. */
  endOrphans: z.boolean(),
});
export type Settings = z.infer<typeof Settings>;

const DEFAULT_CHAIN_ID = 5_042_002;
const DEFAULT_SNAPSHOT_AFTER = 2_000;
const DEFAULT_RENEW_AFTER = 4_000;
const DEFAULT_MOST_CHAINS = 4;
const DEFAULT_IDLE_AFTER_SECONDS = 2;
const DEFAULT_PARK_AFTER_SECONDS = 60;

/** Arguments only, never the environment. */
export const readSettings = (args: readonly string[]): Settings => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      folder: { type: "string" },
      port: { type: "string", default: "0" },
      "chain-id": { type: "string", default: String(DEFAULT_CHAIN_ID) },
      anvil: { type: "string" },
      "prefund-file": { type: "string" },
      "chains-file": { type: "string" },
      "most-chains": { type: "string", default: String(DEFAULT_MOST_CHAINS) },
      "idle-after-seconds": { type: "string", default: String(DEFAULT_IDLE_AFTER_SECONDS) },
      "park-after-seconds": { type: "string", default: String(DEFAULT_PARK_AFTER_SECONDS) },
      "stand-still-at": { type: "string" },
      replace: { type: "boolean", default: false },
      "end-orphans": { type: "boolean", default: false },
      "snapshot-after": { type: "string", default: String(DEFAULT_SNAPSHOT_AFTER) },
      "renew-after": { type: "string", default: String(DEFAULT_RENEW_AFTER) },
    },
  });
  const prefundFile = values["prefund-file"];
  const chainsFile = values["chains-file"];
  const settings = Settings.safeParse({
    folder: values.folder,
    port: values.port,
    chainId: values["chain-id"],
    anvil: values.anvil ?? locateAnvil(),
    prefund: prefundFile === undefined ? [] : JSON.parse(readFileSync(prefundFile, "utf8")),
    chains: chainsFile === undefined ? [] : JSON.parse(readFileSync(chainsFile, "utf8")),
    mostChains: values["most-chains"],
    idleAfterSeconds: values["idle-after-seconds"],
    parkAfterSeconds: values["park-after-seconds"],
    snapshotAfter: values["snapshot-after"],
    renewAfter: values["renew-after"],
    standStillAt: values["stand-still-at"],
    replace: values.replace,
    endOrphans: values["end-orphans"],
  });
  if (!settings.success) throw new Error(z.prettifyError(settings.error).replaceAll("\n", " "));
  return settings.data;
};
