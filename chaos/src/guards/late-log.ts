import { type OpenLog, openLog } from "../../../devnet/src/write-ahead-log.ts";

const LATE_MILLISECONDS = 2_000;

/**
 * A fault that a chaos run must notice: a log that reports a record as durable, and writes it later. A kill in between
 * loses acknowledged transactions.
 */
export const openLateLog: OpenLog = async (folder, segment, bytes) => {
  const log = await openLog(folder, segment, bytes);
  const timers = new Set<NodeJS.Timeout>();
  const writes: Promise<void>[] = [];
  const waiting: (() => void)[] = [];
  return {
    async append(record) {
      const write = () => void writes.push((writes.at(-1) ?? Promise.resolve()).then(() => log.append(record)));
      waiting.push(write);
      const timer = setTimeout(() => {
        timers.delete(timer);
        waiting.shift()?.();
      }, LATE_MILLISECONDS);
      timers.add(timer);
    },
    async close() {
      for (const timer of timers) clearTimeout(timer);
      for (const write of waiting.splice(0)) write();
      await Promise.all(writes);
      await log.close();
    },
  };
};
