import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../ports/log.ts";

/** Runs `work` again and again, `pauseMilliseconds` after it ended. A failure is logged once until it works again. */
export function repeat(
  name: string,
  pauseMilliseconds: number,
  work: () => Promise<unknown>,
  log: Log,
): () => Promise<void> {
  const stopping = new AbortController();
  async function run(): Promise<void> {
    let failing = false;
    while (!stopping.signal.aborted) {
      try {
        await work();
        failing = false;
      } catch (error) {
        if (!failing) log.warn({ err: error, job: name }, "a job failed and will be tried again");
        failing = true;
      }
      await delay(pauseMilliseconds, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }
  const running = run();
  return () => {
    stopping.abort();
    return running;
  };
}
