import { DatabaseSync } from "node:sqlite";

/** Held by exactly one holder in one process; the operating system releases it when that process dies. */
export interface OwnerLock {
  release(): void;
}

/**
 * Takes the lock, or returns undefined immediately if another holds it. Node has no file locks; an exclusive SQLite transaction
 * on an empty file is one (fcntl), without stale state or takeovers, on Linux and macOS.
 */
export const tryOwnerLock = (path: string): OwnerLock | undefined => {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // The journal is in memory, so that nothing is ever written to the file or beside it.
    database.exec("pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive");
  } catch (error) {
    database?.close();
    if (error instanceof Error && error.message.includes("locked")) return undefined;
    throw error;
  }
  const held = database;
  return { release: () => held.close() };
};
