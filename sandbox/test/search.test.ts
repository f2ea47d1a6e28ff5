// Reference data, places, searches and their errors, over HTTP.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { request, SUPPLIER_HEADERS, startTestSandbox, type TestSandbox } from "./start.ts";
import { cents, daysAhead, Offer, OfferRequest, parseData, parseError, search } from "./supplier.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(async () => {
  await sandbox?.close();
});

const Listed = z.object({
  data: z.array(z.looseObject({ id: z.string(), iata_code: z.string() })),
  meta: z.object({ limit: z.number(), before: z.string().nullable(), after: z.string().nullable() }),
});

async function failOn(data: unknown, path = "/air/offer_requests") {
  return parseError(await sandbox.call("POST", path, data));
}

function body(changes: Record<string, unknown> = {}) {
  return {
    slices: [{ origin: "LHR", destination: "JFK", departure_date: daysAhead(60) }],
    passengers: [{ type: "adult" }],
    ...changes,
  };
}

describe("headers", () => {
  const get = async (headers: Record<string, string>) =>
    parseError(await request(`${sandbox.url}/air/airlines`, { headers }));
  test("each missing or wrong one has its own error", async () => {
    const { authorization, "duffel-version": version } = SUPPLIER_HEADERS;
    expect(await get({ "duffel-version": version })).toMatchObject({
      status: 401,
      type: "authentication_error",
      code: "missing_authorization_header",
    });
    expect(await get({ authorization: "Bearer wrong", "duffel-version": version })).toMatchObject({
      status: 401,
      code: "access_token_not_found",
    });
    expect(await get({ authorization })).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      code: "missing_version_header",
    });
    expect(await get({ authorization, "duffel-version": "v1" })).toMatchObject({
      status: 400,
      code: "unsupported_version",
    });
    const answer = await sandbox.call("GET", "/air/airlines?limit=1");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/u);
  });
  test("the health route needs none", async () => {
    expect((await request(`${sandbox.url}/healthz`, {})).status).toBe(200);
  });
  test("unknown paths and ids are not found", async () => {
    expect(parseError(await sandbox.call("GET", "/air/nothing"))).toMatchObject({ status: 404, code: "not_found" });
    expect(parseError(await sandbox.call("GET", "/air/airports/arp_xxx_gb"))).toMatchObject({
      status: 404,
      code: "not_found",
    });
    expect(parseError(await sandbox.call("GET", "/air/orders/ord_0000000000000000000000"))).toMatchObject({
      status: 404,
    });
  });
  test("a body that is no JSON, or has no data, is refused", async () => {
    const post = async (text: string) =>
      parseError(
        await request(`${sandbox.url}/air/offer_requests`, { method: "POST", headers: SUPPLIER_HEADERS, body: text }),
      );
    expect(await post("{")).toMatchObject({ status: 400, type: "invalid_request_error" });
    expect(await post("[]")).toMatchObject({ status: 422, type: "validation_error" });
    expect(await post("{}")).toMatchObject({ status: 422, code: "validation_required" });
    expect(await post(`{"data":"${"x".repeat(1_000_001)}"}`)).toMatchObject({ status: 413 });
  });
});

describe("reference data", () => {
  test("pages lead through every airline, forwards and back", async () => {
    const seen: string[] = [];
    let path = "/air/airlines?limit=40";
    let last: z.infer<typeof Listed> | undefined;
    for (;;) {
      last = Listed.parse((await sandbox.call("GET", path)).body);
      seen.push(...last.data.map((airline) => airline.id));
      if (last.meta.after === null) break;
      path = `/air/airlines?limit=40&after=${last.meta.after}`;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThan(60);
    const back = Listed.parse((await sandbox.call("GET", `/air/airlines?limit=40&before=${last.meta.before}`)).body);
    expect(back.data.map((airline) => airline.id)).toEqual(
      seen.slice(seen.length - last.data.length - 40, seen.length - last.data.length),
    );
  });
  test("what a list shows is found by its id, also with a trailing slash", async () => {
    for (const path of ["/air/airlines", "/air/airports", "/air/aircraft"]) {
      const [first] = Listed.parse((await sandbox.call("GET", `${path}/?limit=1`)).body).data;
      const one = parseData(await sandbox.call("GET", `${path}/${first?.id}`), z.looseObject({ id: z.string() }));
      expect(one).toEqual(first);
    }
    expect(parseError(await sandbox.call("GET", "/air/airlines?limit=201"))).toMatchObject({
      status: 422,
      type: "validation_error",
    });
  });
});

describe("places", () => {
  const Place = z.looseObject({ type: z.enum(["airport", "city"]), iata_code: z.string(), name: z.string() });
  const suggest = async (query: string) =>
    parseData(await sandbox.call("GET", `/places/suggestions?${query}`), z.array(Place));
  test("a name finds the city and its airports, an accent more or less", async () => {
    expect((await suggest("query=london")).slice(0, 2).map((place) => place.iata_code)).toEqual(["LON", "LGW"]);
    expect((await suggest("query=NRT"))[0]).toMatchObject({ type: "airport", iata_code: "NRT" });
    expect((await suggest("query=zurich"))[0]).toMatchObject({ iata_code: "ZRH" });
    expect(await suggest("query=qqqqqq")).toEqual([]);
  });
  test("a radius in metres finds the airports inside it, nearest first", async () => {
    expect((await suggest("lat=51.47&lng=-0.45&rad=3000")).map((place) => place.iata_code)).toEqual(["LHR"]);
    const wider = (await suggest("lat=51.47&lng=-0.45&rad=45000")).map((place) => place.iata_code);
    expect(wider[0]).toBe("LHR");
    expect(wider).toContain("LGW");
    expect(parseError(await sandbox.call("GET", "/places/suggestions?lat=51"))).toMatchObject({ status: 422 });
    expect(parseError(await sandbox.call("GET", "/places/suggestions"))).toMatchObject({ status: 422 });
  });
});

describe("searches", () => {
  test("an offer request answers offers, which are found again by their ids and as a list", async () => {
    const found = await search(sandbox, { origin: "LHR", destination: "JFK", returnDays: 67 });
    expect(found.offers.length).toBeGreaterThanOrEqual(8);
    for (const offer of found.offers) {
      expect(cents(offer.base_amount) + cents(offer.tax_amount)).toBe(cents(offer.total_amount));
      expect(offer.slices.map((slice) => slice.segments[0]?.origin.iata_code)).toEqual(["LHR", "JFK"]);
    }
    const [first] = found.offers;
    expect(parseData(await sandbox.call("GET", `/air/offers/${first?.id}`), Offer)).toMatchObject({
      id: first?.id,
      total_amount: first?.total_amount,
    });
    const again = parseData(await sandbox.call("GET", `/air/offer_requests/${found.id}`), OfferRequest);
    expect(again.offers).toEqual(found.offers);
    const sorted = parseData(
      await sandbox.call("GET", `/air/offers/?offer_request_id=${found.id}&sort=total_amount&limit=200`),
      z.array(Offer),
    );
    const amounts = sorted.map((offer) => Number(offer.total_amount));
    expect(amounts).toEqual(found.offers.map((offer) => Number(offer.total_amount)).sort((a, b) => a - b));
  });
  test("return_offers=false only opens the request, with and without the trailing slash", async () => {
    for (const path of ["/air/offer_requests?return_offers=false", "/air/offer_requests/?return_offers=false"]) {
      const opened = parseData(
        await sandbox.call("POST", path, body()),
        z.looseObject({ id: z.string(), offers: z.undefined().optional() }),
        201,
      );
      const offers = parseData(
        await sandbox.call("GET", `/air/offers?offer_request_id=${opened.id}&limit=3`),
        z.array(Offer),
      );
      expect(offers.length).toBe(3);
    }
  });
  test("private fares reduce the airline's price and show", async () => {
    const plain = await search(sandbox, { origin: "LHR", destination: "JFK" });
    const reduced = await search(sandbox, {
      origin: "LHR",
      destination: "JFK",
      private_fares: { BA: [{ corporate_code: "ACME", account_number: "42" }] },
    });
    const price = (request: typeof plain, airline: string) =>
      Math.min(
        ...request.offers
          .filter((offer) => offer.owner.iata_code === airline)
          .map((offer) => Number(offer.total_amount)),
      );
    expect(price(reduced, "BA")).toBeLessThan(0.96 * price(plain, "BA"));
    expect(price(reduced, "VS")).toBe(price(plain, "VS"));
    const shown = reduced.offers.find((offer) => offer.owner.iata_code === "BA")?.private_fares;
    expect(shown).toEqual([{ type: "corporate", corporate_code: "ACME", account_number: "42" }]);
    expect(await failOn(body({ private_fares: { AA: [{ corporate_code: "ACME" }] } }))).toMatchObject({
      status: 422,
      code: "validation_required",
    });
  });
  test("leisure fare types change the price; unknown ones are refused", async () => {
    const plain = await search(sandbox, { origin: "LHR", destination: "JFK" });
    const student = await search(sandbox, {
      origin: "LHR",
      destination: "JFK",
      passengers: [{ fare_type: "student", age: 20 }],
    });
    expect(Number(student.offers[0]?.total_amount)).toBeLessThan(Number(plain.offers[0]?.total_amount));
    expect(student.offers[0]?.passengers[0]).toMatchObject({ fare_type: "student" });
    expect(await failOn(body({ passengers: [{ fare_type: "air_crew" }] }))).toEqual({
      status: 422,
      type: "validation_error",
      code: "validation_inclusion",
      pointer: "/passengers/0/fare_type",
    });
  });
  test("loyalty accounts come back with their passenger and need a name", async () => {
    const accounts = [{ airline_iata_code: "BA", account_number: "12901014" }];
    const found = await search(sandbox, {
      origin: "LHR",
      destination: "JFK",
      passengers: [
        { type: "adult", given_name: "Amelia", family_name: "Earhart", loyalty_programme_accounts: accounts },
      ],
    });
    expect(found.offers[0]?.passengers[0]?.loyalty_programme_accounts).toEqual(accounts);
    expect(await failOn(body({ passengers: [{ type: "adult", loyalty_programme_accounts: accounts }] }))).toMatchObject(
      { code: "validation_required" },
    );
  });
  test("time windows and cabins narrow the choice", async () => {
    const slices = [
      {
        origin: "LHR",
        destination: "CDG",
        departure_date: daysAhead(60),
        departure_time: { from: "09:00", to: "14:00" },
      },
    ];
    const found = parseData(await sandbox.call("POST", "/air/offer_requests", body({ slices })), OfferRequest, 201);
    const times = found.offers.map((offer) => offer.slices[0]?.segments[0]?.departing_at.slice(11, 16) ?? "");
    expect(times.length).toBeGreaterThan(0);
    expect(times.every((time) => time >= "09:00" && time <= "14:00")).toBe(true);
    const first = await search(sandbox, {
      origin: "LHR",
      destination: "JFK",
      cabin_class: "business",
      max_connections: 0,
    });
    expect(
      first.offers.flatMap((offer) =>
        offer.slices.flatMap((slice) => slice.segments.map((segment) => segment.passengers[0]?.cabin_class)),
      ),
    ).toContain("business");
    expect(first.offers.every((offer) => offer.slices[0]?.segments.length === 1)).toBe(true);
  });
  test("nonsense is refused at its place", async () => {
    const slice = { origin: "LHR", destination: "JFK", departure_date: daysAhead(60) };
    const cases: [Record<string, unknown>, string, string][] = [
      [{ slices: [] }, "validation_length", "/slices"],
      [{ slices: [{ ...slice, origin: "QQQ" }] }, "validation_inclusion", "/slices/0/origin"],
      [{ slices: [{ ...slice, destination: "LHR" }] }, "validation_exclusion", "/slices/0/destination"],
      [{ slices: [{ ...slice, departure_date: "2027-02-30" }] }, "validation_format", "/slices/0/departure_date"],
      [
        { slices: [{ ...slice, departure_date: daysAhead(-2) }] },
        "validation_date_in_past",
        "/slices/0/departure_date",
      ],
      [
        { slices: [slice, { origin: "JFK", destination: "LHR", departure_date: daysAhead(50) }] },
        "validation_date_order",
        "/slices/1/departure_date",
      ],
      [{ passengers: [] }, "validation_length", "/passengers"],
      [{ passengers: Array.from({ length: 10 }, () => ({ type: "adult" })) }, "validation_length", "/passengers"],
      [{ passengers: [{}] }, "validation_required", "/passengers/0/type"],
      [{ passengers: [{ type: "infant_without_seat" }] }, "validation_length", "/passengers"],
      [{ cabin_class: "cargo" }, "validation_inclusion", "/cabin_class"],
      [{ airline_credit_ids: ["acd_none"] }, "validation_inclusion", "/airline_credit_ids"],
    ];
    for (const [changes, code, pointer] of cases) {
      expect(await failOn(body(changes)), JSON.stringify(changes)).toEqual({
        status: 422,
        type: "validation_error",
        code,
        pointer,
      });
    }
    expect(await failOn(body(), "/air/offer_requests?supplier_timeout=100")).toMatchObject({ status: 422 });
  });
  test("nine passengers travel", async () => {
    const passengers = Array.from({ length: 9 }, () => ({ type: "adult" }));
    expect(
      (await search(sandbox, { origin: "LHR", destination: "JFK", passengers })).offers[0]?.passengers.length,
    ).toBe(9);
  });
});

describe("fixed routes", () => {
  const searchOffers = async (origin: string, destination: string) =>
    (await search(sandbox, { origin, destination })).offers;
  test("PVD-RAI has no offers", async () => expect(await searchOffers("PVD", "RAI")).toEqual([]));
  test("JFK-EWR can all be held", async () => {
    const offers = await searchOffers("JFK", "EWR");
    expect(offers.length).toBeGreaterThan(2);
    expect(offers.map((offer) => offer.payment_requirements.requires_instant_payment)).not.toContain(true);
  });
  test("LHR-DXB connects", async () => {
    const offers = await searchOffers("LHR", "DXB");
    expect(offers.length).toBeGreaterThan(2);
    for (const offer of offers) expect(offer.slices[0]?.segments.length).toBe(2);
  });
  test("BTS-MRU has no bags", async () => {
    const listBags = (offers: Offer[]) =>
      offers.flatMap((offer) => offer.slices[0]?.segments[0]?.passengers[0]?.baggages ?? []);
    const offers = await searchOffers("BTS", "MRU");
    expect(offers.length).toBeGreaterThan(2);
    expect(listBags(offers)).toEqual([]);
    expect(listBags(await searchOffers("LHR", "JFK")).length).toBeGreaterThan(0);
  });
  test("DXB-AMS stops once on the way", async () => {
    for (const offer of await searchOffers("DXB", "AMS"))
      expect(offer.slices[0]?.segments.map((segment) => segment.stops.length)).toEqual([1]);
  });
  test("STN-LHR is not answered by the airline in time", async () => {
    const slices = [{ origin: "STN", destination: "LHR", departure_date: daysAhead(60) }];
    const asked = sandbox.call("POST", "/air/offer_requests?supplier_timeout=60000", body({ slices }));
    // The clock is moved until the minute is over, whenever the request arrived.
    let answered = false;
    asked.finally(() => {
      answered = true;
    });
    while (!answered) await sandbox.control("POST", "/_sandbox/tick", { advanceSeconds: 61 });
    expect(parseError(await asked)).toMatchObject({ status: 504, type: "api_error" });
  });
});
