import type { Pool } from "pg";
import { z } from "zod";
import type { Config } from "../config/config.ts";
import { createStores, createTenantCreated, schema } from "../contributions.ts";
import { type Embedded, startEmbedded } from "../embedded/start-embedded.ts";
import type { Stores } from "../kernel/contracts/whole.ts";
import { quickstartPath } from "../modules/demo/first-run.ts";
import { createIdentity } from "../modules/identity/identity.ts";
import { SignInLinks } from "../modules/sign-in/index.ts";
import { openOutsideKeys } from "../outside/identity/outside-keys.ts";
import { reachableUrl } from "../outside/listen.ts";
import { checkMasterKey, openVault } from "../outside/vault.ts";
import { type OpenDatabase, openDatabase } from "../platform/database/database.ts";
import { migrateToLatest } from "../platform/database/migrate.ts";
import { readPrivateJson } from "../platform/files/private-files.ts";
import { createHttpClient } from "../platform/http-client/http-client.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import type { Identity } from "../ports/identity.ts";
import type { Log } from "../ports/log.ts";
import type { Vault } from "../ports/vault.ts";

const POOL_SIZE = 2;

export interface OpenedDatabase {
  db: OpenDatabase["db"];
  pool: Pool;
  vault: Vault;
  clock: Clock;
  embedded: Embedded;
}

export interface CommandOptions {
  log: Log;
  progress: (line: string) => void;
}

/**
 * Opens the deployment's database for one operator command and closes it afterwards, whether or not the service runs. An
 * embedded database is shared with a running service, or else started for the command and stopped after it. `devnetPrefund`:
 * the same for the development chain.
 */
export async function withDatabase<Result>(
  config: Config,
  options: CommandOptions & { devnetPrefund?: (vault: Vault) => readonly string[] | undefined },
  work: (opened: OpenedDatabase) => Promise<Result>,
): Promise<Result> {
  const { dataDir } = config;
  const { log, progress } = options;
  const vault = await openVault(config);
  const devnetPrefund = options.devnetPrefund?.(vault);
  const embedded = await startEmbedded({
    dataDir,
    databaseUrl: config.databaseUrl,
    checkDatabase: (url) => checkMasterKey(config, url, vault),
    supplierSandbox: false,
    ...(devnetPrefund === undefined ? {} : { devnetPrefund }),
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
      await migrateToLatest(databaseUrl, database, schema);
      const { db, pool } = database;
      return await work({ db, pool, vault, clock: systemClock, embedded });
    } finally {
      await database.close();
    }
  } finally {
    await embedded.stop();
  }
}

/** The parts for commands on identities. */
export interface Operator extends Identity {
  readonly persons: Stores["persons"];
  readonly signInLinks: SignInLinks;
  /** The application host's, for links that a command prints. */
  readonly appUrl: string;
  readonly spending: Pick<Stores, "approvals" | "spendLimits" | "callSpends" | "transaction">;
}

/** The operator's parts of an open database. */
export function createOperator(
  { db, pool, vault, clock, databaseUrl }: Omit<OpenedDatabase, "embedded"> & { databaseUrl: string },
  config: Config,
  log: Log,
): Operator {
  const { networkMode } = config;
  const onTenantCreated = createTenantCreated({ clock, vault, settings: config });
  const http = createHttpClient();
  const outsideKeys = openOutsideKeys(config, { http, clock, log });
  const common = { db, pool, databaseUrl, vault, clock, networkMode, log };
  const identity = createIdentity({ ...common, outsideKeys, onTenantCreated });
  const stores = createStores(db, clock, vault);
  const close = async () => {
    http.close();
    await identity.close();
  };
  return { ...identity, ...operatorParts(stores, clock), appUrl: findAppUrl(config), close };
}

export function operatorParts(stores: Stores, clock: Clock): Pick<Operator, "spending" | "persons" | "signInLinks"> {
  const signInLinks = new SignInLinks({ signIns: stores.signIns, clock });
  return { spending: stores, persons: stores.persons, signInLinks };
}

/** The address that the running service has written down, as the system may have chosen its port. */
function findAppUrl({ publicAppUrl, dataDir, host, port }: Config): string {
  if (publicAppUrl !== undefined) return publicAppUrl;
  const running = readPrivateJson(quickstartPath(dataDir), z.object({ appUrl: z.string() }));
  return running?.appUrl ?? reachableUrl(host, port);
}

export async function withIdentity<Result>(
  config: Config,
  options: CommandOptions,
  work: (operator: Operator) => Promise<Result>,
): Promise<Result> {
  return await withDatabase(config, options, async ({ embedded, ...opened }) => {
    const operator = createOperator({ ...opened, databaseUrl: embedded.databaseUrl }, config, options.log);
    try {
      return await work(operator);
    } finally {
      await operator.close();
    }
  });
}
