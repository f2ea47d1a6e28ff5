import type { PoolClient } from "pg";
import type { OpenDatabase } from "./database.ts";

/** The definitions after `create index <name>`, such as `on usage_record (tenant_id)`, by the index's name. */
export type Indexes = Readonly<Record<string, string>>;

/** Callers' statements wait only briefly. */
const LOCK_TIMEOUT = "500ms";
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Creates missing indexes concurrently: on a large table, an index created in a migration would block all writers. An
 * interrupted build leaves an invalid index, which is dropped and built again. Indexes in `former` are dropped when the others
 * exist, or at a later start if the table was busy. Requires the preparation lock.
 */
export async function makeIndexes(
  { pool }: OpenDatabase,
  indexes: Indexes,
  former: readonly string[] = [],
): Promise<void> {
  const client = await pool.connect();
  // Even after a failed statement: a connection without a time limit must never go back to the pool.
  let isAsBefore = false;
  try {
    const found = await findIndexes(client, [...Object.keys(indexes), ...former]);
    const missing = Object.entries(indexes).filter(([name]) => found.get(name) !== "valid");
    if (missing.length > 0) await client.query("set statement_timeout = 0");
    for (const [name, definition] of missing) await make(client, name, definition);
    for (const name of former) if (found.has(name)) await drop(client, name);
    await client.query("reset statement_timeout; reset lock_timeout");
    isAsBefore = true;
  } finally {
    client.release(!isAsBefore);
  }
}

async function make(client: PoolClient, name: string, definition: string): Promise<void> {
  const [, table = "", rest = ""] = /^on (\w+) (.*)$/s.exec(definition) ?? [];
  const { rows } = await client.query<{ partition: string }>(
    `select class.relname as partition from pg_class class join pg_inherits on inhrelid = class.oid
     where inhparent = to_regclass($1) order by 1`,
    [table],
  );
  if (rows.length === 0) return await makeWhileOthersWrite(client, name, definition);
  // The server cannot create an index on a partitioned table concurrently: each partition gets its own, and then they are
  // attached.
  const parts = rows.map(({ partition }) => ({ partition, own: `${partition}_${name.replace(`${table}_`, "")}` }));
  for (const { partition, own } of parts) await makeWhileOthersWrite(client, own, `on ${partition} ${rest}`);
  await client.query(`create index if not exists ${name} on only ${table} ${rest}`);
  for (const { own } of parts) await client.query(`alter index ${name} attach partition ${own}`);
}

async function makeWhileOthersWrite(client: PoolClient, name: string, definition: string): Promise<void> {
  const found = (await findIndexes(client, [name])).get(name);
  if (found === "valid") return;
  if (found === "cut") await client.query(`drop index concurrently if exists ${name}`);
  await client.query(`create index concurrently ${name} ${definition}`);
}

async function drop(client: PoolClient, name: string): Promise<void> {
  await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'`);
  await client.query(`drop index if exists ${name}`).catch((error: { code?: string }) => {
    if (error.code !== LOCK_NOT_AVAILABLE) throw error;
  });
}

async function findIndexes(client: PoolClient, names: readonly string[]): Promise<Map<string, "valid" | "cut">> {
  const { rows } = await client.query<{ name: string; isValid: boolean }>(
    `select class.relname as name, index.indisvalid as "isValid"
     from pg_index index join pg_class class on class.oid = index.indexrelid
     where class.relnamespace = current_schema()::regnamespace and class.relname = any ($1)`,
    [names],
  );
  return new Map(rows.map(({ name, isValid }) => [name, isValid ? "valid" : "cut"]));
}
