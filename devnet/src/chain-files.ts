import { closeSync, existsSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readSegmentText, type Segment, type SegmentHead, toLine } from "./log-lines.ts";

/** The files of a chain: `snapshot-<block>.gz` and `log-<block>.jsonl`, which goes on where the snapshot of the same block ends. */
const SNAPSHOT = /^snapshot-(\d{12})\.gz$/;
const SEGMENT = /^log-(\d{12})\.jsonl$/;
const DRAFT = /\.draft$/;
const KEPT_SNAPSHOTS = 2;

const named = (block: number): string => String(block).padStart(12, "0");
export const snapshotPath = (folder: string, block: number): string => join(folder, `snapshot-${named(block)}.gz`);
export const segmentPath = (folder: string, block: number): string => join(folder, `log-${named(block)}.jsonl`);

const listBlocks = (folder: string, pattern: RegExp): number[] =>
  readdirSync(folder)
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);

/** In rising order of blocks. */
export const listSnapshots = (folder: string): number[] => listBlocks(folder, SNAPSHOT);
export const listSegments = (folder: string): number[] => listBlocks(folder, SEGMENT);

export const removeDrafts = (folder: string): void => {
  for (const name of readdirSync(folder)) if (DRAFT.test(name)) rmSync(join(folder, name));
};

/** A rename is durable only once its folder is synced. */
const syncFolder = (path: string): void => {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
};

/** The file is there as a whole or not at all, also after a power cut. */
export const writeWhole = async (path: string, content: Buffer | string): Promise<void> => {
  const draft = `${path}.draft`;
  const file = await open(draft, "w", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } catch (error) {
    // On a full disk half a file would take the room that the log needs.
    rmSync(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  renameSync(draft, path);
  syncFolder(dirname(path));
};

/** Returns how long it is. */
export const writeSegmentHead = async (folder: string, head: SegmentHead): Promise<number> => {
  const line = toLine(head);
  await writeWhole(segmentPath(folder, head.block), line);
  return Buffer.byteLength(line);
};

export const readSegment = (folder: string, block: number): Segment => {
  const path = segmentPath(folder, block);
  const read = readSegmentText(readFileSync(path));
  if ("damagedLine" in read) {
    throw new Error(`its log ${path} is damaged at line ${read.damagedLine}`);
  }
  return read;
};

/** The last block of a chain that nobody runs; 0 before its first start. */
export const readTipBlock = (folder: string): number => {
  const last = existsSync(folder) ? listSegments(folder).at(-1) : undefined;
  if (last === undefined) return 0;
  const { head, records } = readSegment(folder, last);
  return records.at(-1)?.block ?? head.block;
};

/** A chain without a past: its log begins at block 0. Refuses to begin one where another's blocks are. */
export const beginChain = async (folder: string, genesisHash: string): Promise<void> => {
  const segments = listSegments(folder);
  const hasPast = segments.some((block) => block > 0 || readSegment(folder, block).records.length > 0);
  if (hasPast || listSnapshots(folder).length > 0) {
    throw new Error(`${folder} holds a chain but not its meta.json: put it back, or move that folder away.`);
  }
  await writeSegmentHead(folder, { block: 0, hash: genesisHash, weight: 0 });
};

/** Keeps what the last two snapshots need; the chain's beginning counts as one while its log is there. */
export const removeOldFiles = (folder: string): void => {
  const snapshots = listSnapshots(folder);
  const oldest = snapshots.at(-KEPT_SNAPSHOTS);
  if (oldest === undefined) return;
  for (const block of snapshots.filter((one) => one < oldest)) rmSync(snapshotPath(folder, block));
  for (const block of listSegments(folder).filter((one) => one < oldest)) rmSync(segmentPath(folder, block));
};

/** A snapshot that cannot be used must not count as one of the two, but stays for whoever wants to know why. */
export const setAside = (folder: string, block: number): void => {
  const path = snapshotPath(folder, block);
  renameSync(path, `${path}.damaged`);
};
