import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { createVault } from "../adapters/vault.ts";
import type { Config } from "../config/config.ts";
import { modules } from "../contributions.ts";
import { EmbeddedError } from "../embedded/embedded-error.ts";
import { masterKeyPath, readMasterKey } from "../embedded/master-key.ts";
import { checkReachable } from "../embedded/postgres/databases.ts";
import { openDatabase } from "../platform/database/database.ts";
import { whileDatabaseIsAway } from "../platform/database/while-database-is-away.ts";
import { systemClock } from "../ports/clock.ts";
import { OtherKeyError, type Vault } from "../ports/vault.ts";

type KeyConfig = Pick<Config, "masterKeyFile" | "dataDir" | "databaseUrl" | "networkMode">;

/** Reads the master key, or creates one where allowed. None is created for a database that was written with another one. */
export async function openVault(config: KeyConfig): Promise<Vault> {
  const { masterKeyFile, dataDir, databaseUrl, networkMode } = config;
  const production = networkMode === "production";
  const path = masterKeyPath(config);
  if (databaseUrl !== undefined && masterKeyFile === undefined && !production && !existsSync(path)) {
    await checkReachable(databaseUrl);
    // Like a new key, this one has encrypted nothing.
    if (!(await fits(databaseUrl, createVault(randomBytes(32))))) {
      throw new EmbeddedError(`${path} is missing, and the database of DATABASE_URL was written with it. ${REMEDY}`);
    }
  }
  return createVault(readMasterKey({ masterKeyFile, dataDir, production }));
}

const REMEDY =
  "Put the file back from a copy, or set MASTER_KEY_FILE to it; without it the wallets and personal numbers in that database cannot be read. Nothing was changed.";

/** Refuses, in one line for the operator, a database that was written with another key. */
export async function checkMasterKey(config: KeyConfig, databaseUrl: string, vault: Vault): Promise<void> {
  if (await fits(databaseUrl, vault)) return;
  const database =
    config.databaseUrl === undefined
      ? `the database beside it, ${join(config.dataDir, "postgres", "data")},`
      : "the database of DATABASE_URL";
  throw new EmbeddedError(`${masterKeyPath(config)} is not the key that ${database} was written with. ${REMEDY}`);
}

/** A database that is not prepared yet fits every key. */
async function fits(databaseUrl: string, vault: Vault): Promise<boolean> {
  const { db, close } = openDatabase(databaseUrl, { poolSize: 1, onError: () => undefined });
  try {
    await whileDatabaseIsAway(async () => {
      for (const one of modules) await one.check?.({ db, clock: systemClock, vault });
    });
    return true;
  } catch (error) {
    if (error instanceof OtherKeyError) return false;
    if (error instanceof pg.DatabaseError && error.code === UNDEFINED_TABLE) return true;
    throw error;
  } finally {
    await close();
  }
}

const UNDEFINED_TABLE = "42P01";
