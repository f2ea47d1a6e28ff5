import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";
import type { ThreadTask } from "../../ports/threads.ts";
import type { ThreadMessage } from "./thread-pool.ts";

/** A thread of a `ThreadPool`: runs one task at a time, and answers with its output or the text of an error. */
const post = (message: ThreadMessage<unknown>) => parentPort?.postMessage(message);

async function loadTask(module: string): Promise<ThreadTask<unknown, unknown>> {
  const { task }: { task: ThreadTask<unknown, unknown> } = await import(module);
  return task;
}

for (const module of z.array(z.string()).parse(workerData)) await loadTask(module);
post({ isReady: true });

parentPort?.on("message", async ({ module, input }: { module: string; input: unknown }) => {
  try {
    const task = await loadTask(module);
    post({ output: await task.run(input) });
  } catch (error) {
    post({ error: error instanceof Error ? error.message : String(error) });
  }
});
