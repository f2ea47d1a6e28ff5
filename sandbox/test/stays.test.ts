// Hotels, rates and pictures, over HTTP.
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { request, startTestSandbox, type TestSandbox } from "./start.ts";
import { cents, daysAhead, parseData, parseError, tick } from "./supplier.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(async () => {
  await sandbox?.close();
});

const Money = z.string().regex(/^\d+\.\d{2}$/u);
const Rate = z.looseObject({
  id: z.string().startsWith("rat_0000"),
  total_amount: Money,
  base_amount: Money,
  tax_amount: Money,
  board_type: z.enum(["room_only", "breakfast", "half_board", "full_board", "all_inclusive"]),
  payment_type: z.string(),
  cancellation_timeline: z.array(
    z.object({ before: z.iso.datetime(), refund_amount: Money, currency: z.literal("USD") }),
  ),
  quantity_available: z.number(),
});
const Accommodation = z.looseObject({
  id: z.string().startsWith("acc_0000"),
  name: z.string().endsWith("(Sandbox)"),
  rating: z.number().min(1).max(5),
  review_score: z.number().min(0).max(10),
  photos: z.array(z.object({ url: z.url() })).min(1),
  location: z.looseObject({ geographic_coordinates: z.object({ latitude: z.number(), longitude: z.number() }) }),
  rooms: z.array(z.looseObject({ name: z.string(), rates: z.array(Rate) })),
});
const Result = z.looseObject({
  id: z.string().startsWith("srr_0000"),
  cheapest_rate_total_amount: Money,
  accommodation: Accommodation,
});
const Found = z.object({ created_at: z.string(), results: z.array(Result) });

const LONDON = { latitude: 51.5074, longitude: -0.1278 };
const ORLANDO_OUTSKIRTS = { latitude: 28.4, longitude: -81.5 };

function body(coordinates: { latitude: number; longitude: number }, changes: Record<string, unknown> = {}) {
  return {
    rooms: 1,
    guests: [{ type: "adult" }, { type: "adult" }],
    check_in_date: daysAhead(60),
    check_out_date: daysAhead(63),
    location: { radius: 5, geographic_coordinates: coordinates },
    ...changes,
  };
}
async function find(data: unknown) {
  return parseData(await sandbox.call("POST", "/stays/search", data), Found).results;
}
async function fetchRates(resultId: string) {
  const result = parseData(
    await sandbox.call("POST", `/stays/search_results/${resultId}/actions/fetch_all_rates`),
    Result,
  );
  return result.accommodation.rooms.flatMap((room) => room.rates);
}

test("a place has its hotels, the same ones each time, within the radius", async () => {
  for (const place of [LONDON, ORLANDO_OUTSKIRTS, { latitude: 46.5, longitude: 8.1 }]) {
    // Some are full on some nights: what a place has shows over a week.
    const hotels = new Map<string, z.infer<typeof Accommodation>>();
    for (let days = 60; days < 67; days += 1) {
      const night = { check_in_date: daysAhead(days), check_out_date: daysAhead(days + 1) };
      for (const { accommodation } of await find(body(place, night))) hotels.set(accommodation.id, accommodation);
    }
    expect(hotels.size).toBeGreaterThanOrEqual(5);
    expect(hotels.size).toBeLessThanOrEqual(40);
    for (const { location, rooms } of hotels.values()) {
      const { latitude, longitude } = location.geographic_coordinates;
      expect(Math.abs(latitude - place.latitude)).toBeLessThan(5 / 111 + 0.001);
      expect(Math.abs(longitude - place.longitude)).toBeLessThan(0.12);
      expect(rooms.every((room) => room.rates.length === 0)).toBe(true);
    }
    const results = await find(body(place));
    const again = await find(body(place));
    expect(again.map((result) => [result.accommodation.id, result.cheapest_rate_total_amount])).toEqual(
      results.map((result) => [result.accommodation.id, result.cheapest_rate_total_amount]),
    );
  }
  const moved = await find(body({ latitude: LONDON.latitude + 0.005, longitude: LONDON.longitude }));
  const known = new Set((await find(body(LONDON))).map((result) => result.accommodation.id));
  expect(moved.filter((result) => known.has(result.accommodation.id)).length).toBeGreaterThan(moved.length / 2);
});

test("every rate adds up, the cheapest is the one shown, and flexible ones can be cancelled for nothing", async () => {
  const [result] = await find(body(LONDON));
  if (result === undefined) throw new Error("no hotel found");
  const rates = await fetchRates(result.id);
  expect(rates.length).toBeGreaterThan(1);
  for (const rate of rates) expect(cents(rate.base_amount) + cents(rate.tax_amount)).toBe(cents(rate.total_amount));
  expect(Math.min(...rates.map((rate) => Number(rate.total_amount)))).toBe(Number(result.cheapest_rate_total_amount));
  const timelines = rates.map((rate) => rate.cancellation_timeline);
  expect(timelines.some((timeline) => timeline.length === 0)).toBe(true);
  for (const rate of rates.filter((candidate) => candidate.cancellation_timeline.length > 0)) {
    expect(rate.cancellation_timeline[0]?.refund_amount).toBe(rate.total_amount);
    expect(rate.cancellation_timeline.every((step) => step.before < `${daysAhead(60)}T23`)).toBe(true);
  }
  expect(new Set(rates.map((rate) => rate.id)).size).toBe(rates.length);
});

test("free_cancellation_only leaves the flexible rates only", async () => {
  const [result] = await find(body(LONDON, { free_cancellation_only: true }));
  const rates = await fetchRates(result?.id ?? "");
  expect(rates.length).toBeGreaterThan(0);
  expect(rates.every((rate) => rate.cancellation_timeline[0]?.refund_amount === rate.total_amount)).toBe(true);
});

test("nights, rooms and guests move the price; cities have their level", async () => {
  const readPrices = async (changes: Record<string, unknown>) => {
    const results = await find(body(LONDON, changes));
    return (id: string) => Number(results.find((result) => result.accommodation.id === id)?.cheapest_rate_total_amount);
  };
  const one = await readPrices({});
  const two = await readPrices({ rooms: 2, guests: [{ type: "adult" }, { type: "adult" }] });
  const more = await readPrices({
    guests: [{ type: "adult" }, { type: "adult" }, { type: "adult" }, { type: "child", age: 6 }],
  });
  const [id = ""] = (await find(body(LONDON))).map((result) => result.accommodation.id);
  expect(two(id) / one(id)).toBeCloseTo(2, 2);
  expect(more(id)).toBeGreaterThan(one(id));
  const median = async (place: { latitude: number; longitude: number }) => {
    const prices = (await find(body(place)))
      .filter((result) => result.accommodation.rating === 3)
      .map((result) => Number(result.cheapest_rate_total_amount));
    return prices.sort((a, b) => a - b)[Math.floor(prices.length / 2)] ?? 0;
  };
  expect(await median(LONDON)).toBeGreaterThan(1.3 * (await median({ latitude: 21.0285, longitude: 105.8542 })));
});

test("a hotel is found by its id, with rates for given dates, and has pictures", async () => {
  const [result] = await find(body(LONDON));
  const { id = "", photos } = result?.accommodation ?? {};
  const plain = parseData(await sandbox.call("GET", `/stays/accommodation/${id}`), Accommodation);
  expect(plain).toMatchObject({ id, name: result?.accommodation.name });
  const dated = parseData(
    await sandbox.call(
      "GET",
      `/stays/accommodation/${id}?check_in_date=${daysAhead(60)}&check_out_date=${daysAhead(63)}&adults=2`,
    ),
    Accommodation,
  );
  expect(Math.min(...dated.rooms.flatMap((room) => room.rates.map((rate) => Number(rate.total_amount))))).toBe(
    Number(result?.cheapest_rate_total_amount),
  );
  const byId = await find({ ...body(LONDON), location: undefined, accommodation: { ids: [id], fetch_rates: true } });
  expect(byId.map((found) => found.accommodation.id)).toEqual([id]);
  expect(byId[0]?.accommodation.rooms[0]?.rates.length).toBeGreaterThan(0);
  const picture = await request(photos?.[0]?.url ?? "", {});
  expect(picture.headers.get("content-type")).toContain("image/svg+xml");
  expect(picture.body).toContain("Sandbox");
  expect(parseError(await sandbox.call("GET", `/stays/accommodation/${id.slice(0, -1)}_`))).toMatchObject({
    status: 404,
  });
});

test("the test hotels are where the supplier has them", async () => {
  const names = (
    await find(
      body(
        { latitude: -24.38, longitude: -128.32 },
        { location: { radius: 1, geographic_coordinates: { latitude: -24.38, longitude: -128.32 } } },
      ),
    )
  ).map((result) => result.accommodation.name);
  expect(names.filter((name) => name.startsWith("Test Hotel")).length).toBe(6);
});

test("nonsense is refused at its place; results expire", async () => {
  const cases: [Record<string, unknown>, string][] = [
    [{ rooms: 0 }, "/rooms"],
    [{ guests: [] }, "/guests"],
    [{ guests: [{ type: "child" }, { type: "adult" }] }, "/guests/0/age"],
    [{ rooms: 2, guests: [{ type: "adult" }] }, "/guests"],
    [{ check_in_date: daysAhead(-3) }, "/check_in_date"],
    [{ check_in_date: "2027-02-30" }, "/check_in_date"],
    [{ check_out_date: daysAhead(60) }, "/check_out_date"],
    [{ location: undefined }, "/location"],
    [
      { location: { radius: 5, geographic_coordinates: { latitude: 91, longitude: 0 } } },
      "/location/geographic_coordinates/latitude",
    ],
  ];
  for (const [changes, pointer] of cases) {
    const answer = parseError(await sandbox.call("POST", "/stays/search", body(LONDON, changes)));
    expect(answer, pointer).toMatchObject({ status: 422, type: "validation_error", pointer });
  }
  const [result] = await find(body(LONDON));
  await tick(sandbox, 31 * 60);
  expect(
    parseError(await sandbox.call("POST", `/stays/search_results/${result?.id}/actions/fetch_all_rates`)),
  ).toMatchObject({ code: "search_result_expired" });
});
