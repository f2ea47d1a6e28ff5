import { type PostgresPool, type RawBuilder, sql } from "kysely";
import type pg from "pg";

const MARK = /\/\* prepared: ([a-z-]+) \*\//;
/** By text. All are in the code, and each marked statement has a handful at most. */
const names = new Map<string, string>();

/**
 * Marks a statement of many parts that runs for almost every call: the server reads and plans it once on each connection, which
 * takes longer than to run it. Only for one that names the columns it answers, as a later version may add others beneath it; no
 * migration changes the type of one of those.
 */
export function prepared(name: string): RawBuilder<unknown> {
  return sql.raw(`/* prepared: ${name} */`);
}

/** The pool for Kysely, which has no words for prepared statements: it prepares those that are marked. */
export function preparing(pool: pg.Pool): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, pg.PoolClient>();
  return {
    async connect() {
      const client = await pool.connect();
      // The same for each connection: Kysely keeps things with it.
      const known = clients.get(client) ?? prepareMarked(client);
      clients.set(client, known);
      return known;
    },
    end: () => pool.end(),
  };
}

function prepareMarked(client: pg.PoolClient): pg.PoolClient {
  const query = (text: string, values: unknown[]) => {
    const name = nameOf(text);
    return name === undefined ? client.query(text, values) : client.query({ name, text, values });
  };
  return new Proxy(client, {
    get(target, key) {
      if (key === "query") return query;
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  const [, mark] = MARK.exec(text) ?? [];
  if (mark === undefined) return undefined;
  const name = `${mark}-${names.size}`;
  names.set(text, name);
  return name;
}
