import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { z } from "zod";
import { errorCode } from "./error-code.ts";

/** Creates the folder, readable by its owner only. */
export const ensurePrivateFolder = (path: string): void => {
  makeFolder(path);
  chmodSync(path, 0o700);
};

/**
 * Creates a folder with its parents. Node's own `recursive` never ends where the system reports an existing folder as missing,
 * as below /proc.
 */
export const makeFolder = (path: string): void => {
  if (existsSync(path) && statSync(path).isDirectory()) return;
  const above = dirname(path);
  if (above !== path && !existsSync(above)) makeFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process created it meanwhile.
    if (errorCode(error) !== "EEXIST" || !statSync(path).isDirectory()) throw error;
  }
};

const ALL_BUT_OWNER = 0o177;

/** Why a file with a secret is not private enough; undefined: only its owner can read, write or execute it. */
export const sayReadableByOthers = (path: string): string | undefined => {
  const mode = statSync(path).mode & 0o777;
  if ((mode & ALL_BUT_OWNER) === 0) return undefined;
  return `${path} is not private (mode 0${mode.toString(8)}): run chmod 600 on it.`;
};

/** A rename is durable only once its folder is synced. */
export const syncFolder = (path: string): void => {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
};

/**
 * Replaces a file (mode 0600) atomically: a reader sees the old or the new content, even after a kill or a power cut.
 * Synchronous on purpose: nothing may happen between starting a process and storing its id.
 */
export const writePrivateJson = (path: string, value: unknown): void => {
  const draft = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, `${JSON.stringify(value, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  syncFolder(dirname(path));
};

/** Undefined if the file is missing or does not match the schema. */
export const readPrivateJson = <Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): z.infer<Schema> | undefined => {
  try {
    const parsed = schema.safeParse(JSON.parse(readFileSync(path, "utf8")));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (errorCode(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
};
