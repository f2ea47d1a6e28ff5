import type { Log } from "../../../ports/log.ts";

export interface GatherWindow {
  /** Starts the window, if none is open. */
  open(): void;
  /** Resolves when nothing is running any more. */
  stop(): Promise<void>;
}

/**
 * Runs `work` once a window after the first `open`, and never while nothing comes. Without `room` it waits, and later items
 * join the same run. Leftovers of a failed run are picked up by the regular job.
 */
export function createGatherWindow(
  windowMilliseconds: number,
  { work, room, log }: { work(): Promise<unknown>; room(): Promise<void>; log: Log },
): GatherWindow {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let isStopped = false;
  let isWaiting = false;

  async function run(): Promise<void> {
    try {
      if (!isStopped) await room();
    } finally {
      isWaiting = false;
    }
    await work();
  }

  function close(): void {
    timer = undefined;
    if (isWaiting) return;
    isWaiting = true;
    running = running
      .then(run)
      .catch((error: unknown) => log.warn({ err: error }, "payments could not be gathered and are found again"));
  }

  return {
    open() {
      if (timer !== undefined || isStopped) return;
      timer = setTimeout(close, windowMilliseconds);
      timer.unref();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
