import { Kysely, type Transaction } from "kysely";
import pg from "pg";
import { camelCaseRows, SnakeCaseDialect } from "./casing.ts";
import type { Database } from "./generated-tables.ts";
import { preparing } from "./prepared.ts";

export type { Database };

/** Statements run on either; a function that takes this joins the caller's transaction, if there is one. */
export type Queryable = Kysely<Database> | Transaction<Database>;

const INT8 = 20;
const TIMESTAMPTZ = 1184;

const toInstant = (text: string): Temporal.Instant => Temporal.Instant.from(text.replace(" ", "T"));

/** Parses PostgreSQL values: bigint as bigint, timestamptz as Temporal.Instant (sessions run in UTC). */
const types = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === INT8) return BigInt;
    if (oid === TIMESTAMPTZ) return toInstant;
    return pg.types.getTypeParser(oid, format);
  },
};

export interface OpenDatabase {
  db: Kysely<Database>;
  pool: pg.Pool;
  close(): Promise<void>;
}

export function openDatabase(
  databaseUrl: string,
  options: {
    poolSize: number;
    onError: (error: Error) => void;
    /** How long to wait for a connection, including while all are in use. */
    connectionPatienceMilliseconds?: number;
    statementTimeoutMilliseconds?: number;
  },
): OpenDatabase {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectionPatienceMilliseconds ?? 10_000,
    idleTimeoutMillis: 60_000,
    // A dead server must not hang a caller: TCP reports a lost connection only after hours.
    statement_timeout: options.statementTimeoutMilliseconds ?? 30_000,
    // Every statement uses a key. Plans of prepared statements are made once, often while a table is still empty and a full
    // scan looks cheapest, and are kept while it grows.
    options: "-c timezone=UTC -c enable_seqscan=off",
    types,
  });
  // An idle connection that breaks (the server was killed) is replaced by the pool; without a listener it would end the
  // process.
  pool.on("error", options.onError);
  // The same for a connection in use, which the pool does not listen to: its current statement fails by itself.
  pool.on("connect", (client) => client.on("error", () => undefined));
  const db = new Kysely<Database>({
    dialect: new SnakeCaseDialect({ pool: preparing(pool) }),
    plugins: [camelCaseRows],
  });
  return { db, pool, close: () => db.destroy() };
}
