import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

interface Process {
  pid: number;
  parent: number;
  /** A process that ended and was not yet collected; it does nothing any more. */
  zombie: boolean;
  command: string;
  /** Where it works, as far as the system says so; looked up when it is asked. */
  directory(): string;
}

/** The processes of this machine. */
function listProcesses(): Process[] {
  return process.platform === "linux" ? listFromProc() : listFromPs();
}

function listFromProc(): Process[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readFromProc(name) ?? []);
}

/** Undefined: it has ended. */
function readFromProc(name: string): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, "utf8");
    // The command name is in parentheses and may contain spaces and parentheses: fields are counted from the last one.
    const [state = "", parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
    const zombie = "ZX".includes(state);
    return { pid: Number(name), parent: Number(parent), zombie, command, directory: () => readDirectory(name) };
  } catch {
    return undefined;
  }
}

function readDirectory(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // Another user's process, or one that has just ended.
    return "";
  }
}

function listFromPs(): Process[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,command="], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const [, pid, parent, state = "", command = ""] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined
      ? []
      : [{ pid: Number(pid), parent: Number(parent), zombie: state.startsWith("Z"), command, directory: () => "" }];
  });
}

/**
 * The processes whose command line names this folder or that work in it, with their children: PostgreSQL's own processes change their names and
 * leave the group of the one that started them. The folder is a run's own, so that nothing else can be meant.
 */
export function findProcesses(folder: string): number[] {
  const all = listProcesses().filter(({ pid, zombie }) => pid !== process.pid && !zombie);
  const inFolder = ({ command, directory }: Process) => command.includes(folder) || directory().startsWith(folder);
  const found = new Set(all.filter(inFolder).map(({ pid }) => pid));
  return all.filter(({ pid, parent }) => found.has(pid) || found.has(parent)).map(({ pid }) => pid);
}

/** The same with what this process has started itself. */
export function findAllProcesses(folder: string): number[] {
  const own = listProcesses().filter(({ parent, zombie }) => parent === process.pid && !zombie);
  return [...new Set([...findProcesses(folder), ...own.map(({ pid }) => pid)])];
}

/** A part and what it started, the part first; empty when it is dead, or when its number is another's by now. */
export function findPart(pid: number, folder: string): number[] {
  const all = listProcesses().filter(({ zombie }) => !zombie);
  if (!all.some((one) => one.pid === pid && one.command.includes(folder))) return [];
  return [pid, ...all.filter(({ parent }) => parent === pid).map((child) => child.pid)];
}

/** Whether a part lives, for who asks many times a second: without a look at what else runs. */
export function isRunning(pid: number, folder: string): boolean {
  const part = process.platform === "linux" ? readFromProc(String(pid)) : listFromPs().find((one) => one.pid === pid);
  return part !== undefined && !part.zombie && part.command.includes(folder);
}

/** Processes in a part's folder that survive the part: started after it was looked up. */
export function findOrphans(folder: string): number[] {
  return listProcesses().flatMap(({ pid, zombie, directory }) =>
    !zombie && directory().startsWith(folder) ? [pid] : [],
  );
}

/** SIGKILL, without warning, in this order. True when the first of them was there. */
export function killProcesses(pids: readonly number[]): boolean {
  return pids.map(sendKill)[0] === true;
}

function sendKill(pid: number): boolean {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}

/** Ends what is left of a run; resolves when it is gone. Returns how many that were. */
export async function endProcesses(folder: string): Promise<number> {
  let ended = 0;
  for (let left = findProcesses(folder); left.length > 0; left = findProcesses(folder)) {
    ended = Math.max(ended, left.length);
    killProcesses(left);
    await delay(50);
  }
  return ended;
}
