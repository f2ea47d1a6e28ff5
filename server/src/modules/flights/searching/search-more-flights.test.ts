import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { inDays, openAgent } from "../../../../test/support/agent.ts";
import { openBookingWorld } from "../../../../test/support/booking-world.ts";
import { offer } from "../../../../test/support/offers.ts";
import type { TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";
import { packSearch, unpackSearch } from "./found-search.ts";

/** All itineraries of a search, narrowed, in order and page by page. */
let service: TestService;
let agent: Awaited<ReturnType<typeof openAgent>>;
beforeAll(async () => {
  service = await openSharedService();
  agent = await openAgent(service);
});
afterAll(async () => {
  await agent?.close();
  await service?.[Symbol.asyncDispose]();
});

const Segment = z.looseObject({ carrier: z.string(), departingAt: z.string(), arrivingAt: z.string() });
const Allowed = z.object({ allowed: z.boolean() }).nullable();
const Counts = z.object({ offers: z.number(), itineraries: z.number() });
const Found = z.object({
  searchId: z.string().startsWith("sea_"),
  considered: Counts,
  offers: z.array(
    z.looseObject({
      id: z.string(),
      totalAmount: z.string(),
      checkedBags: z.number(),
      fares: z.array(
        z.object({ id: z.string(), refundable: z.boolean(), changeable: z.boolean(), checkedBags: z.number() }),
      ),
      conditions: z.looseObject({ refundBeforeDeparture: Allowed, changeBeforeDeparture: Allowed }),
      slices: z.array(z.object({ durationMinutes: z.number(), segments: z.array(Segment).min(1) })),
    }),
  ),
});
const More = Found.extend({ matching: Counts, nextCursor: z.string().nullable(), emptiedBy: z.array(z.string()) });

const journey = { origin: "LHR", destination: "JFK", departureDate: inDays(66), returnDate: inDays(73) };
const more = async (args: Record<string, unknown>) => await agent.ask(More, "search_more_flights", args);
async function everyPage(args: Record<string, unknown>) {
  const pages: z.infer<typeof More>[] = [];
  do {
    const cursor = pages.at(-1)?.nextCursor;
    pages.push(await more({ ...args, limit: 10, ...(cursor == null ? {} : { cursor }) }));
  } while (pages.at(-1)?.nextCursor != null);
  return pages.flatMap(({ offers }) => offers);
}
const refused = async (args: Record<string, unknown>) => (await agent.call("search_more_flights", args)).said;

/** How many searches for these flights the supplier received. */
async function searchesSent(): Promise<number> {
  const answer = await fetch(`${service.supplierUrl}/_sandbox/requests?contains=${journey.departureDate}`);
  const { requests } = z.object({ requests: z.array(z.object({ path: z.string() })) }).parse(await answer.json());
  return requests.filter(({ path }) => path.startsWith("/air/offer_requests")).length;
}

test("the pages of a search have every itinerary once, without asking the supplier again", async () => {
  const first = await agent.ask(Found, "search_flights", journey);
  const sent = await searchesSent();
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: z.infer<typeof More> = await more({
      searchId: first.searchId,
      order: "price",
      limit: 5,
      ...(cursor === null ? {} : { cursor }),
    });
    expect(page.matching).toEqual(first.considered);
    seen.push(...page.offers.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toHaveLength(first.considered.itineraries);
  for (const { id } of first.offers) expect(seen).toContain(id);
  expect(await searchesSent()).toBe(sent);
  const booked = await agent.ask(z.looseObject({ pnr: z.string() }), "book_flight", { offerId: seen.at(-1) });
  expect(booked.offerId).toBe(seen.at(-1));
});

type FoundOffer = z.infer<typeof Found>["offers"][number];
const departs = ({ slices }: FoundOffer, way: 0 | 1) => slices[way]?.segments[0]?.departingAt ?? "";
const arrives = ({ slices }: FoundOffer, way: 0 | 1) => slices[way]?.segments.at(-1)?.arrivingAt ?? "";
const time = (local: string) => local.slice("2027-01-20T".length, "2027-01-20T21:35".length);

const FILTERS: Record<string, { filter: object; holds: (one: FoundOffer) => boolean }> = {
  departs: {
    filter: { departs: { from: "06:00", until: "14:00" } },
    holds: (one) => time(departs(one, 0)) >= "06:00" && time(departs(one, 0)) <= "14:00",
  },
  arrives: { filter: { arrives: { until: "15:00" } }, holds: (one) => time(arrives(one, 0)) <= "15:00" },
  returnDeparts: {
    filter: { returnDeparts: { from: "19:00" } },
    holds: (one) => time(departs(one, 1)) >= "19:00",
  },
  "returnArrives, over midnight": {
    filter: { returnArrives: { from: "18:00", until: "11:30" } },
    holds: (one) => time(arrives(one, 1)) >= "18:00" || time(arrives(one, 1)) <= "11:30",
  },
  directOnly: { filter: { directOnly: true }, holds: ({ slices }) => slices.every(({ segments }) => !segments[1]) },
  refundable: {
    filter: { refundable: true },
    holds: ({ conditions, fares }) =>
      conditions.refundBeforeDeparture?.allowed === true && fares.every(({ refundable }) => refundable),
  },
  changeable: {
    filter: { changeable: true },
    holds: ({ conditions, fares }) =>
      conditions.changeBeforeDeparture?.allowed === true && fares.every(({ changeable }) => changeable),
  },
  checkedBags: {
    filter: { checkedBags: 2 },
    holds: ({ fares, ...offer }) => [offer, ...fares].every(({ checkedBags }) => checkedBags >= 2),
  },
};

test.each(Object.entries(FILTERS))("the filter %s applies to all shown offers", async (_name, { filter, holds }) => {
  const { searchId } = await agent.ask(Found, "search_flights", journey);
  const all = await everyPage({ searchId });
  const fitting = await everyPage({ searchId, ...filter });
  expect(all.every(holds)).toBe(false);
  expect(fitting.length).toBeGreaterThan(0);
  expect(fitting.filter((one) => !holds(one))).toEqual([]);
});

test("the filter airlines applies to each flight, by its seller or operator", async () => {
  const { searchId } = await agent.ask(Found, "search_flights", journey);
  const all = await everyPage({ searchId });
  const carrier = all.find(({ slices }) => slices.every(({ segments }) => !segments[1]))?.slices[0]?.segments[0]
    ?.carrier;
  const isBy = ({ slices }: FoundOffer) =>
    slices.flatMap(({ segments }) => segments).every((one) => [one.carrier, one.operatingCarrier].includes(carrier));
  const fitting = await everyPage({ searchId, airlines: [carrier?.toLowerCase()] });
  expect(all.every(isBy)).toBe(false);
  expect(fitting.length).toBeGreaterThan(0);
  expect(fitting.filter((one) => !isBy(one))).toEqual([]);
});

const ORDERS: Record<string, (one: FoundOffer) => number> = {
  price: ({ totalAmount }) => Number(totalAmount),
  duration: ({ slices }) => slices.reduce((sum, { durationMinutes }) => sum + durationMinutes, 0),
  departure: (one) => Date.parse(`${departs(one, 0)}Z`),
  arrival: (one) => Date.parse(`${arrives(one, 0)}Z`),
};

test.each(Object.entries(ORDERS))("the order %s is kept over all pages", async (order, toKey) => {
  const { searchId } = await agent.ask(Found, "search_flights", journey);
  const ascending = (values: number[]) => values.toSorted((left, right) => left - right);
  const best = (await everyPage({ searchId })).map(toKey);
  expect(best).not.toEqual(ascending(best));
  expect((await everyPage({ searchId, order })).map(toKey)).toEqual(ascending(best));
});

test("without an order the first page begins with the best offers of search_flights", async () => {
  const { searchId, offers } = await agent.ask(Found, "search_flights", journey);
  expect((await more({ searchId })).offers[0]?.id).toBe(offers[0]?.id);
});

test("filters without a match are named, and a cursor of another list is refused", async () => {
  const { searchId } = await agent.ask(Found, "search_flights", journey);
  const none = await more({ searchId, airlines: ["00"], directOnly: true });
  expect(none).toMatchObject({ offers: [], matching: { offers: 0 }, emptiedBy: ["airlines"], nextCursor: null });
  const { nextCursor } = await more({ searchId, order: "price" });
  expect(nextCursor).not.toBeNull();
  for (const args of [
    { searchId, order: "duration", cursor: nextCursor },
    { searchId, order: "price", directOnly: true, cursor: nextCursor },
    { searchId, cursor: "WzEsMl0" },
    { ...journey, ages: [30], cursor: nextCursor },
  ]) {
    expect(await refused(args)).toMatchObject({ code: "invalid_input", issues: [{ path: "cursor" }] });
  }
});

test("requiring the cabin on every leg leaves out offers partly in a lower one", async () => {
  const { returnDate: _, ...oneWay } = journey;
  // The sandbox flies no first class within Europe, and sells it with a feeder in a lower cabin.
  const mixed = await more({ ...oneWay, origin: "EDI", ages: [40], cabinClass: "first" });
  expect(mixed.offers.length).toBeGreaterThan(0);
  for (const one of mixed.offers) expect(one).toHaveProperty("mixedCabins");
  expect(await more({ searchId: mixed.searchId, allInCabin: true })).toMatchObject({
    offers: [],
    matching: { offers: 0 },
    emptiedBy: ["allInCabin"],
  });
  const economy = await more({ ...oneWay, origin: "EDI", ages: [40], allInCabin: true });
  expect(economy.matching).toEqual(economy.considered);
});

test("a search that is another tenant's, or has expired, has a separate code", async () => {
  const { searchId } = await agent.ask(Found, "search_flights", journey);
  const other = await openSharedService();
  const stranger = await openAgent(other);
  expect((await stranger.call("search_more_flights", { searchId })).said).toMatchObject({ code: "search_expired" });
  await stranger.close();
  await other[Symbol.asyncDispose]();
  expect(await refused({ searchId: "sea_0" })).toMatchObject({ code: "search_expired", retryable: false });
  expect((await more({ searchId })).offers.length).toBeGreaterThan(0);
  const expire = "update found_search set expires_at = now() - interval '1 second' where tenant_id = $1";
  await service.sql(expire, [service.tenantId]);
  expect(await refused({ searchId })).toMatchObject({ code: "search_expired" });
});

test("a search id and the arguments of a search exclude each other, and without either the missing ones are named", async () => {
  expect(await refused({ searchId: "sea_1", ages: [30], origin: "LHR" })).toMatchObject({
    code: "invalid_input",
    issues: [{ path: "ages" }, { path: "origin" }],
  });
  expect(await refused({ origin: "LHR" })).toMatchObject({
    code: "invalid_input",
    issues: [{ path: "ages" }, { path: "destination" }, { path: "departureDate" }],
  });
  const same = { ...journey, destination: "LHR", ages: [30] };
  expect(await refused(same)).toMatchObject({ code: "invalid_input" });
});

test("stored searches end with their offers, and are limited per tenant", async () => {
  const world = await openBookingWorld();
  try {
    const { caller } = await world.newTenant();
    const { foundSearches, seenOffers } = world.stores;
    const found = {
      cabinClass: "economy" as const,
      considered: 1,
      offers: [offer()],
      notApplied: [],
      sandbox: true,
      provenance: { source: "test", sourceLevel: "embedded" as const, asOf: "2026-11-20T10:00:00Z" },
    };
    const packed = await packSearch(found);
    const read = async (owner: Parameters<typeof foundSearches.find>[0], searchId: string) => {
      const row = await foundSearches.find(owner, searchId);
      return row === undefined ? undefined : await unpackSearch(row);
    };
    const until = world.clock.now().add({ minutes: 30 });
    for (let index = 0; index < 203; index += 1) {
      await seenOffers.remember(caller, [], undefined, foundSearches.prepare(caller, `sea_${index}`, packed, until));
      world.clock.advance({ milliseconds: 1 });
    }
    expect(await read(caller, "sea_202")).toEqual(found);
    await foundSearches.prune();
    expect(await read(caller, "sea_2")).toBeUndefined();
    expect(await read(caller, "sea_3")).toEqual(found);
    expect(await read({ ...caller, environment: "production" }, "sea_3")).toBeUndefined();
    world.clock.advance({ minutes: 30 });
    expect(await read(caller, "sea_202")).toBeUndefined();
    await foundSearches.prune();
    const { tenantId } = caller;
    expect(
      await world.db.selectFrom("foundSearch").select("searchId").where("tenantId", "=", tenantId).execute(),
    ).toEqual([]);
  } finally {
    await world.close();
  }
});
