import type { Log } from "../ports/log.ts";
import { errorText } from "./embedded-error.ts";
import { boundLogFile } from "./log-file.ts";
import type { Part, RunningPart } from "./part.ts";
import { type PartEntry, readParts, writeParts } from "./parts-file.ts";
import { isAlive, ownIdentity } from "./process-identity.ts";

const FIRST_RETRY_MILLISECONDS = 100;
const LONGEST_RETRY_MILLISECONDS = 2_000;

interface KeepPhase {
  /** Parts that must start now: their failure rejects. */
  required: readonly string[];
  mayMovePort: boolean;
}

/** Keeps parts running; exists only in the process with the owner lock. */
export interface PartKeeper {
  /** Opens the wanted parts that are not running, in their order. A failed part that is not required is tried again later. */
  keep(wanted: readonly string[], phase: KeepPhase): Promise<void>;
  /** Stops every part that runs. */
  closeAll(): Promise<void>;
}

/** @param parts in their starting order. */
export const createPartKeeper = (
  dataDir: string,
  parts: readonly Part[],
  log: Log,
  signal: AbortSignal,
): PartKeeper => {
  const owner = ownIdentity();
  // Adoption begins with an earlier owner's records.
  const entries = new Map<string, PartEntry>(
    readParts(dataDir).map((entry) => [entry.name, { ...entry, ready: false }]),
  );
  const retries = new Map<string, { at: number; waitMilliseconds: number }>();
  const save = () => writeParts(dataDir, owner, [...entries.values()]);
  save();

  const set = (name: string, { pid, startTime, port, url }: RunningPart, ready: boolean): void => {
    entries.set(name, { name, pid, startTime, port, url, ready });
    save();
  };

  const open = async (part: Part, mayMovePort: boolean): Promise<void> => {
    const known = entries.get(part.name);
    const started = (process: RunningPart) => set(part.name, process, false);
    const running = await part.open({ known, mayMovePort, started, signal });
    set(part.name, running, true);
    retries.delete(part.name);
  };

  const planRetry = (name: string, error: unknown): void => {
    const before = retries.get(name);
    const waitMilliseconds = Math.min(
      before ? before.waitMilliseconds * 2 : FIRST_RETRY_MILLISECONDS,
      LONGEST_RETRY_MILLISECONDS,
    );
    retries.set(name, { at: performance.now() + waitMilliseconds, waitMilliseconds });
    log.error({ part: name, reason: errorText(error) }, "an embedded part could not be started, trying again");
  };

  /** True if the part runs. */
  const keepOne = async (part: Part, { required, mayMovePort }: KeepPhase): Promise<boolean> => {
    const entry = entries.get(part.name);
    if (entry?.ready && isAlive(entry)) {
      boundLogFile(part.logPath);
      return true;
    }
    if (performance.now() < (retries.get(part.name)?.at ?? 0)) return false;
    if (entry?.ready) log.warn({ part: part.name, partPid: entry.pid }, "an embedded part died and is restarted");
    try {
      await open(part, mayMovePort);
      return true;
    } catch (error) {
      if (required.includes(part.name) || signal.aborted) throw error;
      planRetry(part.name, error);
      return false;
    }
  };

  return {
    async keep(wanted, phase) {
      for (const part of parts) {
        // Later parts depend on earlier ones.
        if (wanted.includes(part.name) && !(await keepOne(part, phase))) return;
      }
    },

    async closeAll() {
      for (const [name, entry] of entries) entries.set(name, { ...entry, ready: false });
      save();
      for (const part of parts.toReversed()) {
        const entry = entries.get(part.name);
        if (!entry) continue;
        await part.close(entry);
        entries.delete(part.name);
        save();
      }
      writeParts(dataDir, null, []);
    },
  };
};
