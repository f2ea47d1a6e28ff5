/** Ends the work inside a transaction, so that it is rolled back as if the connection had gone. */
class Died extends Error {}

/**
 * Stands for `kill -9`, also inside a transaction: at its `deathAt`-th step, before it is done or after, a worker is gone, and nothing
 * that it asks for is ever done or answered. A step is one request to another system, one statement of the database, or the end of a
 * transaction. A sign of life is none, as it comes when time has passed, and neither is the description of a queue, which asks nobody.
 */
export function mortalWorker(deathAt: number, when: "before" | "after") {
  let count = 0;
  let isDead = false;
  const { promise: death, resolve: bury } = Promise.withResolvers<void>();
  const never = new Promise<never>(() => undefined);

  async function step(work: () => unknown, inTransaction: boolean): Promise<unknown> {
    if (isDead) return never;
    count += 1;
    const isLast = count === deathAt;
    const die = (): Promise<never> => {
      isDead = true;
      if (inTransaction) throw new Died();
      bury();
      return never;
    };
    if (isLast && when === "before") return die();
    let result: unknown;
    try {
      result = await work();
    } catch (error) {
      if (!(error instanceof Died) || inTransaction) throw error;
      bury();
      return never;
    }
    return isLast ? die() : result;
  }

  function wrap<T extends object>(target: T, inTransaction = false): T {
    return new Proxy(target, {
      get(object, key) {
        const value: unknown = Reflect.get(object, key);
        if (typeof value === "object" && value !== null) return wrap(value, inTransaction);
        if (typeof value !== "function") return value;
        const call = (args: unknown[]): unknown => Reflect.apply(value, object, args);
        if (key === "queue") return (...args: unknown[]) => call(args);
        if (key === "touch") return (...args: unknown[]) => (isDead ? never : call(args));
        if (key !== "transaction") return (...args: unknown[]) => step(() => call(args), inTransaction);
        return (work: (aggregates: object) => unknown) =>
          step(() => call([(aggregates: object) => work(wrap(aggregates, true))]), false);
      },
    });
  }

  return { wrap, steps: () => count, death };
}
