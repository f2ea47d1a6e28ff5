import type { StoresOf } from "../../src/kernel/contracts/stores.ts";

/**
 * Stands for `kill -9`: after `deathAt` steps nothing that the worker asks for is ever done or answered. A step is one request to a
 * supplier, one statement or one transaction; it is cut off before it happens or after it has. A worker's sign of life is none: it
 * comes when time has passed, and would be counted on a slow machine only.
 */
export function dyingProcess(deathAt: number, when: "before" | "after") {
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
  async function run(work: () => unknown): Promise<unknown> {
    if (dying) return dead;
    step += 1;
    dying = step === deathAt;
    if (!dying) return begin(work);
    if (when === "after") await work();
    // Requests made before are done, although nobody hears of it.
    await Promise.allSettled(underWay);
    die();
    return dead;
  }
  function mortal<T extends object>(target: T): T {
    return new Proxy(target, {
      get(object, key) {
        const value: unknown = Reflect.get(object, key);
        if (typeof value !== "function" || key === "provenance") return value;
        const work = (args: unknown[]) => () => Reflect.apply(value, object, args);
        if (key === "touch") return (...args: unknown[]) => (dying ? dead : begin(work(args)));
        return (...args: unknown[]) => run(work(args));
      },
    });
  }
  /** Wraps every aggregate separately; everything in a transaction is one step. */
  function mortalStores<Some extends Pick<StoresOf<never>, "transaction">>(stores: Some): Some {
    const { transaction, ...aggregates } = stores;
    const parts = new Map(
      Object.entries(aggregates).flatMap(([name, aggregate]) =>
        typeof aggregate === "object" && aggregate !== null ? [[name, mortal(aggregate)] as const] : [],
      ),
    );
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
