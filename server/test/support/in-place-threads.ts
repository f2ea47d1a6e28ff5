import type { Threads } from "../../src/ports/threads.ts";

/** Runs every task where it is asked for. */
export const inPlaceThreads: Threads = {
  run: async (task, { input }) => await task.run(input),
  prepare: () => undefined,
};
