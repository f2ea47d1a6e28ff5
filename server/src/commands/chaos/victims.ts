import { join } from "node:path";
import { findOrphans, findPart, killProcesses } from "./processes.ts";

/** A part of the embedded ones is killed with everything that it started; of some, their processes can be killed one by one. */
interface Victim {
  part: string;
  which: "itself" | "what it started" | "all";
}

const processesOf: Readonly<Record<string, Victim>> = {
  sequencer: { part: "devnet", which: "itself" },
  anvil: { part: "devnet", which: "what it started" },
};

const victimOf = (name: string): Victim => processesOf[name] ?? { part: name, which: "all" };

/** The process that stands for the part which has to be replaced when this victim was killed. */
export function pidToReplace(name: string, parts: readonly { name: string; pid: number }[]): number | undefined {
  return parts.find((one) => one.name === victimOf(name).part)?.pid;
}

/** Looks the processes up; calling the result sends SIGKILL at once. False: they were not running. */
export function aimAt(name: string, parts: readonly { name: string; pid: number }[], dataDir: string): () => boolean {
  const { part: partName, which } = victimOf(name);
  const part = parts.find((one) => one.name === partName);
  // The part before what it started: a PostgreSQL that loses a child first would begin to recover in peace.
  const [itself, ...children] = part === undefined ? [] : findPart(part.pid, dataDir);
  const own = itself === undefined ? [] : [itself];
  if (which === "itself") return () => killProcesses(own);
  if (which === "what it started") return () => killProcesses(children);
  return () => {
    const killed = killProcesses([...own, ...children]);
    if (killed) killProcesses(findOrphans(join(dataDir, partName)));
    return killed;
  };
}
