import type { Stores } from "../../src/ports/stores.ts";

/**
 * Stands for `kill -9`: after `deathAt` steps nothing that the worker asks for is ever done or answered. A step is one request to a
 * supplier, one statement or one transaction; it is cut off before it happens or after it has. For a moment that steps cannot be
 * counted to, as some are taken when time has passed, `deathAt` asks whether it has come: then one step is taken after the other.
 */
export function dyingProcess(deathAt: number | (() => Promise<boolean>), when: "before" | "after") {
  let step = 0;
  let dying = false;
  const { promise: death, resolve: die } = Promise.withResolvers<void>();
  const dead = new Promise<never>(() => undefined);
  const underWay = new Set<Promise<unknown>>();
  function begin(work: () => unknown): unknown {
    const result = work();
    if (!(result instanceof Promise)) return result;
    const end = () => underWay.delete(result);
    underWay.add(result);
    result.then(end, end);
    return result;
  }
  let last: Promise<unknown> = Promise.resolve();
  async function run(work: () => unknown): Promise<unknown> {
    if (dying) return dead;
    step += 1;
    if (typeof deathAt === "function") {
      const own = last.then(() => runAlone(work, deathAt));
      last = own.catch(() => undefined);
      return await own;
    }
    dying = step === deathAt;
    if (!dying) return begin(work);
    if (when === "after") await work();
    // What was asked for before is done, although nobody hears of it.
    await Promise.allSettled(underWay);
    die();
    return dead;
  }
  async function runAlone(work: () => unknown, isTime: () => Promise<boolean>): Promise<unknown> {
    if (dying) return dead;
    dying = when === "before" && (await isTime());
    const result = dying ? undefined : await work();
    dying ||= when === "after" && (await isTime());
    if (!dying) return result;
    die();
    return dead;
  }
  function mortal<T extends object>(target: T): T {
    return new Proxy(target, {
      get(object, key) {
        const value: unknown = Reflect.get(object, key);
        if (typeof value !== "function" || key === "provenance") return value;
        return (...args: unknown[]) => run(() => Reflect.apply(value, object, args));
      },
    });
  }
  /** Every aggregate of its own; what runs in a transaction is one step. */
  function mortalStores(stores: Stores): Stores {
    const { transaction, ...aggregates } = stores;
    const parts = new Map(Object.entries(aggregates).map(([name, aggregate]) => [name, mortal(aggregate)]));
    const mortalTransaction = mortal({ transaction }).transaction;
    return new Proxy(stores, {
      get: (object, key) =>
        key === "transaction" ? mortalTransaction : (parts.get(String(key)) ?? Reflect.get(object, key)),
    });
  }
  return {
    mortal,
    mortalStores,
    steps: () => step,
    /** Settles when it is over, with everything that the last steps did. */
    death,
  };
}
