// Rates that the operator agreed with hotels, and what a traveller reads about hotels before booking.
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { startTestSandbox, type TestSandbox } from "./start.ts";
import { Accommodation, allRates, bookStay, findStays, Quote, stayBooks, TEST_PLACE } from "./stays-support.ts";
import { cents, parseData, parseError } from "./supplier.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(async () => {
  await sandbox?.close();
});

const NegotiatedRate = z.object({
  id: z.string().startsWith("nre_0000"),
  rate_access_code: z.string(),
  display_name: z.string(),
  chain_id: z.string().nullable(),
  accommodation_ids: z.array(z.string()).nullable(),
  live_mode: z.literal(false),
});
const RATES = "/stays/negotiated_rates";
const create = async (changes: Record<string, unknown>) =>
  parseData(
    await sandbox.call("POST", RATES, { rate_access_code: "ACME1", display_name: "Acme Corporate", ...changes }),
    NegotiatedRate,
    201,
  );

test("a negotiated rate is made, read, listed, changed and deleted; its access code stays", async () => {
  const [first, second] = await findStays(sandbox);
  const made = await create({ accommodation_ids: [first?.accommodation.id] });
  expect(made).toMatchObject({ chain_id: null, accommodation_ids: [first?.accommodation.id] });
  const path = `${RATES}/${made.id}`;
  expect(parseData(await sandbox.call("GET", path), NegotiatedRate)).toEqual(made);
  const other = await create({ chain_id: first?.accommodation.chain?.id });
  expect(other).toMatchObject({ chain_id: first?.accommodation.chain?.id, accommodation_ids: null });
  const listed = parseData(await sandbox.call("GET", `${RATES}?limit=1`), z.array(NegotiatedRate));
  expect(listed).toEqual([other]);
  const changed = parseData(
    await sandbox.call("PATCH", path, { display_name: "Acme", accommodation_ids: [second?.accommodation.id] }),
    NegotiatedRate,
  );
  expect(changed).toEqual({ ...made, display_name: "Acme", accommodation_ids: [second?.accommodation.id] });
  expect(parseError(await sandbox.call("PATCH", path, { rate_access_code: "ACME2" }))).toMatchObject({
    status: 422,
    pointer: "/rate_access_code",
  });
  const moved = parseData(await sandbox.call("PATCH", path, { chain_id: other.chain_id }), NegotiatedRate);
  expect(moved).toMatchObject({ chain_id: other.chain_id, accommodation_ids: null, rate_access_code: "ACME1" });
  for (const id of [made.id, other.id]) expect((await sandbox.call("DELETE", `${RATES}/${id}`)).status).toBe(204);
  expect(parseError(await sandbox.call("GET", path))).toMatchObject({ status: 404 });
  expect(parseError(await sandbox.call("DELETE", path))).toMatchObject({ status: 404 });
});

test("a negotiated rate is for known accommodation or a known chain, and for one of them", async () => {
  const [hotel] = await findStays(sandbox);
  const { id, chain } = hotel?.accommodation ?? {};
  const cases: [Record<string, unknown>, string][] = [
    [{}, "/accommodation_ids"],
    [{ accommodation_ids: ["acc_0000nowhere"] }, "/accommodation_ids/0"],
    [{ chain_id: "chn_0000none" }, "/chain_id"],
    [{ chain_id: chain?.id, accommodation_ids: [id] }, "/chain_id"],
    [{ accommodation_ids: [id], display_name: "" }, "/display_name"],
  ];
  for (const [changes, pointer] of cases) {
    const body = { rate_access_code: "ACME1", display_name: "Acme Corporate", ...changes };
    expect(parseError(await sandbox.call("POST", RATES, body)), pointer).toMatchObject({ status: 422, pointer });
  }
});

test("a search that names negotiated rates finds them where they hold, cheaper, and books them", async () => {
  const [one, two] = await findStays(sandbox);
  const agreed = await create({ accommodation_ids: [one?.accommodation.id] });
  const [plain] = await findStays(sandbox);
  expect((await allRates(sandbox, plain?.id ?? "")).every((rate) => rate.negotiated_rate_id === null)).toBe(true);
  const found = await findStays(sandbox, { negotiated_rate_ids: [agreed.id] });
  const [here, there] = [one, two].map((hotel) =>
    found.find((result) => result.accommodation.id === hotel?.accommodation.id),
  );
  expect(here?.supported_negotiated_rates).toEqual([{ id: agreed.id, display_name: "Acme Corporate" }]);
  expect(there?.supported_negotiated_rates).toEqual([]);
  expect(cents(here?.cheapest_rate_total_amount ?? "")).toBeLessThan(cents(one?.cheapest_rate_total_amount ?? ""));
  expect(there?.cheapest_rate_total_amount).toBe(two?.cheapest_rate_total_amount);
  const rate = (await allRates(sandbox, here?.id ?? "")).find(
    (candidate) => candidate.total_amount === here?.cheapest_rate_total_amount,
  );
  expect(rate).toMatchObject({ negotiated_rate_id: agreed.id, name: "Acme Corporate" });
  const quote = parseData(await sandbox.call("POST", "/stays/quotes", { rate_id: rate?.id }), Quote, 201);
  await bookStay(sandbox, quote);
  expect((await stayBooks(sandbox)).stayBookings.at(-1)?.paid_amount).toBe(rate?.total_amount);
  // The whole chain, by its id; and a rate that is gone cannot be named any more.
  const chain = await create({ chain_id: one?.accommodation.chain?.id });
  const inChain = await findStays(sandbox, { negotiated_rate_ids: [chain.id] });
  const holds = inChain.filter((result) => result.supported_negotiated_rates.length === 1);
  expect(holds.map((result) => result.id)).toEqual(
    inChain.filter((result) => result.accommodation.chain?.id === chain.chain_id).map((result) => result.id),
  );
  expect(holds.length).toBeGreaterThan(1);
  await sandbox.call("DELETE", `${RATES}/${agreed.id}`);
  const body = {
    rooms: 1,
    guests: [{ type: "adult" }],
    check_in_date: here?.check_in_date,
    check_out_date: here?.check_out_date,
    location: { radius: 2, geographic_coordinates: TEST_PLACE },
    negotiated_rate_ids: [chain.id, agreed.id],
  };
  expect(parseError(await sandbox.call("POST", "/stays/search", body))).toMatchObject({
    pointer: "/negotiated_rate_ids/1",
  });
});

test("hotels around a place, their reviews, brands and programmes can be read", async () => {
  const London = "latitude=51.5074&longitude=-0.1278&radius=3";
  const Page = z.object({ meta: z.object({ after: z.string().nullable() }) });
  const ids: string[] = [];
  let after: string | null = "";
  while (after !== null) {
    const cursor: string = after === "" ? "" : `&after=${after}`;
    const answer = await sandbox.call("GET", `/stays/accommodation?${London}&limit=10${cursor}`);
    const page = parseData(answer, z.array(Accommodation));
    expect(page.length).toBeLessThanOrEqual(10);
    ids.push(...page.map((hotel) => hotel.id));
    after = Page.parse(answer.body).meta.after;
  }
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(10);
  expect(parseError(await sandbox.call("GET", "/stays/accommodation?latitude=51"))).toMatchObject({
    pointer: "/longitude",
  });
  const Reviews = z.object({
    reviews: z.array(
      z.object({ reviewer_name: z.string(), score: z.number(), text: z.string(), created_at: z.iso.datetime() }),
    ),
  });
  const read = async () => parseData(await sandbox.call("GET", `/stays/accommodation/${ids[0]}/reviews`), Reviews);
  const { reviews } = await read();
  expect(reviews.length).toBeGreaterThan(3);
  expect(reviews.every((review) => review.score >= 1 && review.score <= 10)).toBe(true);
  expect(await read()).toEqual({ reviews });
  const Brand = z.object({ id: z.string().startsWith("bra_0000"), name: z.string().endsWith("(Sandbox)") });
  const brands = parseData(await sandbox.call("GET", "/stays/brands"), z.array(Brand));
  expect(parseData(await sandbox.call("GET", `/stays/brands/${brands[0]?.id}`), Brand)).toEqual(brands[0]);
  const programmes = parseData(
    await sandbox.call("GET", "/stays/loyalty_programmes"),
    z.array(z.looseObject({ reference: z.string() })),
  );
  expect(programmes.map((programme) => programme.reference)).toEqual(["duffel_hotel_group_rewards"]);
});

test("suggestions name hotels by what was typed, around a place or in the towns that it names", async () => {
  const Suggestion = z.object({
    accommodation_id: z.string().startsWith("acc_0000"),
    accommodation_name: z.string(),
    accommodation_location: z.looseObject({ address: z.looseObject({ city_name: z.string() }) }),
  });
  const suggest = async (data: unknown) =>
    parseData(await sandbox.call("POST", "/stays/accommodation/suggestions", data), z.array(Suggestion));
  const inLisbon = await suggest({ query: "lisbo" });
  expect(inLisbon.length).toBeGreaterThan(2);
  expect(inLisbon.every((hotel) => hotel.accommodation_location.address.city_name.startsWith("Lisb"))).toBe(true);
  const [wanted] = inLisbon;
  const named = await suggest({ query: `${wanted?.accommodation_name.split(" ")[0]} Lisbon` });
  expect(named.map((hotel) => hotel.accommodation_id)).toContain(wanted?.accommodation_id);
  expect(named.length).toBeLessThan(inLisbon.length);
  const near = await suggest({
    query: "test hot",
    location: { radius: 1, geographic_coordinates: TEST_PLACE },
  });
  expect(near.map((hotel) => hotel.accommodation_name)).toEqual(
    Array.from({ length: 6 }, (_, index) => expect.stringContaining(`Test Hotel ${index + 1}`)),
  );
  expect(parseError(await sandbox.call("POST", "/stays/accommodation/suggestions", { query: "ab" }))).toMatchObject({
    pointer: "/query",
  });
});
