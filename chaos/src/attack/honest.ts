import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { callHonestly } from "./honest-call.ts";
import type { Target } from "./target.ts";

const Work = z.object({
  milliseconds: z.array(z.number()),
  workedMilliseconds: z.array(z.number()),
  refused: z.array(z.string()),
});

/** The experience of honest clients. */
export interface HonestWork {
  calls: number;
  p99Milliseconds: number;
  /** The service's CPU time while such a call waited, which other programs on the machine do not affect. */
  p99WorkedMilliseconds: number;
  refused: readonly string[];
}

/** Clients in good order, who go on while others attack. */
export class HonestClients {
  readonly #worker: Worker;

  /** `few`: no more than it takes to see that they are served. */
  constructor({ urls, apiKey, pid }: Target, few: boolean) {
    this.#worker = new Worker(new URL("./honest-worker.ts", import.meta.url), {
      workerData: { pid, appUrl: urls.app, apiKey, clients: few ? 1 : 4, pauseMilliseconds: few ? 50 : 20 },
    });
  }

  /** The results since the last call of this, of at least `least` calls. */
  async take(least: number): Promise<HonestWork> {
    const milliseconds: number[] = [];
    const worked: number[] = [];
    const refused: string[] = [];
    for (;;) {
      const answer = once(this.#worker, "message");
      this.#worker.postMessage("take");
      const work = Work.parse((await answer)[0]);
      milliseconds.push(...work.milliseconds);
      worked.push(...work.workedMilliseconds);
      refused.push(...work.refused);
      if (milliseconds.length >= least) break;
      await delay(20);
    }
    return {
      calls: milliseconds.length,
      p99Milliseconds: p99(milliseconds),
      p99WorkedMilliseconds: p99(worked),
      refused,
    };
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}

function p99(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
}

/** As many honest calls as an attacker made, in as much time, or as many as are served. */
export async function workEqually({ urls, apiKey }: Target, calls: number, milliseconds: number): Promise<void> {
  const deadline = performance.now() + milliseconds;
  let left = calls;
  async function work(): Promise<void> {
    while (left > 0 && performance.now() < deadline) {
      left -= 1;
      await callHonestly(urls.app, apiKey);
    }
  }
  await Promise.all(Array.from({ length: Math.min(32, calls) }, work));
  await delay(Math.max(0, deadline - performance.now()));
}
