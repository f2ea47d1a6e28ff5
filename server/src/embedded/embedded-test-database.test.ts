import { expect, test } from "vitest";
import { createTestDatabase } from "../../test/support/test-database.ts";
import { withClient } from "./postgres/databases.ts";

const countTables = (url: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query("select count(*)::int as tables from pg_tables where schemaname = 'public'");
    return rows[0];
  });

test("two test databases are separate, fresh and droppable while connected", async () => {
  const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  expect(first.url).not.toBe(second.url);
  await withClient(first.url, (client) => client.query("create table stay (id int)"));
  expect(await countTables(first.url)).toEqual({ tables: 1 });
  expect(await countTables(second.url)).toEqual({ tables: 0 });
  await withClient(second.url, async () => {
    await Promise.all([first.drop(), second.drop()]);
  });
  await expect(withClient(second.url, (client) => client.query("select 1"))).rejects.toMatchObject({ code: "3D000" });
});
