import { Kysely } from "kysely";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { camelCaseRows, SnakeCaseDialect } from "./casing.ts";
import type { Database } from "./generated-tables.ts";

/** Only compiled: nothing connects. */
const db = new Kysely<Database>({ dialect: new SnakeCaseDialect({ pool: new pg.Pool() }), plugins: [camelCaseRows] });
afterAll(() => db.destroy());

test("the environment is the column `network` of most tables, everywhere in a statement", () => {
  const inserted = db
    .insertInto("invoiceSeries")
    .values({ tenantId: "t", environment: "sandbox", series: "A", lastNumber: 1 })
    .onConflict((conflict) => conflict.columns(["tenantId", "environment", "series"]).doNothing())
    .returning("environment");
  expect(inserted.compile().sql).toBe(
    'insert into "invoice_series" ("tenant_id", "network", "series", "last_number") values ($1, $2, $3, $4) ' +
      'on conflict ("tenant_id", "network", "series") do nothing returning "network"',
  );
  const selected = db.selectFrom("trip").select("trip.environment").where("environment", "=", "sandbox");
  expect(selected.orderBy("environment").compile().sql).toBe(
    'select "trip"."network" from "trip" where "network" = $1 order by "network"',
  );
  const updated = db.updateTable("wallet").set({ environment: "sandbox" }).where("environment", "=", "production");
  expect(updated.compile().sql).toBe('update "wallet" set "network" = $1 where "network" = $2');
});

test("and the column `environment` of the others, each in its own part of a statement", () => {
  const deleted = db.deleteFrom("budget").where("environment", "=", "sandbox");
  expect(deleted.compile().sql).toBe('delete from "budget" where "environment" = $1');
  const joined = db
    .selectFrom("tenant")
    .innerJoin("apiKey", "apiKey.tenantId", "tenant.id")
    .select("apiKey.environment")
    .where(({ exists, selectFrom }) => exists(selectFrom("trip").select("environment")));
  expect(joined.compile().sql).toBe(
    'select "api_key"."environment" from "tenant" inner join "api_key" on "api_key"."tenant_id" = "tenant"."id" ' +
      'where exists (select "network" from "trip")',
  );
});
