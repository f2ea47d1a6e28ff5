import { createVault } from "./adapters/vault.ts";
import type { Config } from "./config.ts";
import { readMasterKey } from "./embedded/master-key.ts";
import { startEmbedded } from "./embedded/start-embedded.ts";
import { type Clock, systemClock } from "./ports/clock.ts";
import type { Identity, Tenant } from "./ports/identity.ts";
import type { Log } from "./ports/log.ts";
import { openDatabase, type Queryable } from "./storage/database.ts";
import { createIdentity } from "./storage/identity.ts";
import { createLedger } from "./storage/ledger.ts";
import { migrateToLatest } from "./storage/migrate.ts";
import { checkMasterKey } from "./storage/tenants.ts";

const POOL_SIZE = 2;

/** What a new tenant gets with its first key: a sandbox balance to try everything with. Its live balance begins at nothing. */
export function equipTenant(
  config: Pick<Config, "sandboxBalanceUsdc">,
  clock: Clock,
): (transaction: Queryable, tenant: Tenant) => Promise<void> {
  return async (transaction, tenant) => {
    const amount = config.sandboxBalanceUsdc;
    if (amount === 0n) return;
    const account = { tenantId: tenant.id, network: "sandbox" } as const;
    await createLedger(transaction, clock).deposit(account, amount, `sandbox-balance:${tenant.id}`);
  };
}

/**
 * The part of the composition root that the operator's commands need: opens the deployment's identities for one piece of work
 * and closes everything again, whether the service runs or not. With the embedded database that one is shared with a service
 * that runs there, else started for the command and stopped after it.
 */
export async function withIdentity<Result>(
  config: Config,
  options: { log: Log; progress: (line: string) => void },
  work: (identity: Identity) => Promise<Result>,
): Promise<Result> {
  const { dataDir, masterKeyFile, networkMode } = config;
  const { log, progress } = options;
  const clock = systemClock;
  const vault = createVault(readMasterKey({ masterKeyFile, dataDir, production: networkMode === "production" }));
  const embedded = await startEmbedded({
    dataDir,
    databaseUrl: config.databaseUrl,
    supplierSandbox: false,
    log,
    progress,
  });
  try {
    const { databaseUrl } = embedded;
    const database = openDatabase(databaseUrl, {
      poolSize: POOL_SIZE,
      onError: (error) => log.warn({ err: error }, "a database connection broke"),
    });
    try {
      await migrateToLatest(databaseUrl, database);
      const { db, pool } = database;
      await checkMasterKey(db, vault);
      const onTenantCreated = equipTenant(config, clock);
      const identity = createIdentity({ db, pool, databaseUrl, vault, clock, networkMode, log, onTenantCreated });
      try {
        return await work(identity);
      } finally {
        await identity.close();
      }
    } finally {
      await database.close();
    }
  } finally {
    await embedded.stop();
  }
}
