import type { Parts } from "./context.ts";

const BATCH = 1_000;

/** Stores the calls that wait in this process. Those that cannot be stored now wait on. */
export async function storeWaitingCalls({
  waitingCalls,
  stores,
}: Pick<Parts, "waitingCalls" | "stores">): Promise<void> {
  for (;;) {
    const calls = waitingCalls.take(BATCH);
    if (calls.length === 0) return;
    try {
      await stores.outsideCalls.add(calls);
    } catch (error) {
      waitingCalls.putBack(calls);
      throw error;
    }
  }
}
