// A separate thread, as reading a document may block the main one: ends the process if it exceeds its memory limit, if
// the service is gone, or if the service has not ended it in time.
import { workerData } from "node:worker_threads";
import { z } from "zod";
import { OUT_OF_MEMORY_SIGNAL } from "./scan-message.ts";

const LOOK_EVERY_MILLISECONDS = 50;

const { parent, memoryBytes } = z.strictObject({ parent: z.int(), memoryBytes: z.int() }).parse(workerData);

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
  if (process.memoryUsage.rss() > memoryBytes) process.kill(process.pid, OUT_OF_MEMORY_SIGNAL);
}, LOOK_EVERY_MILLISECONDS);
