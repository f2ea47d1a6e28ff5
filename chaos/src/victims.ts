import { join } from "node:path";
import { findOrphans, findPart, killProcesses } from "./processes.ts";

/** A part of the embedded ones is killed with everything that it started; of some, their processes can be killed one by one. */
interface Victim {
  part: string;
  which: "itself" | "what it started" | "all";
}

const victimByProcess: Readonly<Record<string, Victim>> = {
  sequencer: { part: "devnet", which: "itself" },
  anvil: { part: "devnet", which: "what it started" },
};

/** A victim, looked up before the kill. */
export interface Aim {
  /** Sends SIGKILL at once. False: it was not running. */
  kill(): boolean;
  /** Whether something else stands in its place; until then the part may be taken for one that runs. */
  isReplaced(parts: readonly ListedPart[]): boolean;
}

interface ListedPart {
  name: string;
  pid: number;
}

export function aimAt(name: string, parts: readonly ListedPart[], dataDir: string): Aim {
  const { part: partName, which }: Victim = victimByProcess[name] ?? { part: name, which: "all" };
  const part = parts.find((one) => one.name === partName);
  // The part before what it started: a PostgreSQL that loses a child first would begin to recover in peace.
  const [itself, ...children] = part === undefined ? [] : findPart(part.pid, dataDir);
  const own = itself === undefined ? [] : [itself];
  const isGone = (now: readonly ListedPart[]) => !now.some(({ pid }) => pid === itself);
  if (which === "itself") return { kill: () => killProcesses(own), isReplaced: isGone };
  if (which === "what it started") {
    // A part that is starting is started again by the same process.
    const isNew = (pid: number) => pid !== itself && !children.includes(pid);
    const hasAnother = () => itself !== undefined && findPart(itself, dataDir).some(isNew);
    return { kill: () => killProcesses(children), isReplaced: (now) => isGone(now) || hasAnother() };
  }
  return {
    kill() {
      const killed = killProcesses([...own, ...children]);
      if (killed) killProcesses(findOrphans(join(dataDir, partName)));
      return killed;
    },
    isReplaced: isGone,
  };
}
