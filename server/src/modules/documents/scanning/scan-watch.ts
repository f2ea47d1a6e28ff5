// A thread beside the reading of a document, which may keep its own thread busy for as long as it takes: ends the process when it needs
// too much memory, when the service that started it is gone, or when that has not ended it in time.
import { workerData } from "node:worker_threads";
import { z } from "zod";
import { OUT_OF_MEMORY_SIGNAL } from "./scan-message.ts";

const LOOK_EVERY_MILLISECONDS = 50;

const { parent, memoryBytes } = z.strictObject({ parent: z.int(), memoryBytes: z.int() }).parse(workerData);

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
  if (process.memoryUsage.rss() > memoryBytes) process.kill(process.pid, OUT_OF_MEMORY_SIGNAL);
}, LOOK_EVERY_MILLISECONDS);
