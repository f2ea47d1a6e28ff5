import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service[Symbol.asyncDispose]());

const call = async (tool: string, args: unknown) => requireResult(await service.call(tool, args));
const EMBEDDED = { source: "embedded-places", sourceLevel: "embedded", fallbackFrom: [] };

describe("find_airports_nearby", () => {
  it("states the dates of the airport and place data, neither of which is today", async () => {
    const [airports, place] = [
      { source: "embedded-sandbox", asOf: "2025-10-05" },
      { ...EMBEDDED, asOf: "2023-03-05" },
    ];
    expect(await call("find_airports_nearby", { query: "Lisbon" })).toMatchObject({
      ...airports,
      placeProvenance: { ...place, attribution: expect.arrayContaining([expect.stringContaining("GeoNames")]) },
    });
    const around = await call("find_airports_nearby", { latitude: 38.7, longitude: -9.1 });
    expect(around).toMatchObject({ ...airports, placeProvenance: null });
  });
});

describe("geocode_trip_stop", () => {
  const geocode = (args: object) => call("geocode_trip_stop", args);

  it("lists every place of a common name, and says that it is ambiguous", async () => {
    const found = await geocode({ address: "Springfield" });
    expect(found).toMatchObject({ ...EMBEDDED, isAmbiguous: true, nearMatches: [], contradictionMeters: null });
    expect(found.candidates).toHaveLength(5);
    expect(await geocode({ address: "San José", regionCode: "cr" })).toMatchObject({
      candidates: expect.arrayContaining([
        expect.objectContaining({ countryCode: "CR", timeZone: "America/Costa_Rica" }),
      ]),
    });
    expect(await geocode({ address: "Lisbon, Portugal" })).toMatchObject({
      isAmbiguous: false,
      candidates: [{ label: "Lisbon, Portugal", precision: "city", unknownPart: null }],
    });
  });

  it("says what to do about an unknown or ambiguous name", async () => {
    const unknown = await service.call("geocode_trip_stop", { address: "Qwxzhaus" });
    expect(unknown.body).toMatchObject({
      code: "location_not_found",
      nearMatches: [],
      detail: expect.stringMatching(/Give one of these, the name with its city and country/),
    });
    expect(await geocode({ address: "Springfield" })).toMatchObject({
      note: expect.stringMatching(/most important place of this name, Springfield, .*Ask which one is meant/),
    });
    expect(await geocode({ address: "Lisbon, Portugal" })).toMatchObject({ note: null });
  });

  it("answers an unknown street or district with the city and says so, and an unknown place with near names", async () => {
    expect(await geocode({ address: "10 Downing Street, London SW1A 2AA, UK" })).toMatchObject({
      candidates: [{ precision: "city", unknownPart: "10 Downing Street", countryCode: "GB" }],
      note: '"10 Downing Street" is not known here: the position is the center of London, United Kingdom, not the address.',
    });
    const misspelt = await service.call("geocode_trip_stop", { address: "Lisbonn" });
    expect(misspelt.body).toMatchObject({
      code: "location_not_found",
      nearMatches: expect.arrayContaining(["Lisbon, Portugal"]),
    });
  });

  it.each([
    ["Montmartre", "Montmartre, Paris, France"],
    ["Shibuya", "Shibuya, Tokyo, Japan"],
    ["Notting Hill, London", "Notting Hill, London, United Kingdom"],
  ])("takes the district %s to %s rather than to the middle of its city", async (address, label) => {
    const { candidates } = await geocode({ address });
    expect(candidates).toContainEqual(expect.objectContaining({ label, precision: "neighborhood", unknownPart: null }));
  });

  it.each([
    ["10 Downing Street\nLondon SW1A 2AA\nUK", "London, United Kingdom", "10 Downing Street"],
    ["Av. Paulista 1578, São Paulo - SP, 01310-200, Brazil", "São Paulo, Brazil", "Av. Paulista 1578"],
    ["Via del Corso 1, 00186 Roma RM, Italia", "Rome, Italy", "Via del Corso 1"],
    ["12 Rue de Rivoli 75004 Paris", "Paris, France", "12 Rue de Rivoli 75004"],
  ])("takes the address %j to the city %s", async (address, city, unknownPart) => {
    const { candidates } = await geocode({ address });
    expect(candidates).toEqual([expect.objectContaining({ label: city, precision: "city", unknownPart })]);
  });

  it.each([
    ["Castelo de S. Jorge, Lisbon", "Castelo de São Jorge"],
    ["castelo de s.jorge Lisboa", "Castelo de São Jorge"],
    ["Sta. Monica, CA", "Santa Monica"],
  ])("knows %j, which is abbreviated", async (address, name) => {
    expect(await geocode({ address })).toMatchObject({
      candidates: expect.arrayContaining([
        expect.objectContaining({ label: expect.stringContaining(name), unknownPart: null }),
      ]),
    });
  });

  it("names no hotel near an unknown place", async () => {
    const today = Temporal.Now.plainDateISO("UTC");
    const [checkInDate, checkOutDate] = [today.add({ days: 50 }).toString(), today.add({ days: 51 }).toString()];
    const hotels = (location: string) => call("search_hotels", { location, checkInDate, checkOutDate });
    const known = await hotels("Castelo de S. Jorge, Lisbon");
    expect(known).toMatchObject({
      location: { unknownPart: null },
      picks: { nearest: expect.stringMatching(/^acc_/) },
    });
    const unknown = await hotels("Qwxzhaus, Lisbon");
    const picks = { nearest: null, whyNoNearest: expect.stringContaining('"Qwxzhaus" is not known') };
    const more = expect.stringContaining(`${Number(unknown.considered) - 6} more are not shown`);
    expect(unknown).toMatchObject({ location: { unknownPart: "Qwxzhaus" }, picks, more });
    expect(known.picks).not.toHaveProperty("whyNoNearest");
    const around = await hotels("38.7139, -9.1335");
    expect(around).toMatchObject({
      location: { latitude: 38.7139, longitude: -9.1335, precision: "point", countryCode: "PT", unknownPart: null },
      picks: { nearest: expect.stringMatching(/^acc_/) },
    });
    expect(around.considered).toBeLessThan(Number(unknown.considered));
    const airports = await call("find_airports_nearby", { query: "38.7139,-9.1335 (London)" });
    expect(airports).toMatchObject({ center: { latitude: 38.7139 }, airports: [{ iataCode: "LIS" }] });
  });

  it("reads coordinates in the text, and reports an address that contradicts them", async () => {
    expect(await geocode({ address: "48.8583, 2.2945" })).toMatchObject({
      candidates: [{ latitude: 48.8583, longitude: 2.2945, precision: "point", countryCode: "FR" }],
    });
    expect(await geocode({ address: "Paris (48.8583, 2.2945)" })).toMatchObject({
      contradictionMeters: null,
      candidates: [{ label: "Paris, France", latitude: 48.8583, longitude: 2.2945 }],
    });
    const torn = await geocode({ address: "Paris, France 35.6895,139.6917" });
    expect(torn).toMatchObject({
      isAmbiguous: true,
      candidates: [{ precision: "point", countryCode: "JP" }, { countryCode: "FR" }],
    });
    expect(torn.contradictionMeters).toBeCloseTo(9_710_000, -5);
  });

  it.each([
    ["the north pole", "90.0, 0.0", null],
    ["the south pole", "-90.0, 0.0", "AQ"],
    ["the antimeridian", "0.0, 180.0", null],
    ["the open sea", "30.0, -45.0", null],
  ])("knows no city at %s", async (_where, address, countryCode) => {
    const { candidates } = await geocode({ address });
    expect(candidates).toEqual([
      expect.objectContaining({
        precision: "point",
        countryCode,
        timeZone: expect.stringMatching(/^(Etc|Antarctica)\//),
      }),
    ]);
  });

  it("reads mixed scripts and emoji, limits the text, and refuses malformed codes", async () => {
    expect(await geocode({ address: "東京 🗼 Tokyo", languageCode: "ja" })).toMatchObject({ isLanguageFallback: true });
    for (const address of ["القاهرة", "دبي", "תל אביב", "Αθήνα", "กรุงเทพ", "Київ"]) {
      expect((await geocode({ address })).candidates, address).not.toEqual([]);
    }
    expect((await service.call("geocode_trip_stop", { address: "x".repeat(10_000) })).body.code).toBe("invalid_input");
    for (const bad of [{ regionCode: "XX" }, { languageCode: "no such tag" }]) {
      const answer = await service.call("geocode_trip_stop", { address: "Rome", ...bad });
      expect(answer.body.issues).toEqual([expect.objectContaining({ path: Object.keys(bad)[0] })]);
    }
  });
});

describe("timezone_brief", () => {
  const brief = (latitude: number, longitude: number, more: object = {}) =>
    call("timezone_brief", { latitude, longitude, ...more });
  const seconds = (text: string) => Temporal.Instant.from(text).epochMilliseconds / 1_000;

  it.each<[string, number, number, string, object]>([
    [
      "Lisbon in summer",
      38.7223,
      -9.1393,
      "2026-07-01T00:00:00Z",
      {
        timeZone: "Europe/Lisbon",
        utcOffsetMinutes: 60,
        isDst: true,
        localTime: "2026-07-01T01:00:00+01:00",
        nextTransition: {
          at: "2026-10-25T01:00:00Z",
          localTimeBefore: "2026-10-25T02:00:00",
          localTimeAfter: "2026-10-25T01:00:00",
          utcOffsetMinutesBefore: 60,
          utcOffsetMinutesAfter: 0,
        },
      },
    ],
    [
      "Kathmandu",
      27.7172,
      85.324,
      "2026-07-01T00:00:00Z",
      { timeZone: "Asia/Kathmandu", utcOffsetMinutes: 345, isDst: false, nextTransition: null, changesAhead: [] },
    ],
    [
      "Lord Howe in summer",
      -31.55,
      159.08,
      "2026-12-25T00:00:00Z",
      { timeZone: "Australia/Lord_Howe", utcOffsetMinutes: 660, isDst: true },
    ],
    ["Bangkok and not Jakarta", 13.7563, 100.5018, "2026-07-01T00:00:00Z", { timeZone: "Asia/Bangkok" }],
    [
      "Ceuta and not Casablanca",
      35.8894,
      -5.3213,
      "2026-07-01T00:00:00Z",
      { timeZone: "Africa/Ceuta", countryCode: "ES" },
    ],
    [
      "Apia before it skipped a day",
      -13.8333,
      -171.7667,
      "2011-12-30T09:59:59Z",
      { timeZone: "Pacific/Apia", utcOffsetMinutes: -600, nextTransition: { utcOffsetMinutesAfter: 840 } },
    ],
    [
      "Moscow in 2014, whose offset changed for good",
      55.7558,
      37.6173,
      "2014-07-01T00:00:00Z",
      { utcOffsetMinutes: 240, isDst: false },
    ],
    [
      "the Atlantic",
      30,
      -45,
      "2026-07-01T00:00:00Z",
      { timeZone: "Etc/GMT+3", countryCode: null, nextTransition: null },
    ],
    ["the north pole", 90, 0, "2026-07-01T00:00:00Z", { timeZone: "Etc/UTC" }],
    ["the south pole", -90, 0, "2026-07-01T00:00:00Z", { timeZone: "Antarctica/McMurdo" }],
  ])("%s", async (_where, latitude, longitude, at, wanted) => {
    expect(await brief(latitude, longitude, { timestamp: seconds(at) })).toMatchObject({ ...EMBEDDED, ...wanted });
  });

  it("accepts any moment, both sides of the antimeridian, and every available language", async () => {
    for (const timestamp of [8_640_000_000_000, -8_640_000_000_000, 0, -1e10]) {
      expect(await brief(51.5, -0.12, { timestamp })).toMatchObject({ timeZone: "Europe/London" });
    }
    expect(
      (await service.call("timezone_brief", { latitude: 0, longitude: 0, timestamp: 8_640_000_000_001 })).body.code,
    ).toBe("invalid_input");
    const [west, east] = [await brief(-16.8, 179.99), await brief(-16.8, -179.99)];
    expect([west.timeZone, east.timeZone]).toEqual(["Pacific/Fiji", "Pacific/Fiji"]);
    expect(await brief(48.85, 2.35, { language: "de", timestamp: 0 })).toMatchObject({
      timeZoneName: "Mitteleuropäische Normalzeit",
    });
    expect(await brief(48.85, 2.35, { language: "tlh", timestamp: 0 })).toMatchObject({ isLanguageFallback: true });
  });
});
