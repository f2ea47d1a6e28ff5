import { currentTraceId, inTrace, sharedTraceId } from "../../domain/trace.ts";

export interface BatchOptions {
  /** So many items are done by one piece of work. Left out: all that wait. */
  maximum?: number;
  /**
   * False: one piece of work at a time, and what arrives meanwhile is done by the next, so that it sees everything that was there
   * when it was asked for. True: what arrives in one turn of the event loop is done at once, beside whatever is under way.
   */
  inParallel?: boolean;
}

/**
 * Does together what many ask for at the same time: one statement, or one request, instead of one each. Nobody waits for others to
 * come: work begins when this turn of the event loop has brought what it brings.
 *
 * `work` answers in the order of its items. Each item has an outcome of its own, which may be a failure; when the work itself
 * fails, so do all of them. For durable writes that are tried again see `group-commit.ts`.
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
      const done = inTrace(sharedTraceId(some), () => doAll(work, some));
      if (!inParallel) await done;
    }
    isBusy = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, traceId: currentTraceId(), resolve, reject });
      if (isBusy) return;
      isBusy = true;
      setImmediate(() => void run());
    });
}

interface Waiting<Item, Outcome> {
  item: Item;
  traceId: string | undefined;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** Never rejects: those who wait are told. */
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

/** A batch of look-ups by key; who asks for the same key at the same time shares the answer. Undefined: there is no such row. */
export function batchLookUps<Row>(
  lookUp: (keys: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
): (key: string) => Promise<Row | undefined> {
  let waiting = new Map<string, Promise<Row | undefined>>();
  const ask = batch<string, Row | undefined>(async (keys) => {
    // Who asks from now on asks anew.
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

/** One after the other; the failure of one is its own. */
export async function settleOneByOne<Item, Outcome>(
  items: readonly Item[],
  work: (item: Item) => Promise<Outcome>,
): Promise<readonly PromiseSettledResult<Outcome>[]> {
  const outcomes: PromiseSettledResult<Outcome>[] = [];
  for (const item of items) outcomes.push(...(await Promise.allSettled([work(item)])));
  return outcomes;
}
