import type { TestService } from "./service.ts";

/** Every row that holds the text somewhere, in whatever column and kind of column: `table: row`. */
export async function searchDatabase(service: Pick<TestService, "sql">, text: string): Promise<string[]> {
  const tables = await service.sql(
    `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  // Bytes are shown in hexadecimal.
  const forms = [text, Buffer.from(text).toString("hex"), Buffer.from(text).toString("base64").replace(/=+$/, "")];
  const everyTable = tables
    .map(({ name }) => `select '${String(name)}: ' || row::text as found from ${String(name)} row`)
    .join(" union all ");
  const rows = await service.sql(
    `select found from (${everyTable}) everything
     where exists (select 1 from unnest($1::text[]) form where position(form in found) > 0)`,
    [forms],
  );
  return rows.map(({ found }) => String(found));
}
