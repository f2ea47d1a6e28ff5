import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeWhole } from "./chain-files.ts";
import type { Settings } from "./settings.ts";

const Genesis = z.object({
  format: z.literal(1),
  chainId: z.int(),
  timestamp: z.int(),
  /** Random: the one field of block 0 that the node takes over and that may be anything. It makes its hash unique. */
  coinbase: z.string(),
  gasLimit: z.int(),
  hardfork: z.string(),
  prefund: z.array(z.string()),
});
export type Genesis = z.infer<typeof Genesis>;

const Meta = z.object({ genesis: Genesis, genesisHash: z.string(), node: z.string() });
export type Meta = z.infer<typeof Meta>;

export const BLOCK_GAS_LIMIT = 30_000_000;
const HARDFORK = "osaka";
const PREFUND_WEI = 10n ** 24n;

const metaPath = (folder: string): string => join(folder, "meta.json");
export const genesisPath = (folder: string): string => join(folder, "genesis.json");

/** Undefined when the folder has no chain yet, or the file is not what was written. */
export const readMeta = (folder: string): Meta | undefined => {
  const path = metaPath(folder);
  if (!existsSync(path)) return undefined;
  try {
    return Meta.safeParse(JSON.parse(readFileSync(path, "utf8"))).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

const writeJson = (path: string, value: unknown): Promise<void> =>
  writeWhole(path, `${JSON.stringify(value, null, 2)}\n`);

export const writeMeta = (folder: string, meta: Meta): Promise<void> => writeJson(metaPath(folder), meta);

const makeGenesis = ({ chainId, prefund }: Settings, nowSeconds: number): Genesis => ({
  format: 1,
  chainId,
  timestamp: nowSeconds,
  coinbase: `0x${randomBytes(20).toString("hex")}`,
  gasLimit: BLOCK_GAS_LIMIT,
  hardfork: HARDFORK,
  prefund: [...new Set(prefund.map((address) => address.toLowerCase()))],
});

/** The genesis that the folder was made with, or a new one. Refuses settings that would need another chain. */
export const chooseGenesis = (settings: Settings, nowSeconds: number): Genesis => {
  const genesis = readMeta(settings.folder)?.genesis;
  if (genesis === undefined) return makeGenesis(settings, nowSeconds);
  const { folder, chainId, prefund } = settings;
  const otherwise = `start it as it was first started, or move that folder away for a new chain`;
  if (genesis.chainId !== chainId) {
    throw new Error(`The chain in ${folder} has id ${genesis.chainId}, not ${chainId}: ${otherwise}.`);
  }
  const missing = prefund.filter((address) => !genesis.prefund.includes(address.toLowerCase()));
  if (missing.length > 0) {
    throw new Error(`The chain in ${folder} was made without gas for ${missing.join(", ")}: ${otherwise}.`);
  }
  return genesis;
};

/** Written at every start from what the folder's meta file says, so that there is one truth. */
export const writeGenesisFile = (
  folder: string,
  { chainId, timestamp, coinbase, gasLimit, prefund }: Genesis,
): Promise<void> =>
  writeJson(genesisPath(folder), {
    config: { chainId },
    timestamp: `0x${timestamp.toString(16)}`,
    coinbase,
    gasLimit: `0x${gasLimit.toString(16)}`,
    difficulty: "0x0",
    alloc: Object.fromEntries(prefund.map((address) => [address, { balance: `0x${PREFUND_WEI.toString(16)}` }])),
  });
