import { readFileSync } from "node:fs";
import { findAllProcesses } from "../processes.ts";

const TICKS_PER_SECOND = 100;

/** CPU time of all processes of a deployment, killed ones included as far as they were read: it says what a busy machine's clock does not. */
export class CpuMeter {
  readonly #dataDir: string;
  readonly #first = new Map<number, number>();
  readonly #last = new Map<number, number>();

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.read();
    // Processes that are there already have used some before.
    for (const [pid, ticks] of this.#last) this.#first.set(pid, ticks);
  }

  read(): void {
    for (const pid of findAllProcesses(this.#dataDir)) {
      const ticks = readTicks(pid);
      if (ticks !== undefined) this.#last.set(pid, ticks);
    }
  }

  get seconds(): number {
    const ticks = [...this.#last].reduce((sum, [pid, used]) => sum + used - (this.#first.get(pid) ?? 0), 0);
    return ticks / TICKS_PER_SECOND;
  }
}

/** Undefined: it has ended, or the system does not say. */
function readTicks(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return undefined;
  }
}
