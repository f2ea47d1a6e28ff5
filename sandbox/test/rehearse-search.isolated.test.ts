import { expect, test } from "vitest";
import { createClock } from "../src/clock.ts";
import { seedRandomCodes } from "../src/hash.ts";
import { newId, newRequestCore } from "../src/ids.ts";
import { createNetwork } from "../src/inventory/network.ts";
import { rehearseSearch } from "../src/offers/rehearse-search.ts";
import type { Database } from "../src/storage/database.ts";

const SEED = "wayfare";

function drawCodes(): string[] {
  return [newRequestCore(), newId("req"), newId("ord")];
}

test("a rehearsal computes offers, only reads the database, and draws no identifiers", async () => {
  const asked: { sql: string; values: readonly unknown[] }[] = [];
  const db: Database = {
    async query(sql, values = []) {
      asked.push({ sql, values });
      return { rows: [], rowCount: 0, command: "SELECT", oid: 0, fields: [] };
    },
    transaction: () => Promise.reject(new Error("a rehearsal opens no transaction")),
    close: async () => {},
  };
  const clock = createClock(() => Date.parse("2026-06-01T12:00:00Z"));
  seedRandomCodes(SEED);
  const expected = drawCodes();

  seedRandomCodes(SEED);
  await rehearseSearch({ db, clock, seed: SEED, network: createNetwork(SEED) });

  expect(asked.map(({ sql }) => sql)).toEqual([expect.stringMatching(/^SELECT /)]);
  expect(asked[0]?.values[0]).toContainEqual(expect.stringMatching(/^off_/));
  expect(drawCodes()).toEqual(expected);
});
