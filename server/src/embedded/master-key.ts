import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../platform/files/error-code.ts";
import { ensurePrivateFolder, sayReadableByOthers, syncFolder } from "../platform/files/private-files.ts";
import { EmbeddedError, errorText, explainFileError } from "./embedded-error.ts";

const KEY_BYTES = 32;
const HEX_KEY = /^[0-9a-fA-F]{64}$/;
const BASE64_KEY = /^[A-Za-z0-9+/_-]{43}=?$/;
const HOW_TO_MAKE = "create one with: (umask 077; openssl rand -hex 32 > master.key)";

/**
 * The key that encrypts wallet keys and personal numbers. `masterKeyFile` set: that file. Unset: DATA_DIR/master.key, created
 * if missing, the same for all processes that start at once; production refuses that, because a key beside the data it encrypts
 * protects nothing.
 * Throws EmbeddedError, whose message is one line for the operator and never contains the key.
 */
export function readMasterKey(options: {
  masterKeyFile: string | undefined;
  dataDir: string;
  production: boolean;
}): Buffer {
  const { masterKeyFile, dataDir, production } = options;
  if (masterKeyFile !== undefined) return readKeyFile(masterKeyFile);
  if (production) {
    throw new EmbeddedError(
      `MASTER_KEY_FILE is not set, and NETWORK_MODE=production needs it: set it to a file with 32 random bytes in hexadecimal; ${HOW_TO_MAKE}`,
    );
  }
  const path = masterKeyPath({ masterKeyFile, dataDir });
  refuseToReplace(path, join(dataDir, "postgres", "data"));
  try {
    makeOnce(path);
  } catch (error) {
    throw explainFileError(error, dataDir);
  }
  return readKeyFile(path);
}

/** The path of the key. */
export function masterKeyPath({
  masterKeyFile,
  dataDir,
}: {
  masterKeyFile: string | undefined;
  dataDir: string;
}): string {
  return masterKeyFile ?? join(dataDir, "master.key");
}

/**
 * A new key could not decrypt an existing database. The order is safe: a process that creates the database has created its key
 * before.
 */
function refuseToReplace(path: string, database: string): void {
  if (!existsSync(database) || existsSync(path)) return;
  throw new EmbeddedError(
    `${path} is missing, and the database beside it, ${database}, was written with it. Put the file back from a copy; without it the wallets and personal numbers in that database cannot be read. To start afresh, move the whole folder away.`,
  );
}

/**
 * Linking a finished draft to its name fails if the name is taken: one of several processes wins, none reads half a key, and a
 * key that may already encrypt something is never replaced.
 */
function makeOnce(path: string): void {
  if (exists(path)) return;
  ensurePrivateFolder(dirname(path));
  const draft = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, `${randomBytes(KEY_BYTES).toString("hex")}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(draft, path);
    syncFolder(dirname(path));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  } finally {
    unlinkSync(draft);
  }
}

function exists(path: string): boolean {
  try {
    closeSync(openSync(path, "r"));
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

function readKeyFile(path: string): Buffer {
  const text = readText(path);
  if (HEX_KEY.test(text)) return Buffer.from(text, "hex");
  const key = Buffer.from(BASE64_KEY.test(text) ? text : "", "base64");
  if (key.length === KEY_BYTES) return key;
  throw new EmbeddedError(
    `The master key file ${path} must contain 32 random bytes in hexadecimal or base64; ${HOW_TO_MAKE}`,
  );
}

function readText(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new EmbeddedError(
      `The master key file ${path} cannot be read (${errorCode(error) ?? errorText(error)}): put it there, and start as the user who owns it.`,
    );
  }
  const problem = sayReadableByOthers(path);
  if (problem !== undefined) throw new EmbeddedError(`The master key file ${problem}`);
  return text;
}
