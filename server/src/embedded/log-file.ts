import { closeSync, ftruncateSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { errorCode } from "../platform/files/error-code.ts";

const KEEP_AT_START_BYTES = 1_000_000;
const LIMIT_WHILE_RUNNING_BYTES = 10_000_000;

export const sizeOfFile = (path: string): number => {
  try {
    return statSync(path).size;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return 0;
    throw error;
  }
};

/** Opens a part's log for appending; a long one from earlier runs becomes `<path>.1` first. Close the descriptor after use. */
export const openLogFile = (path: string): number => {
  if (sizeOfFile(path) > KEEP_AT_START_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, "a", 0o600);
};

/** Empties an oversized log of a running part. Its writers append, so they continue at the start. */
export const boundLogFile = (path: string): void => {
  if (sizeOfFile(path) <= LIMIT_WHILE_RUNNING_BYTES) return;
  const file = openSync(path, "r+");
  try {
    ftruncateSync(file, 0);
  } finally {
    closeSync(file);
  }
};

export const readLogFrom = (path: string, offsetBytes: number): string => {
  try {
    return readFileSync(path).subarray(offsetBytes).toString("utf8");
  } catch {
    return "";
  }
};

/** The text written since the file had `offsetBytes`; all of it if the file was replaced meanwhile. */
export const readLogSince = (path: string, offsetBytes: number): string =>
  readLogFrom(path, sizeOfFile(path) < offsetBytes ? 0 : offsetBytes);
