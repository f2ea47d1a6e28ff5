import type { Log } from "../../../ports/log.ts";

export interface GatherWindow<Item> {
  /** Puts something into the window, and starts one if none is open. */
  add(item: Item): void;
  /** Resolves when nothing is running any more. */
  stop(): Promise<void>;
}

/**
 * Runs `work` once a window after the first item, and never while nothing comes. Without `room` it waits, and later items
 * join the same run. Items of a failed run are picked up by the regular job.
 */
export function createGatherWindow<Item>(
  windowMilliseconds: number,
  { work, room, log }: { work(items: readonly Item[]): Promise<unknown>; room(): Promise<void>; log: Log },
): GatherWindow<Item> {
  let waiting: Item[] = [];
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
    const items = waiting;
    waiting = [];
    if (items.length > 0) await work(items);
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
    add(item) {
      if (isStopped) return;
      waiting.push(item);
      if (timer !== undefined) return;
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
