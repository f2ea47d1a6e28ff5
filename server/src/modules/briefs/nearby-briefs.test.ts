import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { readPng } from "../../../test/support/read-png.ts";
import { type Answer, type ScriptedServer, startScriptedServer } from "../../../test/support/scripted-server.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { tilePng } from "../../../test/support/tile-png.ts";
import { requireResult } from "../../../test/support/treasury.ts";

const LISBON = { latitude: 38.7223, longitude: -9.1393 };
const HELP = {
  version: 0.6,
  elements: [
    {
      type: "way",
      id: 2,
      center: { lat: 38.73, lon: -9.14 },
      tags: { amenity: "hospital", name: "Far\u202e Hospital" },
    },
    { type: "node", id: 1, lat: 38.7224, lon: -9.1393, tags: { amenity: "pharmacy", "contact:phone": "+351 21" } },
    { type: "node", id: 3, lat: 38.7, lon: -9.1, tags: { office: "diplomatic", name: "Embassy" } },
    { type: "node", id: 4, tags: { amenity: "police" } },
  ],
};
const DINER = { cuisine: "pizza;sea_food", wheelchair: "yes" };
const RESTAURANTS = {
  elements: [
    { lat: 38.73, lon: -9.14, tags: { name: "Second", website: "javascript:alert(1)" } },
    { lat: 38.7169, lon: -9.1399, tags: { name: "First", ...DINER, "addr:street": "Rua", "addr:housenumber": "1" } },
  ],
};

const CardAnswer = z.looseObject({
  map: z.looseObject({ lightPngUrl: z.string(), svgUrl: z.string(), ground: z.looseObject({}) }).nullable(),
  restaurants: z.array(
    z.looseObject({ name: z.string(), way: z.unknown(), directions: z.looseObject({ google: z.string() }) }),
  ),
  card: z.object({ text: z.string() }),
  notes: z.array(z.string()),
});

const MapAnswer = z.object({
  map: z.object({ lightPngUrl: z.string(), svgUrl: z.string(), ground: z.looseObject({}) }),
  attribution: z.array(z.string()),
});

describe("with a source", () => {
  let server: ScriptedServer;
  let service: TestService;
  let answer: Answer | undefined;
  /** Answers for roads and tiles. */
  let way: Answer;
  let tile: Answer;
  const answerTo = (path: string, data = ""): Answer => {
    if (path.startsWith("/tiles/")) return tile;
    if (path.startsWith("/route/")) return way;
    return answer ?? { status: 200, json: data.includes("restaurant") ? RESTAURANTS : HELP };
  };
  const ROUTE = { code: "Ok", routes: [{ distance: 27_512, duration: 2_400 }], waypoints: [] };
  const GREEN = { status: 200, bytes: tilePng(), headers: { "content-type": "image/png" } };
  beforeEach(() => {
    answer = undefined;
    way = { status: 200, json: ROUTE };
    tile = GREEN;
  });
  beforeAll(async () => {
    server = await startScriptedServer(({ path, query }) => answerTo(path, query.data));
    const overpass = { OVERPASS_URL: server.url, OVERPASS_MS_BETWEEN: "0", PROVIDERS_TIMEOUT_MS: "3000" };
    const osrm = { OSRM_DRIVING_URL: server.url, OSRM_WALKING_URL: server.url, OSRM_MS_BETWEEN: "0" };
    const tiles = { MAP_TILES_URL: `${server.url}/tiles`, MAP_TILES_MS_BETWEEN: "0" };
    service = await startTestService({ ...overpass, ...osrm, ...tiles });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await server.close();
  });
  const call = async (tool: string, args: object) => requireResult(await service.call(tool, args));
  /** The result and the price of the call. */
  async function priced(tool: string, args: object) {
    const answered = await service.call(tool, args);
    const meter = answered.headers.get("x-service-meter-id");
    const [record] = await service.sql("select list_price_micro from usage_record where id = $1", [meter]);
    return { result: requireResult(answered), priceMicroUsdc: record?.list_price_micro };
  }

  it("lists the nearest help by the map, nearest first", async () => {
    const { nearestHelp } = await call("travel_safety_aid", LISBON);
    expect(nearestHelp).toMatchObject({
      available: true,
      source: "overpass",
      sourceLevel: "open",
      fallbackFrom: [],
      attribution: [expect.stringContaining("OpenStreetMap")],
      places: [
        { kind: "pharmacy", name: null, phone: "+351 21", distanceMeters: 11 },
        { kind: "hospital", name: "Far Hospital" },
        { kind: "diplomatic", name: "Embassy" },
      ],
    });
    expect(server.requests.at(-1)).toMatchObject({
      path: "/api/interpreter",
      query: { data: expect.stringContaining("around:5000,38.7223,-9.1393") },
    });
  });

  it("lists restaurants, nearest first, and passes only a word of the wish to the query", async () => {
    const found = await call("recommend_restaurants", {
      location: "Lisbon, Portugal",
      cuisine: 'Sea Food"](1);out;',
      priceLevel: "moderate",
      partySize: 4,
    });
    expect(found).toMatchObject({
      available: true,
      source: "overpass",
      place: { label: "Lisbon, Portugal" },
      restaurants: [
        { name: "First", cuisines: ["pizza", "sea food"], wheelchair: "yes", address: "Rua 1", website: null },
        { name: "Second", website: null },
      ],
    });
    expect(found.notApplied).toHaveLength(2);
    expect(server.requests.at(-1)?.query.data).toContain('["cuisine"~"(^|;) *sea_food1out",i]');
  });

  it("puts restaurants on one map, with the way to each from the start, nearest to the start first", async () => {
    const wish = {
      location: "Lisbon, Portugal",
      fromLatitude: 38.7301,
      fromLongitude: -9.1401,
      fromLabel: "Hotel\u202e",
    };
    const card = CardAnswer.parse(
      await call("restaurant_route_card", { ...wish, occasion: "🎂 Birthday", languageCode: "de" }),
    );
    expect(card).toMatchObject({
      available: true,
      source: "overpass",
      start: { label: "Hotel", note: null },
      notes: [],
      restaurants: [
        { name: "Second", number: 2, way: { isEstimate: false, source: "osrm", minutes: 40 } },
        { name: "First", number: 3, way: { roadKilometers: 27.5 } },
      ],
      language: { used: "de" },
      attribution: [expect.stringContaining("OpenStreetMap"), expect.stringContaining("DejaVu")],
    });
    for (const text of ["1. Start: Hotel", "2. Second", "3. First", "🎂 Birthday", card.map?.lightPngUrl ?? "-"]) {
      expect(card.card.text).toContain(text);
    }
    expect(new URL(card.restaurants[1]?.directions.google ?? "").searchParams.get("origin")).toBe(
      "38.730100,-9.140100",
    );
    const svg = await (await fetch(card.map?.svgUrl ?? "")).text();
    // From the start to each: both lines begin at the same point.
    const [, first, second] = /class="route" d="M([\d.,]+)[^M]*M([\d.,]+)/.exec(svg) ?? [];
    expect([first, svg.includes("Second"), svg.includes("2 Restaurants")]).toEqual([second, true, true]);
  });

  it("draws a map on tiles with their attribution, and without them if one is missing", async () => {
    const draw = async (latitude: number) => {
      const stops = [0, 0.01].map((more) => ({ latitude: latitude + more, longitude: 20, label: `Stop ${more}` }));
      const { map, attribution } = MapAnswer.parse(await call("export_route_map", { stops }));
      const svg = await fetch(map.svgUrl);
      return { map, attribution, svg: await svg.text(), light: await readPng(map.lightPngUrl), headers: svg.headers };
    };
    const tiled = await draw(40);
    expect(tiled.map.ground).toMatchObject({ source: "osm-tiles", sourceLevel: "open", fallbackFrom: [] });
    expect(tiled.attribution).toEqual([expect.stringContaining("OpenStreetMap contributors"), "DejaVu Fonts"]);
    expect(tiled.svg.match(/<image [^>]*href="data:image\/png;base64,/g)?.length).toBeGreaterThanOrEqual(12);
    expect(tiled.svg).toContain("Straight lines, not roads · © OpenStreetMap contributors");
    expect(tiled.headers.get("content-security-policy")).toContain("img-src data:");
    const [red = 0, green = 0, blue = 0] = tiled.light.colorAt(5, 300);
    expect(green > red && green > blue).toBe(true);
    tile = { status: 404 };
    const bare = await draw(41);
    expect(bare.map.ground).toMatchObject({
      source: "schematic",
      sourceLevel: "embedded",
      fallbackFrom: [{ source: "osm-tiles", reason: "refused" }],
    });
    expect(bare.svg).toContain("Schematic: streets are not shown");
    expect(bare.svg).not.toContain("<image");
    expect(bare.attribution.join()).not.toContain("OpenStreetMap");
    tile = GREEN;
    // Too far for streets, so no source is asked.
    server.requests.length = 0;
    const world = await call("export_route_map", {
      stops: [
        { latitude: 0, longitude: 0 },
        { latitude: 50, longitude: 50 },
      ],
    });
    expect(MapAnswer.parse(world).map.ground).toMatchObject({ source: "natural-earth", fallbackFrom: [] });
    expect(server.requests).toEqual([]);
  });

  const saying = (...texts: string[]) => expect.arrayContaining(texts.map((text) => expect.stringContaining(text)));

  it("reminds of leaving, and returns to the airport, by road", async () => {
    const remind = (stayLatitude: number) =>
      call("trip_checkin_reminder", {
        origin: "LHR",
        departureDateTimeIso: "2035-05-01T09:30:00Z",
        stayLatitude,
        stayLongitude: -0.1365,
      });
    // Forty minutes and ten to park, before the two and a half hours at the airport.
    expect(await remind(51.51)).toMatchObject({
      reminders: [{}, { kind: "leave", startsAt: "2035-05-01T06:10:00Z" }, {}],
      ics: expect.stringContaining("28 km by road"),
      notes: saying("taken to open 24 hours", "as you gave them", "it leaves at 10:30 there", "by road"),
      attribution: expect.arrayContaining([expect.stringContaining("OpenStreetMap")]),
    });
    const night = { needsHotelFallback: false, stayLocation: "Soho, London", transferMode: "driving" };
    const leg = { origin: "LHR", destination: "JFK", scheduledDepartureIso: "2035-05-01T09:30:00Z" };
    const replanned = await call("trip_delay_replanner", {
      originalLeg: leg,
      disruption: { kind: "delay" },
      rebookSearch: { departureDate: "2035-05-01" },
      ...night,
    });
    expect(replanned.transfer).toMatchObject({
      available: true,
      isEstimate: false,
      source: "osrm",
      roadKilometers: 27.5,
      minutes: { likely: 50 },
      attribution: [expect.stringContaining("OpenStreetMap")],
    });
    way = { status: 500 };
    expect(await remind(51.61)).toMatchObject({
      ics: expect.stringContaining("estimated from 27 km"),
      notes: saying("24 hours", "as you gave them", "at 10:30 there", "server_error", "from the distance alone"),
      fallbackFrom: [{ source: "osrm", reason: "server_error" }],
    });
  });

  it("takes a start by its address near the restaurants, and reports one that it does not know", async () => {
    const lisbon = { location: "Lisbon, Portugal", limit: 1 };
    const near = CardAnswer.parse(await call("restaurant_route_card", { ...lisbon, fromAddress: "Rossio, Lisbon" }));
    expect(near.restaurants).toHaveLength(1);
    expect(near.notes[0]).toMatch(/^fromAddress was taken as /);
    const far = { ...lisbon, fromAddress: "Tokyo", fromLatitude: 38.7, fromLongitude: -9.1 };
    expect((await call("restaurant_route_card", far)).notes).toEqual([
      expect.stringMatching(/km from the coordinates/),
    ]);
    const away = CardAnswer.parse(await call("restaurant_route_card", { ...lisbon, fromAddress: "Tokyo, Japan" }));
    expect(away.restaurants[0]?.way).toBeNull();
    const { body: unknown } = await service.call("restaurant_route_card", { ...lisbon, fromAddress: "Tokyoo" });
    expect(unknown).toMatchObject({ code: "start_not_found", nearMatches: expect.arrayContaining(["Tokyo, Japan"]) });
    const { status, body } = await service.call("restaurant_route_card", { ...lisbon, fromLatitude: 1 });
    expect([status, body.issues]).toEqual([400, [expect.objectContaining({ path: "fromLongitude" })]]);
  });

  it("routes a transfer by road, and reports an estimate if no source did", async () => {
    const arrival = { airport: "LHR", arrivalTimeIso: "2027-03-01T12:00:00Z" };
    const transfer = (destinationAddress: string) =>
      priced("airport_transfer_coordinator", { ...arrival, destinationAddress });
    const routed = await transfer("Soho, London");
    expect(routed.result).toMatchObject({
      way: { isEstimate: false, source: "osrm", roadKilometers: 27.5, minutes: { fewest: 35, likely: 50, most: 65 } },
      attribution: expect.arrayContaining([expect.stringContaining("OpenStreetMap")]),
      notes: expect.arrayContaining([expect.stringContaining("by road")]),
    });
    way = { status: 500 };
    const estimated = await transfer("Camden Town, London");
    expect(estimated.result).toMatchObject({
      way: { isEstimate: true, source: "distance" },
      notes: expect.arrayContaining([
        expect.stringContaining("osrm was asked for a road route and returned none: server_error"),
      ]),
    });
    const playbook = await priced("airport_arrival_playbook", { ...arrival, destinationAddress: "Chelsea, London" });
    const card = await priced("restaurant_route_card", {
      location: "Lisbon, Portugal",
      fromLatitude: 38.75,
      fromLongitude: -9.15,
    });
    expect(CardAnswer.parse(card.result).restaurants[0]?.way).toMatchObject({ isEstimate: true });
    // An estimated part changes the price neither way.
    const prices = [routed, estimated, playbook, card].map(({ priceMicroUsdc }) => priceMicroUsdc);
    expect(prices).toEqual(["3000", "3000", "3000", "3000"]);
  });

  it.each<[string, Answer, string, number]>([
    ["an error of theirs", { status: 504, text: "<html>" }, "server_error", 10],
    [
      "a query that ran out of time",
      { status: 200, json: { elements: [], remark: "runtime error" } },
      "unexpected_answer",
      11,
    ],
    ["silence", "hang", "timeout", 12],
    ["too many requests", { status: 429 }, "rate_limited", 13],
  ])("still reports the numbers after %s, and the failure", async (_what, bad, reason, latitude) => {
    // A success closes the circuit that the previous fault began to open.
    answer = undefined;
    await call("travel_safety_aid", { ...LISBON, latitude: -latitude });
    answer = bad;
    const { result: aid, priceMicroUsdc } = await priced("travel_safety_aid", {
      latitude: latitude + 35,
      longitude: 9,
    });
    expect(priceMicroUsdc).toBe("3000");
    expect(aid).toMatchObject({ emergency: { numbers: expect.arrayContaining(["112"]) } });
    expect(aid.nearestHelp).toMatchObject({
      available: false,
      places: [],
      fallbackFrom: [{ source: "overpass", reason }],
      reason: expect.stringContaining(reason),
    });
  });
});

describe("without a source", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await openSharedService();
  });
  afterAll(() => service[Symbol.asyncDispose]());
  const call = async (tool: string, args: object) => requireResult(await service.call(tool, args));

  it.each<[string, number, number, object]>([
    ["Portugal", 38.72, -9.14, { numbers: ["112"], police: "112", agreement: "both" }],
    ["Japan", 35.68, 139.77, { police: "110", ambulance: "119", fire: "119", agreement: "both" }],
    ["Brazil", -23.55, -46.63, { police: "190", ambulance: "192", fire: "193" }],
    ["Serbia", 44.79, 20.45, { numbers: ["192", "194", "193"], agreement: "partial" }],
    ["Antarctica", -89, 0, { numbers: [], agreement: "single" }],
    ["the open sea", 30, -45, { countryCode: null, numbers: [], source: "none", agreement: "none" }],
  ])("knows the emergency numbers of %s, or that none is known", async (_where, latitude, longitude, emergency) => {
    expect(await call("travel_safety_aid", { latitude, longitude })).toMatchObject({
      emergency: { ...emergency, asOf: "2026-07-16", servicesAreRecalled: false },
      nearestHelp: { available: false, places: [], fallbackFrom: [], reason: expect.stringContaining("configured") },
    });
  });

  it("advises for recognised needs, and reports if coordinates and country disagree", async () => {
    const args = { ...LISBON, regionCode: "ES", languageCode: "de", addressLines: ["Rua\u202e 1"] };
    const aid = await call("travel_safety_aid", { ...args, travelerNotes: "Diabetes, Rollstuhl, Nussallergie" });
    expect(aid).toMatchObject({
      countryCode: "PT",
      recognizedNeeds: ["allergy", "medical", "mobility"],
      language: { used: "de" },
      card: { address: ["Rua 1"] },
      notes: [expect.stringContaining("regionCode is ES")],
      emergency: { countryCode: "PT" },
      otherEmergency: { countryCode: "ES", police: "112" },
    });
    expect(aid.advice).toHaveLength(4);
  });

  it("invents no restaurant, gives search links, and names places similar to an unknown one", async () => {
    const found = await call("recommend_restaurants", { location: "Lisbon, Portugal", cuisine: "pizza" });
    expect(found).toMatchObject({ available: false, restaurants: [], sourceLevel: "embedded" });
    expect(found).toMatchObject({
      links: { google: expect.stringContaining("query=pizza+restaurant+Lisbon%2C+Portugal") },
    });
    const card = await call("restaurant_route_card", { location: "Lisbon, Portugal", fromLabel: "My hotel" });
    expect(card).toMatchObject({
      available: false,
      restaurants: [],
      map: null,
      mapNote: expect.stringContaining("no known restaurant"),
      card: { text: expect.stringMatching(/None is known nearby[\s\S]*google\.com/) },
      notes: [expect.stringContaining("fromLabel is not looked up")],
    });
    // Links and cards are for people, so the unknown part of the place is shown with them.
    for (const tool of ["recommend_restaurants", "restaurant_route_card"]) {
      const part = await call(tool, { location: "Qwxzama, Lisbon", cuisine: "seafood" });
      expect(part).toMatchObject({
        place: { label: "Lisbon, Portugal", unknownPart: "Qwxzama" },
        links: { google: expect.stringMatching(/query=seafood\+restaurant\+Lisbon%2C\+Portugal$/) },
      });
      const { links, card: seen } = z
        .object({ links: z.unknown(), card: z.object({ text: z.string() }).optional() })
        .parse(part);
      expect(JSON.stringify([links, seen])).not.toContain("Qwxzama");
    }
    for (const location of ["Paris", "Soho"]) {
      const { placeNote, place } = await call("recommend_restaurants", { location });
      const label = z.object({ label: z.string() }).parse(place).label;
      expect(placeNote).toContain(`The location was taken as ${label}.`);
    }
    for (const tool of ["recommend_restaurants", "restaurant_route_card"]) {
      const { body } = await service.call(tool, { location: "Lisbonn" });
      expect(body).toMatchObject({
        code: "location_not_found",
        nearMatches: expect.arrayContaining(["Lisbon, Portugal"]),
      });
    }
  });
});
