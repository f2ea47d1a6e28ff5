import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { createDuffel } from "../../server/src/adapters/duffel/index.ts";
import { task as bestView } from "../../server/src/modules/flights/searching/best-view.ts";
import { createHttpClient } from "../../server/src/platform/http-client/http-client.ts";
import { ThreadPool } from "../../server/src/platform/threads/thread-pool.ts";
import { systemClock } from "../../server/src/ports/clock.ts";
import type { Threads } from "../../server/src/ports/threads.ts";
import { inPlaceThreads } from "../../server/test/support/in-place-threads.ts";

const SEARCHES = 20;
const WARM_UP = 5;
/** While nothing runs: what the machine itself delays. */
const QUIET_MILLISECONDS = 2_000;

const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined };
const query = {
  origin: "LHR",
  destination: "JFK",
  departureDate: "2026-12-20",
  cabinClass: "economy" as const,
  passengers: [{ loyaltyAccounts: [] }],
  privateFares: {},
  airlineCreditIds: [],
};

export interface LoopDelay {
  p99: number;
  longest: number;
  /** CPU of the thread of the event loop for one search, in many short tasks. */
  cpu: number;
}

/** How long the event loop stands still, in milliseconds: without work, with searches in place, and with searches in threads. */
export async function measureLoop(baseUrl: string): Promise<Record<"quiet" | "inPlace" | "inThreads", LoopDelay>> {
  const pool = new ThreadPool({ log: silentLog, failure: (reason) => new Error(reason) });
  const http = createHttpClient();
  try {
    const search = (threads: Threads) => {
      const { flights } = createDuffel({
        baseUrl,
        token: "bench",
        sandbox: true,
        sourceLevel: "embedded",
        clock: systemClock,
        log: silentLog,
        http,
        threads,
      });
      const ask = { cabinClass: query.cabinClass, notApplied: [], isKept: true, isPrivate: true, most: 3 };
      return () => flights.digestOffers(query, bestView, ask, { owner: "bench" });
    };
    const quiet = await watchLoop(() => delay(QUIET_MILLISECONDS));
    return { quiet, inPlace: await searches(search(inPlaceThreads)), inThreads: await searches(search(pool)) };
  } finally {
    http.close();
    await pool.close();
  }
}

async function searches(search: () => Promise<unknown>): Promise<LoopDelay> {
  for (let index = 0; index < WARM_UP; index += 1) await search();
  return await watchLoop(async () => {
    for (let index = 0; index < SEARCHES; index += 1) await search();
  });
}

async function watchLoop(work: () => Promise<unknown>): Promise<LoopDelay> {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  const before = process.threadCpuUsage();
  loop.enable();
  await work();
  loop.disable();
  const { user, system } = process.threadCpuUsage(before);
  return { p99: loop.percentile(99) / 1e6, longest: loop.max / 1e6, cpu: (user + system) / 1_000 / SEARCHES };
}
