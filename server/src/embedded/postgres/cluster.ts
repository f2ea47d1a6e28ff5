import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { syncFolder } from "../../platform/files/private-files.ts";
import { EmbeddedError, errorText } from "../embedded-error.ts";
import { partEnvironment } from "../part.ts";
import { type Access, postgresDataFolder } from "./access.ts";
import { type PostgresBinaries, runFile } from "./binaries.ts";
import { giveFolderTo, type RunAs } from "./run-as.ts";
import { initArguments } from "./settings.ts";

const DRAFT_PREFIX = "draft-";

const removeDrafts = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(DRAFT_PREFIX)) continue;
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch {
      // The initdb of a killed start may still be writing there; it fails by itself, and the next start cleans up.
    }
  }
};

const explainInitFailure = (folder: string, output: string): EmbeddedError => {
  if (output.includes("No space left on device")) {
    return new EmbeddedError(`The disk that holds ${folder} is full: free some space and start again.`);
  }
  if (output.includes("error while loading shared libraries")) {
    return new EmbeddedError(
      `PostgreSQL lacks a library (${output.trim().split("\n").at(-1)}): install it, or set DATABASE_URL.`,
    );
  }
  const lines = output.split("\n").filter((line) => /error|fatal|could not/i.test(line));
  return new EmbeddedError(
    `The database in ${folder} could not be created (${lines.at(-1)?.trim() ?? "no reason given"}): fix that and start again, or set DATABASE_URL.`,
  );
};

export interface EnsureClusterOptions {
  folder: string;
  access: Access;
  binaries: PostgresBinaries;
  runAs: RunAs;
  progress(line: string): void;
  signal: AbortSignal | undefined;
}

/**
 * Creates the data folder once: in a draft beside it, synced, then renamed. A kill at any moment leaves no data folder or a
 * complete one.
 */
export const ensureCluster = async ({
  folder,
  access,
  binaries,
  runAs,
  progress,
  signal,
}: EnsureClusterOptions): Promise<void> => {
  const dataFolder = postgresDataFolder(folder);
  if (existsSync(dataFolder)) {
    giveFolderTo(dataFolder, runAs);
    // A copy may have lost its mode, and PostgreSQL refuses a folder that others can read.
    chmodSync(dataFolder, 0o700);
    removeDrafts(folder);
    return;
  }
  removeDrafts(folder);
  progress("Making the embedded database (once)");
  const draft = join(folder, `${DRAFT_PREFIX}${randomBytes(4).toString("hex")}`);
  const passwordFile = `${draft}.password`;
  mkdirSync(draft, { mode: 0o700 });
  try {
    chownSync(draft, runAs.uid, runAs.gid);
    writeFileSync(passwordFile, `${access.password}\n`, { mode: 0o600 });
    chownSync(passwordFile, runAs.uid, runAs.gid);
    const words = [...runAs.prefix, binaries.initdb, ...initArguments(draft, access.user, passwordFile)];
    const [command = binaries.initdb, ...rest] = words;
    const initialising = runFile(command, rest, { cwd: "/", env: partEnvironment });
    // The signal option would not wait until initdb has cleaned up and ended.
    const end = () => initialising.child.kill("SIGTERM");
    signal?.addEventListener("abort", end, { once: true });
    await initialising.finally(() => signal?.removeEventListener("abort", end));
    renameSync(draft, dataFolder);
    syncFolder(folder);
  } catch (error) {
    signal?.throwIfAborted();
    const output = typeof error === "object" && error !== null && "stderr" in error ? String(error.stderr) : "";
    throw output ? explainInitFailure(folder, output) : new EmbeddedError(errorText(error));
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(draft, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
};
