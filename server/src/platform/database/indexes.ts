import type { PoolClient } from "pg";
import type { OpenDatabase } from "./database.ts";

/** What follows `create index <name>`, such as `on usage_record (tenant_id)`, by the index's name. */
export type Indexes = Readonly<Record<string, string>>;

/**
 * Makes the indexes that are missing while others write: on a table that has grown, an index made within a migration would keep all
 * writers waiting. One that was cut in the making is left behind invalid by the server; it is taken away and made again. For callers
 * that hold the preparation lock.
 */
export async function makeIndexes({ pool }: OpenDatabase, indexes: Indexes): Promise<void> {
  const missing = new Map(Object.entries(indexes));
  const client = await pool.connect();
  // Also when the statements failed: a connection without a time limit is never given back.
  let isAsBefore = false;
  try {
    const cut: string[] = [];
    for (const { name, isValid } of await findIndexes(client, [...missing.keys()])) {
      if (isValid) missing.delete(name);
      else cut.push(name);
    }
    if (missing.size > 0) await client.query("set statement_timeout = 0");
    for (const name of cut) await client.query(`drop index concurrently if exists ${name}`);
    for (const [name, definition] of missing) await client.query(`create index concurrently ${name} ${definition}`);
    await client.query("reset statement_timeout");
    isAsBefore = true;
  } finally {
    client.release(!isAsBefore);
  }
}

async function findIndexes(
  client: PoolClient,
  names: readonly string[],
): Promise<{ name: string; isValid: boolean }[]> {
  const { rows } = await client.query<{ name: string; isValid: boolean }>(
    `select class.relname as name, index.indisvalid as "isValid"
     from pg_index index join pg_class class on class.oid = index.indexrelid
     where class.relnamespace = current_schema()::regnamespace and class.relname = any ($1)`,
    [names],
  );
  return rows;
}
