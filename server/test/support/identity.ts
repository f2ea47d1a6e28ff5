import { randomBytes } from "node:crypto";
import { createVault } from "../../src/adapters/vault.ts";
import { createIdentity, type IdentityOptions } from "../../src/modules/identity/identity.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { createMigratedDatabase } from "./test-database.ts";

export interface ManualClock extends Clock {
  advance(duration: Temporal.DurationLike): void;
}

export function createManualClock(start = "2026-11-20T12:00:00Z"): ManualClock {
  let now = Temporal.Instant.from(start);
  return {
    now: () => now,
    advance(duration) {
      now = now.add(duration);
    },
  };
}

export const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A migrated database of its own, and any number of identities over it, as of several service processes. */
export async function openTestIdentities() {
  const testDatabase = await createMigratedDatabase();
  // Many who ask at once wait for one of the few connections, and on a machine that stands still for longer than a caller would.
  const options = { poolSize: 4, onError: () => undefined, connectionPatienceMilliseconds: 120_000 };
  const database = openDatabase(testDatabase.url, options);
  const { db, pool } = database;
  const clock = createManualClock();
  const masterKey = randomBytes(32);
  const vault = createVault(masterKey);
  const opened: { close(): Promise<void> }[] = [];
  return {
    db,
    pool,
    clock,
    vault,
    masterKey,
    networkMode: "sandbox" as const,
    url: testDatabase.url,
    open(options: Partial<IdentityOptions> = {}) {
      const defaults = { db, pool, databaseUrl: testDatabase.url, vault, clock, log: silentLog };
      const identity = createIdentity({ ...defaults, networkMode: "sandbox", ...options });
      opened.push(identity);
      return identity;
    },
    async close() {
      for (const identity of opened) await identity.close();
      await database.close();
      await testDatabase.drop();
    },
  };
}

export type TestIdentities = Awaited<ReturnType<typeof openTestIdentities>>;
