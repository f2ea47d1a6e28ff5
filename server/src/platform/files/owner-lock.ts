import { DatabaseSync } from "node:sqlite";

/** Held by exactly one process (and one holder in it); the system itself drops it when that process dies in any way. */
export interface OwnerLock {
  release(): void;
}

/**
 * Takes the lock or returns undefined at once when another holds it. Node has no file locks of its own; an exclusive
 * SQLite transaction on an empty file is one (fcntl): no stale state, no takeover to get wrong, on Linux and macOS.
 */
export const tryOwnerLock = (path: string): OwnerLock | undefined => {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // The journal in memory, so that nothing is ever written to the file or beside it.
    database.exec("pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive");
  } catch (error) {
    database?.close();
    if (error instanceof Error && error.message.includes("locked")) return undefined;
    throw error;
  }
  const held = database;
  return { release: () => held.close() };
};
