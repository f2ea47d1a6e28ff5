import { getPriority } from "node:os";
import { threadId } from "node:worker_threads";
import type { ThreadTask } from "../../src/ports/threads.ts";

/** The work of the tests of the threads. A gate keeps its task running until it is opened. */
export type Work =
  | "answer"
  | "tell the priority"
  | "fail"
  | "end the thread"
  | "use up memory"
  | { gate: Int32Array<SharedArrayBuffer> };

export const task: ThreadTask<Work, number> = {
  module: import.meta.url,
  run(work) {
    if (work === "tell the priority") return getPriority();
    if (work === "fail") throw new Error("it failed");
    if (work === "end the thread") process.exit(1);
    if (work === "use up memory") {
      const kept: string[][] = [];
      for (;;) kept.push(Array.from({ length: 100_000 }, (_, index) => `${kept.length} ${index}`));
    }
    if (typeof work === "object") Atomics.wait(work.gate, 0, 0);
    return threadId;
  },
};
