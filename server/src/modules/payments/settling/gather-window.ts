import type { Log } from "../../../ports/log.ts";

export interface GatherWindow {
  /** Something is to be gathered: with everything that comes within the window. */
  open(): void;
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

/**
 * Runs `work` a window after the first of what is to be gathered, and not at all while nothing comes. Where there is no `room` for
 * it by then it waits, and what comes meanwhile is gathered by the same run. What a failed run leaves is found by whoever looks
 * for leftovers.
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
