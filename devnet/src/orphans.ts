import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lockFolder } from "./folder-lock.ts";
import { genesisPath } from "./genesis.ts";

interface RunningProcess {
  pid: number;
  commandLine: string;
}

/** Empty for a process that is gone, or only waits for its parent. */
const readCommandLine = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ");
  } catch {
    return "";
  }
};

const listProcesses = (): RunningProcess[] => {
  if (process.platform === "linux") {
    const numbers = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return numbers.map((name) => ({ pid: Number(name), commandLine: readCommandLine(Number(name)) }));
  }
  const lines = execFileSync("ps", ["-axo", "pid=,command="], { encoding: "utf8" }).split("\n");
  return lines.map((line) => ({ pid: Number.parseInt(line, 10), commandLine: line }));
};

const findOthers = (sign: string): number[] =>
  listProcesses()
    .filter(({ pid, commandLine }) => pid !== process.pid && commandLine.includes(sign))
    .map(({ pid }) => pid);

const killAll = (pids: readonly number[]): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
};

/** The numbers of the nodes that run a folder's chain: the genesis file in their command line tells. */
export const findNodes = (folder: string): number[] => findOthers(`--init ${genesisPath(folder)} `);

/**
 * Ends the node that a killed sequencer left. It keeps nothing, so it can do no harm but take memory. Call this only while holding
 * the folder's lock. Returns how many were ended.
 */
export const endOrphanNodes = (folder: string): number => {
  const orphans = findNodes(folder);
  killAll(orphans);
  return orphans.length;
};

/**
 * Ends another process of this program that holds the folder, such as one whose owner was killed before it had written down that it
 * started it. What was acknowledged is in the log.
 */
export const endSequencers = (folder: string): void => killAll(findOthers(` --folder ${folder} --port `));

/** A further chain lies inside the folder of the first one, whose lock covers it. */
const FURTHER = "chains";
export const furtherFolder = (folder: string, name: string): string => join(folder, FURTHER, name);

/** Ends the nodes of further chains that a killed sequencer left. */
export const endFurtherNodes = (folder: string): void => {
  const all = join(folder, FURTHER);
  if (existsSync(all)) for (const name of readdirSync(all)) endOrphanNodes(furtherFolder(folder, name));
};

/** Ends whatever still runs the chains of the folder, and the nodes that were left. */
export const endFolderOrphans = async (folder: string): Promise<void> => {
  const lock = await lockFolder(folder, () => endSequencers(folder));
  endOrphanNodes(folder);
  endFurtherNodes(folder);
  lock.release();
};
