import pg from "pg";
import { schema } from "./schema.ts";
import { staysSchema } from "./schema-stays.ts";

export type Queryable = {
  query<Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<pg.QueryResult<Row>>;
};

export type Database = Queryable & {
  /** Everything in `work` is committed before this resolves, or nothing of it happened. */
  transaction<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

/** COMMIT was sent and its answer never came: whether the work was done is not known. */
class CommitOutcomeUnknown extends Error {}

/** As long as the service itself waits for a connection: a machine that is busy is no database that is away. */
const CONNECT_TIMEOUT_MS = 10_000;
const POOL_SIZE = 10;
const SCHEMA_LOCK = 7_215_002;

function wrap(client: pg.Pool | pg.PoolClient): Queryable {
  return { query: (sql, values) => client.query(sql, values === undefined ? undefined : [...values]) };
}

export function openDatabase(connectionString: string): Database {
  const pool = new pg.Pool({ connectionString, max: POOL_SIZE, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // A server that goes away ends idle connections; the pool opens new ones when it is back.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return {
    ...wrap(pool),
    async transaction(work) {
      const client = await pool.connect();
      let broken = false;
      try {
        await client.query("BEGIN");
        let result: Awaited<ReturnType<typeof work>>;
        try {
          result = await work(wrap(client));
        } catch (error) {
          await client.query("ROLLBACK").catch(() => {
            broken = true;
          });
          throw error;
        }
        try {
          await client.query("COMMIT");
        } catch (error) {
          broken = true;
          throw new CommitOutcomeUnknown("the commit was not answered", { cause: error });
        }
        return result;
      } finally {
        client.release(broken);
      }
    },
    close: () => pool.end(),
  };
}

/** Safe when it has run before and when several do it at once. */
export async function createTables(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query("SELECT pg_advisory_xact_lock($1)", [SCHEMA_LOCK]);
    await tx.query(schema);
    await tx.query(staysSchema);
  });
}

const CONNECTION_ERROR_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOENT",
  "57P01",
  "57P02",
  "57P03",
  "53300",
  "08006",
  "08003",
  "08001",
]);

/** The database could not be reached or was going down; nothing was committed. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && typeof error.code === "string" && CONNECTION_ERROR_CODES.has(error.code)) return true;
  return /Connection terminated|timeout exceeded when trying to connect|not queryable|connection error/iu.test(
    error.message,
  );
}

const UNSTORABLE_TEXT_CODES = new Set(["22021", "22P05"]);

/** Text with a zero character, which PostgreSQL keeps nowhere. */
export function isUnstorableText(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && typeof error.code === "string" && UNSTORABLE_TEXT_CODES.has(error.code)
  );
}
