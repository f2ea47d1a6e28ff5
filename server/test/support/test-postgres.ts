import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { databaseUrl, readAccess } from "../../src/embedded/postgres/access.ts";
import { findServer } from "../../src/embedded/postgres/lock-file.ts";
import { closeServer, openServer } from "../../src/embedded/postgres/server.ts";
import { identifyProcess, ownIdentity, sendSignal } from "../../src/embedded/process-identity.ts";

export interface TestPostgres {
  /** The URL of the administrative database, as superuser. */
  adminUrl: string;
  /** Stops the server, and starts it again on the same port. */
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
  /** For a process that is exiting already: no waiting, nothing left behind. */
  stopAtOnce(): void;
}

export interface TestPostgresOptions {
  /** Off is faster and fits throwaway data; a test of what survives a kill wants it on. */
  fsync?: boolean;
  /** Where there is room: a database is a thousand files, and to copy one on a disk can take as long as half of a service's start. */
  inMemory?: boolean;
}

/** A file system in the memory, which Linux has. */
const MEMORY = "/dev/shm";
/** Many times what the databases of a run take, and the machine's other work needs its memory, too. */
const ROOM_BYTES = 4 * 2 ** 30;

const hasRoomInMemory = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
};

const PREFIX = "wayfare-test-postgres-";
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

const killServer = (folder: string): void => {
  const server = findServer(join(folder, "postgres", "data"));
  if (server) sendSignal(server, "SIGQUIT");
};

const remove = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 50 });

/** A test run that was killed could not clean up: the next one does. */
const removeLeftovers = (parent: string): void => {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(parent, name);
    try {
      const [pid, startTime] = readFileSync(join(folder, "made-by"), "utf8").split(" ");
      if (identifyProcess(Number(pid))?.startTime === startTime) continue;
      killServer(folder);
      remove(folder);
    } catch {
      // Another user's, or just being made.
    }
  }
};

/** A throwaway PostgreSQL in a temporary folder, on a free port. */
export const startTestPostgres = async ({
  fsync = true,
  inMemory = false,
}: TestPostgresOptions = {}): Promise<TestPostgres> => {
  const parent = inMemory && hasRoomInMemory() ? MEMORY : realpathSync(tmpdir());
  removeLeftovers(parent);
  const folder = mkdtempSync(join(parent, PREFIX));
  const { pid, startTime } = ownIdentity();
  writeFileSync(join(folder, "made-by"), `${pid} ${startTime}`);
  const cluster = join(folder, "postgres");
  mkdirSync(cluster, { mode: 0o700 });
  try {
    const logPath = join(folder, "postgres.log");
    const options = { folder: cluster, logPath, log: quiet, fsync, mayMovePort: true, progress: () => undefined };
    let server = await openServer(options);
    const access = readAccess(cluster);
    if (!access) throw new Error(`No access file in ${cluster}`);
    return {
      adminUrl: databaseUrl(access, "postgres"),
      down: () => closeServer(server),
      async up() {
        server = await openServer({ ...options, mayMovePort: false });
      },
      async stop() {
        await closeServer(server);
        remove(folder);
      },
      stopAtOnce() {
        sendSignal(server, "SIGQUIT");
        remove(folder);
      },
    };
  } catch (error) {
    killServer(folder);
    remove(folder);
    throw error;
  }
};
