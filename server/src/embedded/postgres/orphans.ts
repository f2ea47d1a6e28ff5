import { readdirSync, readlinkSync } from "node:fs";
import { errorCode } from "../../platform/files/error-code.ts";
import { identifyProcess, readCommandLine, sendSignal } from "../process-identity.ts";

/** The title of PostgreSQL's child processes; the server itself keeps its command line. */
const CHILD_TITLE = /^postgres: /;

/**
 * Ends the leftovers of a killed server: a busy child (such as a recovery) outlives it for seconds and holds its shared memory,
 * so that no new server starts. Only on systems that tell a process's working folder, and only if no server works there: the
 * next one recovers from the log as after any crash. Returns how many were ended.
 */
export const endOrphans = (dataFolder: string): number => {
  if (process.platform !== "linux") return 0;
  const found = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && worksIn(name, dataFolder))
    .map(Number)
    .filter((pid) => identifyProcess(pid) !== undefined);
  if (!found.every((pid) => CHILD_TITLE.test(readCommandLine(pid) ?? ""))) return 0;
  for (const pid of found) {
    const identity = identifyProcess(pid);
    if (identity !== undefined) sendSignal(identity, "SIGKILL");
  }
  return found.length;
};

const worksIn = (pid: string, folder: string): boolean => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch (error) {
    // Another user's process, or one that has just ended.
    if (errorCode(error) === undefined) throw error;
    return false;
  }
};
