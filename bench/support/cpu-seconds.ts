import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

interface RunningProcess {
  pid: number;
  parent: number;
  command: string;
  /** CPU of the process itself. */
  ownSeconds: number;
  /** CPU of its children that have ended. */
  endedSeconds: number;
}

/** The CPU that a process has used so far, without its children. Linux only. */
export function readOwnCpuSeconds(pid: number): number {
  return listProcesses().find((one) => one.pid === pid)?.ownSeconds ?? 0;
}

/** The same with the processes below it. */
export function readTreeCpuSeconds(pid: number): number {
  const processes = listProcesses();
  const sum = (one: RunningProcess): number =>
    processes
      .filter(({ parent }) => parent === one.pid)
      .reduce((total, child) => total + sum(child), one.ownSeconds + one.endedSeconds);
  const [root] = processes.filter((one) => one.pid === pid);
  return root === undefined ? 0 : sum(root);
}

/** The child of `pid` whose command line contains the text. */
export function findChild(pid: number, text: string): number {
  const child = listProcesses().find(({ parent, command }) => parent === pid && command.includes(text));
  if (child === undefined) throw new Error(`No child of ${pid} runs ${text}.`);
  return child.pid;
}

export function findParent(pid: number): number {
  const one = listProcesses().find((running) => running.pid === pid);
  if (one === undefined) throw new Error(`There is no process ${pid}.`);
  return one.parent;
}

function listProcesses(): RunningProcess[] {
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      const [own = 0, system = 0, ended = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
      const ownSeconds = (own + system) / TICKS_PER_SECOND;
      const endedSeconds = (ended + endedSystem) / TICKS_PER_SECOND;
      return [{ pid, parent: Number(fields[1]), command, ownSeconds, endedSeconds }];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}
