import { setPriority } from "node:os";
import { setImmediate } from "node:timers/promises";
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

/** Below the event loop's, so that short calls do not wait for the processor until a large job has had its share. */
const NICENESS = 5;
// Only Linux gives each thread a priority of its own; elsewhere this would be the whole process's.
if (process.platform === "linux") setPriority(NICENESS);

const modules = z.array(z.string()).parse(workerData);
for (const module of modules) await loadTask(module);
post({ isReady: true });

parentPort?.on("message", async ({ module, input }: { module: string; input: unknown }) => {
  try {
    const task = await loadTask(module);
    post({ output: await task.run(input) });
  } catch (error) {
    post({ error: error instanceof Error ? error.message : String(error) });
  }
});

for (const module of modules) {
  await (await loadTask(module)).rehearse?.().catch(() => undefined);
  // Jobs that came meanwhile go first.
  await setImmediate();
}
