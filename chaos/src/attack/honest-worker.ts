// Honest clients on a thread of their own, so that what an attacker computes does not count as their time.
import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";
import { callHonestly } from "./honest-call.ts";

const Data = z.object({ appUrl: z.string(), apiKey: z.string() });
const { appUrl, apiKey } = Data.parse(workerData);
const CLIENTS = 4;
const PAUSE_MILLISECONDS = 20;

let milliseconds: number[] = [];
let refused: string[] = [];
let stopped = false;

async function work(): Promise<void> {
  while (!stopped) {
    const begun = performance.now();
    const refusal = await callHonestly(appUrl, apiKey);
    if (refusal !== undefined) refused.push(refusal);
    milliseconds.push(performance.now() - begun);
    await delay(PAUSE_MILLISECONDS);
  }
}

const working = Array.from({ length: CLIENTS }, work);
parentPort?.on("message", async (asked) => {
  if (asked === "stop") {
    stopped = true;
    await Promise.all(working);
    parentPort?.close();
    return;
  }
  parentPort?.postMessage({ milliseconds, refused });
  milliseconds = [];
  refused = [];
});
