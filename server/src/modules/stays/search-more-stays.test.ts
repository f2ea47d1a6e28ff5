import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { newFundedTenant, requireResult } from "../../../test/support/treasury.ts";
import { parseDecimal } from "../../domain/money.ts";

let service: TestService;
let tenant: Awaited<ReturnType<typeof newFundedTenant>>;
let searchId: string;
let considered: number;
let firstShown: string[];

const Place = z.object({
  id: z.string(),
  name: z.string(),
  distanceMeters: z.number().nullable(),
  starRating: z.number().nullable(),
  reviewScore: z.number().nullable(),
  cheapestRate: z.object({ id: z.string(), totalAmount: z.string() }),
  rates: z.array(
    z.object({
      refundable: z.boolean(),
      totalAmount: z.string(),
      totalUsdc: z.string().optional(),
    }),
  ),
});
const Found = z.object({
  searchId: z.string(),
  considered: z.number(),
  more: z.string(),
  accommodations: z.array(Place),
});
const paid = ({ totalUsdc, totalAmount }: { totalUsdc?: string | undefined; totalAmount: string }) =>
  Number(totalUsdc ?? totalAmount);
const More = z.object({
  accommodations: z.array(Place),
  matching: z.number(),
  considered: z.number(),
  emptiedBy: z.array(z.string()),
  nextCursor: z.string().nullable(),
});

beforeAll(async () => {
  service = await openSharedService();
  tenant = await newFundedTenant(service, "Many stays");
  const today = Temporal.Now.plainDateISO("UTC");
  const [checkInDate, checkOutDate] = [40, 42].map((days) => today.add({ days }).toString());
  const args = { location: "London", checkInDate, checkOutDate };
  const found = Found.parse(requireResult(await service.call("search_hotels", args, tenant.as)));
  expect(found.more).toContain("search_more_stays");
  searchId = found.searchId;
  considered = found.considered;
  firstShown = found.accommodations.map(({ id }) => id);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const call = (args: object, as = tenant.as) => service.call("search_more_stays", { searchId, ...args }, as);
const more = async (args: object = {}) => More.parse(requireResult(await call(args)));

async function allPages(args: object) {
  const pages = [await more(args)];
  for (let cursor = pages[0]?.nextCursor ?? null; cursor !== null; ) {
    const page = await more({ ...args, cursor });
    pages.push(page);
    cursor = page.nextCursor;
  }
  return pages;
}

describe("search_more_stays", () => {
  test("shows every place of the search in pages, each once and in order", async () => {
    const pages = await allPages({ limit: 10, order: "price" });
    const places = pages.flatMap(({ accommodations }) => accommodations);
    expect(places.length).toBe(considered);
    expect(new Set(places.map(({ id }) => id)).size).toBe(considered);
    expect(places.map(({ id }) => id)).toEqual(expect.arrayContaining(firstShown));
    const prices = places.map(({ cheapestRate }) => parseDecimal(cheapestRate.totalAmount) ?? 0n);
    expect(prices).toEqual(prices.toSorted((one, other) => Number(one - other)));
    expect(pages.length).toBeGreaterThan(1);
  });

  test("narrows by what places are, and sorts by distance and review", async () => {
    const near = await more({ limit: 10, order: "distance", minStars: 3, maxDistanceMeters: 3_000 });
    expect(near.accommodations.length).toBeGreaterThan(0);
    expect(near.matching).toBeLessThan(considered);
    for (const { starRating, distanceMeters } of near.accommodations) {
      expect(starRating).toBeGreaterThanOrEqual(3);
      expect(distanceMeters).toBeLessThanOrEqual(3_000);
    }
    const distances = near.accommodations.map(({ distanceMeters }) => distanceMeters ?? 0);
    expect(distances).toEqual(distances.toSorted((one, other) => one - other));
    const reviewed = (await more({ order: "review", minReviewScore: 7 })).accommodations.map(
      ({ reviewScore }) => reviewScore ?? 0,
    );
    expect(Math.min(...reviewed)).toBeGreaterThanOrEqual(7);
    expect(reviewed).toEqual(reviewed.toSorted((one, other) => other - one));
    const [{ name = "" } = {}] = near.accommodations;
    expect((await more({ name: name.toUpperCase() })).accommodations.map((one) => one.name)).toContain(name);
  });

  test("keeps to a price and to refundable rates", async () => {
    const [cheapest] = (await more({ order: "price", limit: 1 })).accommodations;
    const most = cheapest?.cheapestRate.totalAmount ?? "0";
    const [{ cheapestRate: only, rates: others = [] } = {}] = (await more({ maxTotalUsdc: most })).accommodations;
    expect(only?.totalAmount).toBe(most);
    for (const rate of others) expect(paid(rate)).toBeLessThanOrEqual(Number(most));
    const { accommodations } = await more({ refundable: true, limit: 10 });
    expect(accommodations.length).toBeGreaterThan(0);
    for (const { rates } of accommodations) expect(rates.every(({ refundable }) => refundable)).toBe(true);
  });

  test("says which filters leave nothing", async () => {
    const nothing = await more({ maxTotalUsdc: "0.01", minStars: 1 });
    expect(nothing).toMatchObject({ accommodations: [], matching: 0, emptiedBy: ["maxTotalUsdc"], nextCursor: null });
  });

  test("a rate of a later page can be quoted", async () => {
    const { accommodations, nextCursor } = await more({ limit: 1, order: "stars" });
    expect(nextCursor).not.toBeNull();
    const rateId = accommodations[0]?.cheapestRate.id;
    expect(requireResult(await service.call("quote_stay", { rateId }, tenant.as))).toMatchObject({
      accommodation: { id: accommodations[0]?.id },
    });
  });

  test("another list's cursor, an unknown search and another tenant's are refused", async () => {
    const { nextCursor } = await more({ limit: 1, order: "price" });
    expect((await call({ limit: 1, order: "stars", cursor: nextCursor })).body).toMatchObject({
      code: "invalid_input",
      issues: [{ path: "cursor" }],
    });
    expect((await call({ searchId: "sea_none" })).body).toMatchObject({ code: "search_expired" });
    const other = await newFundedTenant(service, "Others");
    expect((await call({}, other.as)).body).toMatchObject({ code: "search_expired" });
  });
});
