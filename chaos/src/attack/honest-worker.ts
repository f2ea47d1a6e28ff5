// Honest clients on a thread of their own, so that what an attacker computes does not count as their time.
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";
import { callHonestly } from "./honest-call.ts";

const Data = z.object({
  pid: z.number().optional(),
  appUrl: z.string(),
  apiKey: z.string(),
  clients: z.number(),
  pauseMilliseconds: z.number(),
});
const { pid, appUrl, apiKey, clients, pauseMilliseconds } = Data.parse(workerData);

let milliseconds: number[] = [];
let workedMilliseconds: number[] = [];
let refused: string[] = [];

/** How long the service's own thread has computed in all. Linux tells; elsewhere it is the time that passes. */
function worked(): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

async function work(): Promise<void> {
  for (;;) {
    const [begun, workedBefore] = [performance.now(), worked()];
    const refusal = await callHonestly(appUrl, apiKey);
    if (refusal !== undefined) refused.push(refusal);
    milliseconds.push(performance.now() - begun);
    workedMilliseconds.push(worked() - workedBefore);
    await delay(pauseMilliseconds);
  }
}

for (let client = 0; client < clients; client += 1) void work();
parentPort?.on("message", () => {
  parentPort?.postMessage({ milliseconds, workedMilliseconds, refused });
  milliseconds = [];
  workedMilliseconds = [];
  refused = [];
});
