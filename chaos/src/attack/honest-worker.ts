// Honest clients on a thread of their own, so that what an attacker computes does not count as their time.
import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";
import { callHonestly } from "./honest-call.ts";

const Data = z.object({ appUrl: z.string(), apiKey: z.string(), clients: z.number(), pauseMilliseconds: z.number() });
const { appUrl, apiKey, clients, pauseMilliseconds } = Data.parse(workerData);

let milliseconds: number[] = [];
let refused: string[] = [];

async function work(): Promise<void> {
  for (;;) {
    const begun = performance.now();
    const refusal = await callHonestly(appUrl, apiKey);
    if (refusal !== undefined) refused.push(refusal);
    milliseconds.push(performance.now() - begun);
    await delay(pauseMilliseconds);
  }
}

for (let client = 0; client < clients; client += 1) void work();
parentPort?.on("message", () => {
  parentPort?.postMessage({ milliseconds, refused });
  milliseconds = [];
  refused = [];
});
