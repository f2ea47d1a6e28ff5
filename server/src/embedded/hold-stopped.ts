import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { tryOwnerLock } from "../platform/files/owner-lock.ts";
import { ensurePrivateFolder } from "../platform/files/private-files.ts";
import { EmbeddedError } from "./embedded-error.ts";
import { readParts } from "./parts-file.ts";
import { postgresDataFolder } from "./postgres/access.ts";
import { findServer } from "./postgres/lock-file.ts";
import { isAlive } from "./process-identity.ts";
import { registerService } from "./registrations.ts";

/** True: nothing was ever started there. */
export const isEmptyFolder = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0;

/**
 * Runs `work` on a DATA_DIR in which nothing runs, and makes services that start meanwhile wait: it takes the lock of the
 * services that keep the embedded parts. Throws EmbeddedError while a service or one of the parts runs there.
 */
export const holdStopped = async <Result>(
  dataDir: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> => {
  const folder = realpathSync(dataDir);
  ensurePrivateFolder(join(folder, "embedded"));
  const lock = tryOwnerLock(join(folder, "embedded", "owner.lock"));
  try {
    if (lock === undefined || countServices(folder) > 0) {
      throw new EmbeddedError(`A service or command is running on ${dataDir}: stop it, then try again.`);
    }
    const isLeftRunning = readParts(folder).some(isAlive) || findServer(postgresDataFolder(join(folder, "postgres")));
    if (isLeftRunning) {
      throw new EmbeddedError(
        `A service on ${dataDir} was killed, and its database or chain is still running: start it once, stop it, then try again.`,
      );
    }
    return await work(folder);
  } finally {
    lock?.release();
  }
};

const countServices = (folder: string): number => {
  const own = registerService(join(folder, "embedded", "services"), []);
  try {
    return own.countOthers();
  } finally {
    own.remove();
  }
};
