import { type PostgresPool, type RawBuilder, sql } from "kysely";
import type pg from "pg";

const MARK = /\/\* prepared: ([a-z-]+) \*\//;
/** By text. All statements are in the code, and each marked one has only a few variants. */
const names = new Map<string, string>();

/**
 * Marks a long statement that runs for almost every call: the server parses and plans it once per connection, which takes
 * longer than running it. The statement must name its result columns, as later versions may add more to the table; no migration
 * may change the type of one of them.
 */
export function prepared(name: string): RawBuilder<unknown> {
  return sql.raw(`/* prepared: ${name} */`);
}

/** The pool for Kysely, which does not support prepared statements: it prepares the marked ones. */
export function preparing(pool: pg.Pool): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, pg.PoolClient>();
  return {
    async connect() {
      const client = await pool.connect();
      // Always the same object for a connection, since Kysely stores data with it.
      const known = clients.get(client) ?? prepareMarked(client);
      clients.set(client, known);
      return known;
    },
    end: () => pool.end(),
  };
}

function prepareMarked(client: pg.PoolClient): pg.PoolClient {
  const query = (text: string, values: unknown[]) => {
    const name = statementName(text);
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

function statementName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  const [, mark] = MARK.exec(text) ?? [];
  if (mark === undefined) return undefined;
  const name = `${mark}-${names.size}`;
  names.set(text, name);
  return name;
}
