import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { offer } from "../../../../test/support/offers.ts";
import { packSearch, unpackSearch } from "./found-search.ts";

const found = {
  cabinClass: "economy" as const,
  considered: 1,
  offers: [offer()],
  notApplied: [],
  sandbox: true,
  provenance: { source: "test", sourceLevel: "embedded" as const, asOf: "2026-11-20T10:00:00Z" },
};

test("a stored search is read back, and so is one that an earlier release packed with zlib", async () => {
  expect(await unpackSearch(await packSearch(found))).toEqual(found);
  expect(await unpackSearch(deflateSync(JSON.stringify(found), { level: 1 }))).toEqual(found);
});

test("a search with other fields, as of another release, is ignored", async () => {
  expect(await unpackSearch(deflateSync(JSON.stringify({ ...found, offers: [{ id: "off_1" }] })))).toBeUndefined();
});
