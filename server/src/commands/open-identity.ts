import { createVault } from "../adapters/vault.ts";
import { readMasterKey } from "../embedded/master-key.ts";
import { startEmbedded } from "../embedded/start-embedded.ts";
import { systemClock } from "../ports/clock.ts";
import type { Environment, Identity, Tenant } from "../ports/identity.ts";
import type { Log } from "../ports/log.ts";
import { openDatabase, type Queryable } from "../storage/database.ts";
import { createIdentity } from "../storage/identity.ts";
import { migrateToLatest } from "../storage/migrate.ts";
import { checkMasterKey } from "../storage/tenants.ts";

export interface IdentitySettings {
  dataDir: string;
  /** Undefined: the embedded PostgreSQL under dataDir, shared with a service that runs there, else started for the command. */
  databaseUrl: string | undefined;
  masterKeyFile: string | undefined;
  networkMode: Environment;
}

const POOL_SIZE = 2;

/** Opens the deployment's identities for one piece of work and closes everything again, whether the service runs or not. */
export async function withIdentity<T>(
  settings: IdentitySettings,
  options: {
    log: Log;
    progress: (line: string) => void;
    onTenantCreated?: (transaction: Queryable, tenant: Tenant) => Promise<void>;
  },
  work: (identity: Identity) => Promise<T>,
): Promise<T> {
  const { dataDir, databaseUrl, masterKeyFile, networkMode } = settings;
  const { log, progress, ...hooks } = options;
  const masterKey = readMasterKey({ masterKeyFile, dataDir, production: networkMode === "production" });
  const vault = createVault(masterKey);
  const embedded = await startEmbedded({ dataDir, databaseUrl, supplierSandbox: false, log, progress });
  try {
    const database = openDatabase(embedded.databaseUrl, {
      poolSize: POOL_SIZE,
      onError: (error) => log.warn({ err: error }, "a database connection broke"),
    });
    try {
      await migrateToLatest(embedded.databaseUrl, database);
      await checkMasterKey(database.db, vault);
      const { db, pool } = database;
      const shared = { db, pool, databaseUrl: embedded.databaseUrl, vault, clock: systemClock, networkMode, log };
      const identity = createIdentity({ ...shared, ...hooks });
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
