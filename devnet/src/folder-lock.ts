import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { errorText } from "./error-text.ts";

/** Held by one process; the system itself drops it when that process dies in any way. */
interface FolderLock {
  release(): void;
}

const PATIENCE_MILLISECONDS = 3_000;
/** The system lets go of a killed process late when a slow disk still writes for it. */
const PATIENCE_AFTER_A_KILL_MILLISECONDS = 30_000;
const TRY_EVERY_MILLISECONDS = 20;

/** Node has no file locks of its own; an exclusive SQLite transaction on an empty file is one (fcntl). */
const tryLock = (path: string): FolderLock | undefined => {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // The journal is in memory, so that nothing is ever written to the file or beside it.
    database.exec("pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive");
  } catch (error) {
    database?.close();
    if (errorText(error).includes("locked")) return undefined;
    throw error;
  }
  const held = database;
  return { release: () => held.close() };
};

/**
 * Waits a moment for a predecessor that was just killed and may still be going. `endHolders` is for who alone owns the folder: it ends
 * those that run its chain nevertheless.
 */
export const lockFolder = async (folder: string, endHolders?: () => void): Promise<FolderLock> => {
  const patience = endHolders === undefined ? PATIENCE_MILLISECONDS : PATIENCE_AFTER_A_KILL_MILLISECONDS;
  const deadline = performance.now() + patience;
  for (;;) {
    const lock = tryLock(join(folder, "lock"));
    if (lock !== undefined) return lock;
    if (performance.now() > deadline) {
      throw new Error(`Another process runs the chain in ${folder}: stop it, or use another folder.`);
    }
    endHolders?.();
    await delay(TRY_EVERY_MILLISECONDS);
  }
};
