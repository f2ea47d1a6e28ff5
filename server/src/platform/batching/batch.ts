import {
  currentSubject,
  currentTraceId,
  inTrace,
  sharedSubject,
  sharedTraceId,
  type TraceSubject,
} from "../../domain/trace.ts";

export interface BatchOptions {
  /** The most items of a batch. Default: all that wait. */
  maximum?: number;
  /**
   * False: one batch at a time, and items that arrive meanwhile are in the next, so that it sees everything that existed when
   * they were submitted. True: items that arrive in one turn of the event loop start at once, in parallel with other batches.
   */
  inParallel?: boolean;
}

/**
 * Coalesces concurrent requests into one statement or request. No item waits for others to come: work begins after the current
 * turn of the event loop.
 * `work` answers in the order of its items. Each item has its own outcome, which may be a failure; if the work itself fails,
 * all items fail. For durable writes with retries see `group-commit.ts`.
 */
export function batch<Item, Outcome>(
  work: (items: readonly Item[]) => Promise<readonly PromiseSettledResult<Outcome>[]>,
  { maximum = Number.POSITIVE_INFINITY, inParallel = false }: BatchOptions = {},
): (item: Item) => Promise<Outcome> {
  let waiting: Waiting<Item, Outcome>[] = [];
  let isBusy = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const some = waiting.slice(0, maximum);
      waiting = waiting.slice(some.length);
      const done = inTrace(sharedTraceId(some), () => doAll(work, some), sharedSubject(some));
      if (!inParallel) await done;
    }
    isBusy = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, traceId: currentTraceId(), subject: currentSubject(), resolve, reject });
      if (isBusy) return;
      isBusy = true;
      setImmediate(() => void run());
    });
}

interface Waiting<Item, Outcome> {
  item: Item;
  traceId: string | undefined;
  subject: TraceSubject | undefined;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** Never rejects: the outcome goes to the waiters. */
async function doAll<Item, Outcome>(
  work: (items: readonly Item[]) => Promise<readonly PromiseSettledResult<Outcome>[]>,
  some: readonly Waiting<Item, Outcome>[],
): Promise<void> {
  try {
    const outcomes = await work(some.map(({ item }) => item));
    for (const [index, { resolve, reject }] of some.entries()) {
      const outcome = outcomes[index];
      if (outcome?.status === "fulfilled") resolve(outcome.value);
      else reject(outcome?.reason ?? new Error("The work answered for fewer items than it was given."));
    }
  } catch (error) {
    for (const { reject } of some) reject(error);
  }
}

/** Batches look-ups by key; concurrent look-ups of the same key share the answer. Undefined: there is no such row. */
export function batchLookUps<Row>(
  lookUp: (keys: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
): (key: string) => Promise<Row | undefined> {
  let waiting = new Map<string, Promise<Row | undefined>>();
  const ask = batch<string, Row | undefined>(async (keys) => {
    // Later look-ups are asked anew.
    waiting = new Map();
    const rows = await lookUp(keys);
    return keys.map((key) => ({ status: "fulfilled", value: rows.get(key) }));
  });
  return (key) => {
    const shared = waiting.get(key);
    if (shared !== undefined) return shared;
    const answer = ask(key);
    waiting.set(key, answer);
    return answer;
  };
}

/** Runs one item after the other; each fails on its own. */
export async function settleOneByOne<Item, Outcome>(
  items: readonly Item[],
  work: (item: Item) => Promise<Outcome>,
): Promise<readonly PromiseSettledResult<Outcome>[]> {
  const outcomes: PromiseSettledResult<Outcome>[] = [];
  for (const item of items) outcomes.push(...(await Promise.allSettled([work(item)])));
  return outcomes;
}
