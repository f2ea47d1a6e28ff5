import { crc32 } from "node:zlib";
import { z } from "zod";

/** The decisions about one block before it was mined: enough to mine the identical block again. */
const LogRecord = z.object({
  block: z.int(),
  /** The hash of the block before it. */
  parent: z.string(),
  timestamp: z.int(),
  /** Signed, in the order in which the node took them. */
  transactions: z.array(z.string()),
});
export type LogRecord = z.infer<typeof LogRecord>;

/** The block on which a segment of the log goes on. */
const SegmentHead = z.object({
  block: z.int(),
  hash: z.string(),
  /** Blocks and transactions of the whole chain so far. */
  weight: z.int(),
});
export type SegmentHead = z.infer<typeof SegmentHead>;

export interface Segment {
  head: SegmentHead;
  records: LogRecord[];
  /** Where the last whole line ends. */
  bytes: number;
}

const NEWLINE = 10;

/** One line with its checksum. */
export const toLine = (value: LogRecord | SegmentHead): string => {
  const text = JSON.stringify(value);
  return `${crc32(text).toString(16).padStart(8, "0")} ${text}\n`;
};

const fromLine = (line: string): unknown => {
  const text = line.slice(9);
  if (line.slice(0, 8) !== crc32(text).toString(16).padStart(8, "0")) return undefined;
  return JSON.parse(text);
};

/**
 * Reads a segment. A last line that was cut off by a crash was never acknowledged and is left out; a line that is wrong anywhere
 * else is damage, and nothing after it may be believed.
 */
export const readSegmentText = (file: Buffer): Segment | { damagedLine: number } => {
  let head: SegmentHead | undefined;
  const records: LogRecord[] = [];
  let bytes = 0;
  for (let number = 1; bytes < file.length; number += 1) {
    const end = file.indexOf(NEWLINE, bytes);
    const value = end < 0 ? undefined : fromLine(file.toString("utf8", bytes, end));
    if (value === undefined) {
      const isLast = end < 0 || file.indexOf(NEWLINE, end + 1) < 0;
      if (isLast && head !== undefined) break;
      return { damagedLine: number };
    }
    if (head === undefined) head = SegmentHead.parse(value);
    else records.push(LogRecord.parse(value));
    bytes = end + 1;
  }
  return head === undefined ? { damagedLine: 1 } : { head, records, bytes };
};
