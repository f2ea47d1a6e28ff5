import { createApp } from "./app.ts";
import { createClock } from "./clock.ts";
import { CLOCK_OFFSET_KEY } from "./control/routes.ts";
import { createScenarios } from "./control/scenarios.ts";
import { setCurrencies } from "./currencies.ts";
import { seedRandomCodes } from "./hash.ts";
import { HeldRequests } from "./http/held-requests.ts";
import { RateLimit } from "./http/rate-limit.ts";
import { RecordedRequests } from "./http/recorded-requests.ts";
import { listen } from "./http/server.ts";
import { createNetwork } from "./inventory/network.ts";
import { rehearseSearch } from "./offers/rehearse-search.ts";
import { createOfferStore } from "./offers/store.ts";
import { openAccount } from "./orders/balance.ts";
import type { Sandbox } from "./sandbox.ts";
import type { Settings } from "./settings.ts";
import { createTables, type Database, isDatabaseUnavailable, openDatabase } from "./storage/database.ts";
import { schedulePruning, startWorkers } from "./workers.ts";

export type RunningSandbox = { readonly port: number; stop(): Promise<void> };

const DATABASE_RETRY_MS = 200;
const DATABASE_PATIENCE_MS = 30_000;
/** By then the service beside it is ready, whose start needs the processor, and short-lived processes have ended. */
const REHEARSE_AFTER_MS = 3_000;

/** Started beside its database, the sandbox may be the first of the two. */
async function prepareDatabase(db: Database, nowMs: () => number): Promise<number> {
  const giveUpMs = performance.now() + DATABASE_PATIENCE_MS;
  for (;;) {
    try {
      await createTables(db);
      await db.transaction(async (tx) => {
        await openAccount(tx, nowMs());
        await schedulePruning(tx, nowMs());
      });
      const { rows } = await db.query<{ value: string }>("SELECT value FROM settings WHERE key = $1", [
        CLOCK_OFFSET_KEY,
      ]);
      return Number(rows[0]?.value ?? 0);
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() > giveUpMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, DATABASE_RETRY_MS));
    }
  }
}

export async function startSandbox(settings: Settings): Promise<RunningSandbox> {
  const { standStillAt, randomSeed } = settings;
  setCurrencies(settings.currency, settings.staysIn);
  if (randomSeed !== undefined) seedRandomCodes(randomSeed);
  const stoodStillMs = standStillAt === undefined ? undefined : Date.parse(standStillAt);
  const clock = createClock(stoodStillMs === undefined ? undefined : () => stoodStillMs);
  const db = openDatabase(settings.databaseUrl);
  clock.moveTo(await prepareDatabase(db, clock.nowMs));
  const workers = startWorkers(db, clock);
  const scenarios = createScenarios(db);
  await scenarios.load();
  const sandbox: Sandbox = {
    db,
    clock,
    seed: settings.seed,
    network: createNetwork(settings.seed),
    wake: workers.wake,
  };
  const limits = new RateLimit(clock);
  const held = new HeldRequests();
  const recorded = new RecordedRequests();
  const app = createApp(sandbox, {
    offers: createOfferStore(sandbox),
    scenarios,
    workers,
    limits,
    held,
    recorded,
    token: settings.token,
  });
  const server = await listen(app, { scenarios, clock, limits, held, recorded }, settings);
  // After a rehearsal that failed, the first search takes as long as without one.
  const rehearsal = setTimeout(() => void rehearseSearch(sandbox).catch(() => {}), REHEARSE_AFTER_MS).unref();
  return {
    port: server.port,
    async stop() {
      clearTimeout(rehearsal);
      await server.close();
      clock.close();
      await workers.stop();
      await db.close();
    },
  };
}
