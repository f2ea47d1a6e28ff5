import { setTimeout as delay } from "node:timers/promises";

/** Waits for a condition that another process brings about; the test's own time limit is the only clock. */
export const until = async <Value>(read: () => Promise<Value | undefined> | Value | undefined): Promise<Value> => {
  for (;;) {
    const value = await Promise.resolve()
      .then(read)
      .catch(() => undefined);
    if (value !== undefined && value !== false) return value;
    await delay(25);
  }
};
