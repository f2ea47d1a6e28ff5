import { setTimeout as delay } from "node:timers/promises";
import { isDatabaseAway } from "./transient.ts";

/** How long a start waits for a database that became unavailable during it. */
const DATABASE_START_MILLISECONDS = 30_000;
const DATABASE_START_PAUSE_MILLISECONDS = 200;

/** Retries while the database is away, up to a limit. */
export async function whileDatabaseIsAway<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  const begun = performance.now();
  while (true) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() - begun > DATABASE_START_MILLISECONDS) throw error;
      await delay(DATABASE_START_PAUSE_MILLISECONDS, undefined, signal === undefined ? {} : { signal });
    }
  }
}
