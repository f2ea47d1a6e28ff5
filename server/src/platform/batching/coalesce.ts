/**
 * Look-ups that arrive while one is under way are put together into the next: one statement at a time, however many callers.
 * Each answer was read after its caller asked.
 */
export function coalesce<Row>(
  lookUp: (keys: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
): (key: string) => Promise<Row | undefined> {
  let waiting = new Map<
    string,
    { answer: Promise<Row | undefined>; settle(rows: ReadonlyMap<string, Row>): void; fail(error: unknown): void }
  >();
  let busy = false;

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      const batch = waiting;
      waiting = new Map();
      try {
        const rows = await lookUp([...batch.keys()]);
        for (const { settle } of batch.values()) settle(rows);
      } catch (error) {
        for (const { fail } of batch.values()) fail(error);
      }
    }
    busy = false;
  }

  return (key) => {
    const shared = waiting.get(key);
    if (shared !== undefined) return shared.answer;
    const { promise, resolve, reject } = Promise.withResolvers<Row | undefined>();
    waiting.set(key, { answer: promise, settle: (rows) => resolve(rows.get(key)), fail: reject });
    if (!busy) {
      busy = true;
      // After what this turn of the event loop still brings.
      setImmediate(() => void run());
    }
    return promise;
  };
}
