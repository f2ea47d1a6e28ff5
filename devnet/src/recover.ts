import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { AnvilNode } from "./anvil.ts";
import { listSegments, listSnapshots, readSegment, segmentPath, setAside, snapshotPath } from "./chain-files.ts";
import { errorText } from "./error-text.ts";
import type { RpcCall } from "./json-rpc.ts";
import type { LogRecord } from "./log-lines.ts";
import { type Block, parseBlock, requireResult } from "./node-answers.ts";

/** The last block and what stands behind it. */
export interface Tip {
  block: number;
  hash: string;
  timestamp: number;
  /** Blocks and transactions of the whole chain; those since the last snapshot. */
  weight: number;
  tailWeight: number;
}

export interface Recovered {
  node: AnvilNode;
  tip: Tip;
  /** The segment that is written to, and how much of it is good. */
  segment: number;
  bytes: number;
}

const READ_TIP: RpcCall = { method: "eth_getBlockByNumber", params: ["latest", false] };
export const EMPTY_POOL: RpcCall = { method: "anvil_dropAllTransactions", params: [] };
export const buildSend = (raw: string): RpcCall => ({ method: "eth_sendRawTransaction", params: [raw] });
/** Mines what the pool holds; the pool is empty before and after, so that a block depends on its record alone. */
export const mineCalls = (timestamp: number): readonly RpcCall[] => [
  { method: "evm_mine", params: [timestamp] },
  READ_TIP,
  EMPTY_POOL,
];

export const weighRecord = ({ transactions }: LogRecord): number => 1 + transactions.length;

/** Throws when the node did not mine the block that the record and its parent say. */
export const checkMined = (block: Block, record: LogRecord): void => {
  const { number, parentHash, timestamp } = block;
  if (number === record.block && parentHash === record.parent && timestamp === record.timestamp) return;
  throw new Error(`block ${record.block} on ${record.parent} came out as ${number} on ${parentHash}`);
};

const RECORDS_AT_ONCE = 50;
/** A killed node's connection ends first; that the process is gone is seen later, on a busy machine by seconds. */
const NOTICE_MILLISECONDS = 10_000;

const replay = async ({ lane }: AnvilNode, records: readonly LogRecord[], from: Tip): Promise<Tip> => {
  let tip = from;
  for (let start = 0; start < records.length; start += RECORDS_AT_ONCE) {
    const slice = records.slice(start, start + RECORDS_AT_ONCE);
    const answers = await Promise.all(
      slice.map(async (record) => {
        const answered = await lane.calls([...record.transactions.map(buildSend), ...mineCalls(record.timestamp)]);
        const [mined, block] = answered.slice(record.transactions.length);
        // Refused ones were refused when the record was made too, or the next block's parent will not fit.
        requireResult(mined);
        return { record, block: parseBlock(block) };
      }),
    );
    for (const { record, block } of answers) {
      if (record.block !== tip.block + 1 || record.parent !== tip.hash) {
        throw new Error(`block ${record.block} of the log does not follow block ${tip.block} ${tip.hash}`);
      }
      checkMined(block, record);
      const more = weighRecord(record);
      const { hash, timestamp } = block;
      tip = { block: record.block, hash, timestamp, weight: tip.weight + more, tailWeight: tip.tailWeight + more };
    }
  }
  return tip;
};

/** For a fresh node. */
export const loadSnapshot = async ({ lane }: AnvilNode, folder: string, block: number): Promise<Block> => {
  const state = readFileSync(snapshotPath(folder, block)).toString("hex");
  requireResult(await lane.call("anvil_loadState", `0x${state}`));
  const latest = parseBlock(await lane.call("eth_getBlockByNumber", "latest", false));
  if (latest.number !== block) throw new Error(`it holds block ${latest.number}`);
  return latest;
};

const recoverFrom = async (base: number, folder: string, node: AnvilNode): Promise<Recovered> => {
  const start = base === 0 ? node.genesisBlock : await loadSnapshot(node, folder, base);
  const segments = listSegments(folder).filter((block) => block >= base);
  if (!segments.includes(base)) throw new Error(`the log from block ${base} on is missing`);
  let tip: Tip = { block: base, hash: start.hash, timestamp: start.timestamp, weight: 0, tailWeight: 0 };
  let last = { segment: base, bytes: 0 };
  for (const [index, number] of segments.entries()) {
    const { head, records, bytes } = readSegment(folder, number);
    if (head.block !== tip.block || head.hash !== tip.hash) {
      throw new Error(
        `the log continues after block ${head.block} ${head.hash}, but the chain is at ${tip.block} ${tip.hash}`,
      );
    }
    if (index === 0) tip = { ...tip, weight: head.weight };
    tip = await replay(node, records, tip);
    last = { segment: number, bytes };
  }
  return { node, tip, ...last };
};

const answers = ({ lane }: AnvilNode): Promise<boolean> =>
  lane.call("web3_clientVersion").then(
    () => true,
    () => false,
  );

const endWithin = (milliseconds: number, { ended }: AnvilNode): Promise<string | undefined> =>
  Promise.race([ended, delay(milliseconds, undefined, { ref: false })]);

/**
 * Brings a fresh node to the last logged block: from the newest snapshot that works and the log after it. Each block is checked
 * against the hash that the log gives for it.
 */
export const recover = async (
  folder: string,
  startNode: (fromBlock: number) => Promise<AnvilNode>,
  say: (line: string) => void,
): Promise<Recovered> => {
  const snapshots = listSnapshots(folder).toReversed();
  const fromTheBeginning = listSegments(folder).includes(0) || snapshots.length === 0 ? [0] : [];
  // A segment is begun before its snapshot is written. Without it, the blocks after the snapshot are lost, and no other
  // way of restoring the chain recovers them.
  const logless = snapshots.find((block) => !listSegments(folder).includes(block));
  if (logless !== undefined) throw new Error(`${segmentPath(folder, logless)} is missing: put back a copy.`);
  const failed: { base: number; reason: string }[] = [];
  for (const base of [...snapshots, ...fromTheBeginning]) {
    const node = await startNode(base);
    try {
      const recovered = await recoverFrom(base, folder, node);
      for (const bad of failed) setAside(folder, bad.base);
      return recovered;
    } catch (error) {
      // A node that somebody killed says nothing about the files.
      if (!(await answers(node)) && (await endWithin(NOTICE_MILLISECONDS, node)) === "SIGKILL") throw error;
      node.kill();
      await node.ended;
      failed.push({ base, reason: errorText(error) });
      say(`the chain cannot be restored from block ${base}: ${errorText(error)}`);
    }
  }
  throw new Error(
    `The chain in ${folder} cannot be restored (${failed[0]?.reason}): put back a copy, or move it away.`,
  );
};
