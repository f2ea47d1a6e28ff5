import type { Log } from "../ports/log.ts";

export interface GatherWindow {
  /** Something is to be gathered: with everything that comes within the window. */
  open(): void;
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

/**
 * Runs `work` a window after the first of what is to be gathered, and not at all while nothing comes. What a failed run leaves is
 * found by whoever looks for leftovers.
 */
export function createGatherWindow(windowMs: number, work: () => Promise<unknown>, log: Log): GatherWindow {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let isStopped = false;

  function close(): void {
    timer = undefined;
    running = running
      .then(work)
      .catch((error: unknown) => log.warn({ err: error }, "payments could not be gathered and are found again"));
  }

  return {
    open() {
      if (timer !== undefined || isStopped) return;
      timer = setTimeout(close, windowMs);
      timer.unref();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
