import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../platform/files/error-code.ts";
import { identifyProcess, type ProcessIdentity, readCommandLine } from "../process-identity.ts";

const lockPath = (dataFolder: string): string => join(dataFolder, "postmaster.pid");

const readLines = (dataFolder: string): string[] => {
  try {
    return readFileSync(lockPath(dataFolder), "utf8").split("\n");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
};

/** The server that runs on this data folder now, whoever started it. */
export const findServer = (dataFolder: string): (ProcessIdentity & { port: number }) | undefined => {
  const lines = readLines(dataFolder);
  const identity = identifyProcess(Number(lines[0]));
  // After a restart of the machine or the container, another process may have the id.
  if (!identity || !readCommandLine(identity.pid)?.includes(dataFolder)) return undefined;
  return { ...identity, port: Number(lines[3]) };
};

// Larger than any system's highest process id.
const NO_PROCESS = 2_147_000_000;

/**
 * PostgreSQL refuses to start while the id in its lock file is any live process of the same user, and a killed server counts as
 * live until its zombie is reaped, which in a container without an init never happens. The caller has found by `findServer`
 * that the server is gone. The file must not be deleted: its other lines are how PostgreSQL makes sure that no backend of the
 * dead server still holds its shared memory.
 */
export const disownLockFile = (dataFolder: string): void => {
  const [pid, ...rest] = readLines(dataFolder);
  if (pid === undefined || pid === String(NO_PROCESS)) return;
  writeFileSync(lockPath(dataFolder), [NO_PROCESS, ...rest].join("\n"));
};
