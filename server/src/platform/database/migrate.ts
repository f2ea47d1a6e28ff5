import { setTimeout as delay } from "node:timers/promises";
import { type Migration, Migrator } from "kysely";
import pg from "pg";
import type { OpenDatabase } from "./database.ts";
import { type Indexes, makeIndexes } from "./indexes.ts";
import { isDatabaseAway } from "./transient.ts";

/** The schema that the database is migrated to. */
export interface Schema {
  /** By name; they run in the order of their names. */
  readonly migrations: Readonly<Record<string, Migration>>;
  /** Created after all migrations, without locking writers. */
  readonly indexes: Indexes;
  /** Dropped when those exist. */
  readonly formerIndexes: readonly string[];
}

/** An arbitrary number, the same for every process that prepares this product's database. */
const PREPARATION_LOCK = 7_411_200_501n;
const POLL_MILLISECONDS = 100;
const LOCK_TIMEOUT_MILLISECONDS = 120_000;

/**
 * Runs `work` in one process at a time, of all that share the database. The lock is polled on its own connection: a blocking
 * lock deadlocks with libraries that build indexes concurrently, and without a lock processes that start together fail each
 * other.
 */
export async function withPreparationLock<Result>(databaseUrl: string, work: () => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // A server that dies meanwhile fails the current statement; without a listener it would end the process.
  client.on("error", () => undefined);
  await client.connect();
  try {
    const deadline = performance.now() + LOCK_TIMEOUT_MILLISECONDS;
    while (!(await tryLock(client))) {
      if (performance.now() > deadline)
        throw new Error("Another process has been preparing the database for two minutes.");
      await delay(POLL_MILLISECONDS);
    }
    return await work();
  } finally {
    // Ending the session releases the lock.
    await client.end().catch(() => undefined);
  }
}

/** The only runner of migrations. */
export async function migrateToLatest(databaseUrl: string, database: OpenDatabase, schema: Schema): Promise<void> {
  await withPreparationLock(databaseUrl, () => migrateUnlocked(database, schema));
}

/** Requires the preparation lock. */
export async function migrateUnlocked(
  database: OpenDatabase,
  { migrations, indexes, formerIndexes }: Schema,
): Promise<void> {
  const migrator = new Migrator({
    db: database.db.withoutPlugins(),
    provider: { getMigrations: async () => ({ ...migrations }) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return await makeIndexes(database, indexes, formerIndexes);
  if (isDatabaseAway(error)) throw error;
  throw new Error("The database could not be migrated.", { cause: error });
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>("select pg_try_advisory_lock($1) as locked", [
    PREPARATION_LOCK.toString(),
  ]);
  return rows[0]?.locked === true;
}
