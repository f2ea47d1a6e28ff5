/**
 * What arrives while a piece of work is under way is done together in the next: one at a time, however many ask. Each item has an
 * outcome of its own, which may be a failure; when the work itself fails, so do all of them.
 */
export function together<Item, Outcome>(
  work: (items: readonly Item[]) => Promise<readonly PromiseSettledResult<Outcome>[]>,
  mostAtOnce: number,
): (item: Item) => Promise<Outcome> {
  let waiting: { item: Item; resolve(outcome: Outcome): void; reject(error: unknown): void }[] = [];
  let isBusy = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const some = waiting.slice(0, mostAtOnce);
      waiting = waiting.slice(some.length);
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
    isBusy = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isBusy) return;
      isBusy = true;
      // After what this turn of the event loop still brings.
      setImmediate(() => void run());
    });
}

/** One after the other; the failure of one is its own. */
export async function eachByItself<Item, Outcome>(
  items: readonly Item[],
  work: (item: Item) => Promise<Outcome>,
): Promise<readonly PromiseSettledResult<Outcome>[]> {
  const outcomes: PromiseSettledResult<Outcome>[] = [];
  for (const item of items) outcomes.push(...(await Promise.allSettled([work(item)])));
  return outcomes;
}
