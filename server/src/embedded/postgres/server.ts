import { setTimeout as delay } from "node:timers/promises";
import { errorCode } from "../../platform/files/error-code.ts";
import type { Log } from "../../ports/log.ts";
import { EmbeddedError } from "../embedded-error.ts";
import { findFreePort, isPortFree, LOOPBACK } from "../free-port.ts";
import { readLogFrom, sizeOfFile } from "../log-file.ts";
import { type RunningPart, spawnPart } from "../part.ts";
import { isAlive, sendSignal, waitUntilGone } from "../process-identity.ts";
import { type Access, databaseUrl, ensureAccess, postgresDataFolder, SERVICE_DATABASE, saveAccess } from "./access.ts";
import { locateBinaries } from "./binaries.ts";
import { ensureCluster } from "./cluster.ts";
import { askDataFolder } from "./databases.ts";
import { disownLockFile, findServer } from "./lock-file.ts";
import { endOrphans } from "./orphans.ts";
import { chooseUser } from "./run-as.ts";
import { serverArguments } from "./settings.ts";

export interface OpenServerOptions {
  /** Contains access.json and the data folder. */
  folder: string;
  logPath: string;
  log: Log;
  fsync: boolean;
  mayMovePort: boolean;
  progress(line: string): void;
  /** Called with the found or started process before it is ready. */
  started?(part: RunningPart): void;
  signal?: AbortSignal;
}

const PROBE_MILLISECONDS = 25;
const PROBE_TIMEOUT_MILLISECONDS = 2_000;
/** A healthy server answers at once, and one in recovery says so; a silent one is replaced after this time. */
const FOUND_SILENCE_LIMIT_MILLISECONDS = 4_000;
const STARTED_SILENCE_LIMIT_MILLISECONDS = 30_000;
/** Elapsed time alone proves nothing: this process may have been suspended. */
const LEAST_SILENT_PROBES = 4;
const RETRY_MILLISECONDS = 150;
/** Leftovers of a killed server end as soon as the disk releases them. */
const START_ATTEMPTS = 120;
const PROGRESS_EVERY_MILLISECONDS = 5_000;

const STARTING_UP = "57P03";
const TOO_MANY_CONNECTIONS = "53300";

const runningPart = (identity: { pid: number; startTime: string }, port: number): RunningPart => ({
  pid: identity.pid,
  startTime: identity.startTime,
  port,
  url: `postgres://${LOOPBACK}:${port}/${SERVICE_DATABASE}`,
});

/** "ready", "ended" (the process is gone) or "silent" (it runs but does not answer as our server). */
const waitUntilReady = async (
  part: RunningPart,
  access: Access,
  silenceLimitMilliseconds: number,
  { folder, progress, signal }: OpenServerOptions,
): Promise<"ready" | "ended" | "silent"> => {
  const adminUrl = databaseUrl({ ...access, port: part.port }, "postgres");
  let lastSign = performance.now();
  let silentProbes = 0;
  let nextProgress = lastSign + PROGRESS_EVERY_MILLISECONDS;
  while (isAlive(part)) {
    signal?.throwIfAborted();
    try {
      return (await askDataFolder(adminUrl, PROBE_TIMEOUT_MILLISECONDS)) === postgresDataFolder(folder)
        ? "ready"
        : "silent";
    } catch (error) {
      if (errorCode(error) === TOO_MANY_CONNECTIONS) return "ready";
      silentProbes += 1;
      if (errorCode(error) === STARTING_UP) {
        lastSign = performance.now();
        silentProbes = 0;
      }
    }
    if (silentProbes >= LEAST_SILENT_PROBES && performance.now() - lastSign > silenceLimitMilliseconds) return "silent";
    if (performance.now() > nextProgress) {
      progress("PostgreSQL is recovering after it was killed");
      nextProgress += PROGRESS_EVERY_MILLISECONDS;
    }
    await delay(PROBE_MILLISECONDS);
  }
  return "ended";
};

/** Fast shutdown (open transactions are rolled back, everything is written), then more forceful ones. */
export const closeServer = async (part: RunningPart): Promise<void> => {
  sendSignal(part, "SIGINT");
  if (await waitUntilGone(part, 5_000)) return;
  sendSignal(part, "SIGQUIT");
  if (await waitUntilGone(part, 1_500)) return;
  sendSignal(part, "SIGKILL");
  await waitUntilGone(part, 1_000);
};

const explainStartFailure = (
  { folder, mayMovePort }: OpenServerOptions,
  port: number,
  output: string,
): EmbeddedError | "again" => {
  if (/No space left on device/.test(output)) {
    return new EmbeddedError(`The disk that holds ${folder} is full: free some space and start again.`);
  }
  if (/Address already in use/.test(output)) {
    // The port was taken between the check and the start: the next attempt uses another one.
    if (mayMovePort) return "again";
    return new EmbeddedError(
      `Port ${port} of the embedded database is taken by another program: stop it, or change the port in ${folder}/access.json while Wayfare is stopped.`,
    );
  }
  // The dead server's backends need a moment to release its shared memory, and its zombie to be reaped.
  if (/lock file .* already exists|shared memory block .* still in use/.test(output)) return "again";
  const line = output.split("\n").findLast((text) => /FATAL|PANIC|error|could not/i.test(text));
  // A server that logged no error was killed during its start.
  if (line === undefined) return "again";
  const reason = line.replace(/^.*?(FATAL|PANIC|LOG):\s*/, "").trim();
  return new EmbeddedError(
    `PostgreSQL does not start on ${folder} (${reason}): fix that, restore the folder from a copy, or set DATABASE_URL.`,
  );
};

const ensurePort = async (access: Access, { folder, log, mayMovePort }: OpenServerOptions): Promise<Access> => {
  if (await isPortFree(access.port)) return access;
  if (!mayMovePort) {
    throw new EmbeddedError(`Port ${access.port} of the embedded database is taken by another program: stop it.`);
  }
  const moved = { ...access, port: await findFreePort() };
  saveAccess(folder, moved);
  log.warn({ from: access.port, to: moved.port }, "the embedded database's port was taken, it moved to another");
  return moved;
};

/** Adopts a healthy server, waits for a recovering one, replaces an unresponsive one. */
const adoptServer = async (access: Access, options: OpenServerOptions): Promise<RunningPart | undefined> => {
  const dataFolder = postgresDataFolder(options.folder);
  const found = findServer(dataFolder);
  if (!found) {
    disownLockFile(dataFolder);
    return undefined;
  }
  const part = runningPart(found, found.port || access.port);
  options.started?.(part);
  const outcome = await waitUntilReady(part, access, FOUND_SILENCE_LIMIT_MILLISECONDS, options);
  if (outcome === "ready") {
    if (part.port !== access.port) saveAccess(options.folder, { ...access, port: part.port });
    options.log.info({ partPid: part.pid, port: part.port }, "adopted the running embedded database");
    return part;
  }
  if (outcome === "silent") {
    options.log.warn({ partPid: part.pid }, "the running embedded database does not answer and is replaced");
    sendSignal(part, "SIGQUIT");
    if (!(await waitUntilGone(part, 500))) sendSignal(part, "SIGKILL");
    await waitUntilGone(part, 2_000);
  }
  return undefined;
};

/**
 * Finds or starts the PostgreSQL server of a folder; resolves when it answers. One caller at a time per folder, which the owner
 * lock guarantees.
 */
export const openServer = async (options: OpenServerOptions): Promise<RunningPart> => {
  const { folder, logPath, log, fsync, progress, signal } = options;
  const binaries = locateBinaries();
  const dataFolder = postgresDataFolder(folder);
  let access = await ensureAccess(folder);
  const runAs = await chooseUser(dataFolder, binaries.postgres);
  await ensureCluster({ folder, access, binaries, runAs, progress, signal });
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt += 1) {
    const adopted = await adoptServer(access, options);
    if (adopted) return adopted;
    access = await ensurePort(access, options);
    signal?.throwIfAborted();
    const logOffset = sizeOfFile(logPath);
    const words = [...runAs.prefix, binaries.postgres, "-D", dataFolder];
    const [command = binaries.postgres, ...rest] = [...words, ...serverArguments({ port: access.port, fsync })];
    const part = runningPart(spawnPart(command, rest, logPath), access.port);
    options.started?.(part);
    const outcome = await waitUntilReady(part, access, STARTED_SILENCE_LIMIT_MILLISECONDS, options);
    if (outcome === "ready") {
      log.info({ partPid: part.pid, port: part.port }, "embedded database started");
      return part;
    }
    if (outcome === "silent") await closeServer(part);
    const failure = explainStartFailure(options, access.port, readLogFrom(logPath, logOffset));
    if (failure !== "again") throw failure;
    const ended = endOrphans(dataFolder);
    if (ended > 0) log.warn({ processes: ended }, "ended processes left by a killed embedded database");
    await delay(RETRY_MILLISECONDS);
  }
  throw new EmbeddedError(
    `PostgreSQL does not start on ${folder}: it ends again and again, or its lock file stays in use. See ${logPath}.`,
  );
};
