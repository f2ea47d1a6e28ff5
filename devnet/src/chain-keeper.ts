import { removeOldFiles, snapshotPath, writeSegmentHead, writeWhole } from "./chain-files.ts";
import { errorText } from "./error-text.ts";
import type { LogRecord } from "./log-lines.ts";
import { type Block, requireResult } from "./node-answers.ts";
import type { NodeLane } from "./node-lane.ts";
import { type Recovered, type Tip, weighRecord } from "./recover.ts";
import type { OpenLog } from "./write-ahead-log.ts";

/** The durable part of the chain, and its tip. */
export interface ChainKeeper {
  tip(): Tip;
  nextRecord(transactions: string[], nowSeconds: number): LogRecord;
  log(record: LogRecord): Promise<void>;
  /** The logged record was mined as this block. */
  advance(record: LogRecord, block: Block): void;
  isSnapshotDue(when: "idle" | "busy" | "stopping"): boolean;
  /** A snapshot of the node's state, or of the result of `trim`. False if it could not be written. */
  takeSnapshot(lane: NodeLane, trim?: (state: Buffer) => Buffer): Promise<boolean>;
  close(): Promise<void>;
}

/** While everybody waits for it, a snapshot comes later; at the end, sooner. */
const DUE_FACTOR = { idle: 1, busy: 4, stopping: 0.1 } as const;
/** A snapshot costs as much as the chain is long: it waits for a tail that is worth it. */
const SHARE_OF_CHAIN = 0.25;

export const createChainKeeper = async (
  options: { folder: string; snapshotAfter: number; openLog: OpenLog; say(line: string): void },
  recovered: Pick<Recovered, "tip" | "segment" | "bytes">,
): Promise<ChainKeeper> => {
  const { folder, openLog, say } = options;
  let { tip } = recovered;
  let log = await openLog(folder, recovered.segment, recovered.bytes);
  /** After a failed one, the next is tried when the tail has grown this much. */
  let notBefore = 0;

  const goOnInNewSegment = async (): Promise<void> => {
    const { block, hash, weight } = tip;
    const bytes = await writeSegmentHead(folder, { block, hash, weight });
    const next = await openLog(folder, block, bytes);
    await log.close();
    log = next;
  };

  return {
    tip: () => tip,
    nextRecord: (transactions, nowSeconds) => ({
      block: tip.block + 1,
      parent: tip.hash,
      timestamp: Math.max(tip.timestamp, nowSeconds),
      transactions,
    }),
    log: (record) => log.append(record),
    advance(record, { number, hash, timestamp }) {
      const more = weighRecord(record);
      tip = { block: number, hash, timestamp, weight: tip.weight + more, tailWeight: tip.tailWeight + more };
    },
    isSnapshotDue(when) {
      const due = Math.max(options.snapshotAfter, tip.weight * SHARE_OF_CHAIN) * DUE_FACTOR[when];
      return tip.tailWeight > 0 && tip.tailWeight >= Math.max(due, notBefore);
    },
    async takeSnapshot(lane, trim = (whole) => whole) {
      const state = requireResult(await lane.call("anvil_dumpState"));
      if (typeof state !== "string") throw new Error("The node returned no state.");
      try {
        const kept = trim(Buffer.from(state.slice(2), "hex"));
        // The segment first: without its snapshot it is one more piece of log, a snapshot without it would be the end of the chain.
        await goOnInNewSegment();
        await writeWhole(snapshotPath(folder, tip.block), kept);
        removeOldFiles(folder);
        tip = { ...tip, tailWeight: 0 };
        notBefore = 0;
        return true;
      } catch (error) {
        say(`no snapshot of block ${tip.block}: ${errorText(error)}`);
        notBefore = tip.tailWeight + options.snapshotAfter;
        return false;
      }
    },
    close: () => log.close(),
  };
};
