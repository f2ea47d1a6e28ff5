import { inTrace } from "../../domain/trace.ts";

/**
 * Durable writes by group commit: one flush at a time, and everything that arrives meanwhile is the next batch. There is no
 * timer, so an idle service adds no wait. A waiter is answered only after its batch is committed.
 */
export interface GroupCommit<Item, Outcome> {
  submit(item: Item): Promise<Outcome>;
  /** Resolves when nothing waits and nothing is in flight. */
  idle(): Promise<void>;
}

export interface GroupCommitOptions<Item, Outcome> {
  /** Writes the batch in one transaction and answers in its order. Must be safe to repeat with the same items. */
  flush(items: readonly Item[]): Promise<readonly Outcome[]>;
  maximumBatch: number;
  /** True: the server was away or asks for a retry; the whole batch is repeated. False: a row is bad. */
  isTransient(error: unknown): boolean;
  /** How long a batch is retried before its waiters fail. */
  retryMilliseconds: number;
  /** True: after that the waiters fail, but the rows are retried until they are written. */
  neverGiveUp?: boolean;
  pause(milliseconds: number): Promise<void>;
}

const RETRY_PAUSE_MILLISECONDS = 100;

interface Waiting<Item, Outcome> {
  item: Item;
  since: number;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

export function createGroupCommit<Item, Outcome>(
  options: GroupCommitOptions<Item, Outcome>,
): GroupCommit<Item, Outcome> {
  let queue: Waiting<Item, Outcome>[] = [];
  let flushing = false;
  let idleWaiters: (() => void)[] = [];

  async function run(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, options.maximumBatch);
      queue = queue.slice(batch.length);
      await settle(batch);
    }
    flushing = false;
    for (const resolve of idleWaiters) resolve();
    idleWaiters = [];
  }

  /** A row that the server refuses must not fail the others: the batch is halved until the bad row is alone. */
  async function settle(batch: readonly Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await flushWithRetry(batch);
      for (const [index, waiting] of batch.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined) waiting.reject(new Error("The flush answered for fewer rows than it was given."));
        else waiting.resolve(outcome);
      }
    } catch (error) {
      if (batch.length === 1 || options.isTransient(error)) {
        for (const waiting of batch) waiting.reject(error);
        return;
      }
      const middle = Math.ceil(batch.length / 2);
      await settle(batch.slice(0, middle));
      await settle(batch.slice(middle));
    }
  }

  async function flushWithRetry(batch: readonly Waiting<Item, Outcome>[]): Promise<readonly Outcome[]> {
    const items = batch.map(({ item }) => item);
    const begun = performance.now();
    while (true) {
      try {
        return await options.flush(items);
      } catch (error) {
        const now = performance.now();
        if (!options.isTransient(error)) throw error;
        if (now - begun > options.retryMilliseconds) {
          if (options.neverGiveUp !== true) throw error;
          // Later items wait for the batch as well.
          for (const waiting of [...batch, ...queue]) {
            if (now - waiting.since > options.retryMilliseconds) waiting.reject(error);
          }
        }
        await options.pause(RETRY_PAUSE_MILLISECONDS);
      }
    }
  }

  return {
    submit: (item) =>
      new Promise((resolve, reject) => {
        queue.push({ item, since: performance.now(), resolve, reject });
        if (flushing) return;
        flushing = true;
        // Runs at the end of this turn of the event loop, which usually brings calls that were answered together.
        setImmediate(() => void inTrace(undefined, run));
      }),
    idle: () => (flushing ? new Promise((resolve) => idleWaiters.push(resolve)) : Promise.resolve()),
  };
}
