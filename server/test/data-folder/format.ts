import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import pg from "pg";

/** All rows of a table as PostgreSQL's own JSON, which it reads back without loss. */
export type Tables = Readonly<Record<string, string>>;
/** Content in base64 by path. */
export type Files = Readonly<Record<string, string>>;

/** What belongs to processes that are gone by then. */
const OF_PROCESSES = /^(?:logs|embedded|postgres)\/|(?:^|\/)(?:lock|parts\.json|endpoint\.json|.*\.sock)$/;

export async function readTables(databaseUrl: string): Promise<Tables> {
  return await withConnection(databaseUrl, async (client) => {
    const tables: Record<string, string> = {};
    for (const name of await namesOfTables(client)) {
      const { rows } = await client.query<{ rows: string | null }>(`select json_agg(t)::text as rows from "${name}" t`);
      tables[name] = rows[0]?.rows ?? "[]";
    }
    return tables;
  });
}

/** Into tables that are there already, whatever they hold. */
export async function writeTables(databaseUrl: string, tables: Tables): Promise<void> {
  await withConnection(databaseUrl, async (client) => {
    // Rows come in any order: references are not checked on the way.
    await client.query("set session_replication_role = replica");
    const names = await namesOfTables(client);
    await client.query(`truncate ${names.map((name) => `"${name}"`).join(", ")}`);
    for (const [name, rows] of Object.entries(tables)) {
      await client.query(
        `insert into "${name}" overriding system value select * from json_populate_recordset(null::"${name}", $1::json)`,
        [rows],
      );
    }
    await moveSequences(client);
  });
}

async function moveSequences(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ tab: string; col: string }>(
    `select table_name as tab, column_name as col from information_schema.columns
     where table_schema = 'public' and (is_identity = 'YES' or column_default like 'nextval%')`,
  );
  for (const { tab, col } of rows) {
    await client.query(
      `select setval(pg_get_serial_sequence('"${tab}"', '${col}'), coalesce((select max("${col}") from "${tab}"), 0) + 1, false)`,
    );
  }
}

async function namesOfTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by tablename",
  );
  return rows.map(({ name }) => name);
}

async function withConnection<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export function readFolder(folder: string): Files {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files
      .map((path) => [relative(folder, path), readFileSync(path).toString("base64")] as const)
      .filter(([path]) => !OF_PROCESSES.test(path)),
  );
}

export function writeFolder(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, path), Buffer.from(content, "base64"), { mode: 0o600 });
  }
}
