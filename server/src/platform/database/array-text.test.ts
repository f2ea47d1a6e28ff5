import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { numberArray, textArray } from "./array-text.ts";

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

const texts = [
  ["plain text", ["use_1", "call_2"]],
  ["no element", []],
  ["null and the word for it", [null, "null", "NULL", ""]],
  ["what an array is written with", ["{a,b}", 'a "quoted" word', "back\\slash", "\\n", '\\"', " a , b "]],
  ["what JSON writes with a letter", ["line\nbreak", "tab\t", "\u0001", "\b\f\r", "\\\n"]],
  ["other scripts", ["Zürich", "東京", "😀"]],
] as const;

test.each(texts)("a text array of %s arrives unchanged", async (_, values) => {
  const { rows } = await client.query<{ values: unknown }>("select $1::text[] as values", [textArray(values)]);
  expect(rows).toEqual([{ values }]);
});

test("an array of numbers arrives unchanged", async () => {
  const { rows } = await client.query("select $1::bigint[]::text[] as whole, $2::float8[] as parts", [
    numberArray([0n, -1n, 9_007_199_254_740_993n]),
    numberArray([0.25, 1e-7, 12]),
  ]);
  expect(rows).toEqual([{ whole: ["0", "-1", "9007199254740993"], parts: [0.25, 1e-7, 12] }]);
});
