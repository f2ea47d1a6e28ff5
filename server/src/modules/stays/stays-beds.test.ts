import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

/** Rooms for parties that need more beds than most rooms have. */

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const day = (days: number) => Temporal.Now.plainDateISO("UTC").add({ days }).toString();
const WHERE = { location: "Lisbon", checkInDate: day(50), checkOutDate: day(53) };

const More = z.looseObject({
  accommodations: z.array(
    z.object({
      id: z.string(),
      cheapestRate: z.object({ id: z.string() }),
      rates: z.array(z.object({ id: z.string(), sleeps: z.number().nullable() })),
    }),
  ),
});
const Found = More.extend({
  searchId: z.string(),
  picks: z.looseObject({ best: z.string() }),
  location: z.looseObject({ note: z.string().nullable(), timeZone: z.string() }),
});
const search = async (tool: string, args: object) =>
  Found.parse(requireResult(await service.call(tool, { ...WHERE, ...args })));

/** Four of the five need a bed. */
const FAMILY = { adults: 2, childAges: [8, 3, 0] };
const fitsFamily = ({ sleeps }: { sleeps: number | null }) => sleeps === null || sleeps >= 4;

it("shows only rooms with beds for all who need one, and hotels without them last", async () => {
  const { searchId, accommodations, picks, location } = await search("search_family_hotels", FAMILY);
  const more = More.parse(requireResult(await service.call("search_more_stays", { searchId, minStars: 4 })));
  expect(more.accommodations.flatMap(({ rates }) => rates).some(({ sleeps }) => sleeps === 4)).toBe(true);
  for (const { rates, cheapestRate } of [...accommodations, ...more.accommodations]) {
    expect(new Set(rates.map(fitsFamily)).size).toBe(1);
    expect(rates.map(({ id }) => id)).toContain(cheapestRate.id);
  }
  const fits = accommodations.map(({ rates }) => rates.every(fitsFamily));
  expect(fits).toEqual(fits.toSorted((one, other) => Number(other) - Number(one)));
  expect(picks.best).toBe(accommodations[0]?.id);
  expect(location.note?.includes("No rate shown has beds for all 4 guests")).toBe(!fits.includes(true));
  expect(location.note).toMatch(/Children under 2 are counted in a cot.*ask for one in accommodationSpecialRequests/);
  expect(location.timeZone).toBe("Europe/Lisbon");
});

it("says so if no room has beds for all, and asks for nothing if one guest travels", async () => {
  const many = await search("search_hotels", { guests: 9 });
  expect(many.location.note).toMatch(/No rate shown has beds for all 9 guests.*search with rooms: 2/);
  const one = await search("search_hotels", {});
  expect(one.location.note ?? "").not.toMatch(/beds|cot/);
});

it("says that amounts are for all rooms, and that a place was not found, before anything is booked", async () => {
  const { location, accommodations } = await search("search_hotels", { guests: 4, rooms: 2 });
  expect(location.note).toContain("Every amount is for all 2 rooms, perNightAmount too");
  expect(accommodations.length).toBeGreaterThan(0);
  const unknown = await search("search_hotels", { location: "Qwxzhaus, Lisbon" });
  expect(unknown.location.note).toMatch(/^Qwxzhaus was not found, so these hotels and distances are those of Lisbon/);
  const known = await search("search_hotels", {});
  expect(known.location.note ?? "").not.toMatch(/not found|all \d rooms/);
});
