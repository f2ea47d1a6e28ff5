import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  createGoogleMapsSimulator,
  GOOGLE_KEY,
  type GoogleMapsSimulator,
  googleFaults,
} from "../../test/support/google-maps-simulator.ts";
import { silentLog } from "../../test/support/identity.ts";
import { type ScriptedServer, startScriptedServer } from "../../test/support/scripted-server.ts";
import { createEmbeddedPlaces } from "../adapters/embedded-places/index.ts";
import { readConfig } from "../config/config.ts";
import { createHttpClient } from "../platform/http-client/http-client.ts";
import { openConditions } from "./conditions.ts";
import { openElevation } from "./elevation.ts";
import { openMaps } from "./maps.ts";
import { openNearby } from "./nearby.ts";
import { openSources } from "./open-sources.ts";
import { openWays } from "./ways.ts";

const embedded = createEmbeddedPlaces();
const http = createHttpClient();
const clock = { now: () => Temporal.Instant.from("2026-11-22T12:00:00Z") };
const rome = { latitude: 41.89, longitude: 12.492 };
let simulator: GoogleMapsSimulator;
let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer((request, turn) => simulator.script(request, turn));
});
afterAll(async () => {
  http.close();
  await server.close();
});
beforeEach(() => {
  simulator = createGoogleMapsSimulator();
  server.requests.length = 0;
});

/** New for each test, so that no circuit is open. */
function open(changes: Record<string, string> = {}) {
  const config = readConfig({
    GOOGLE_MAPS_URL: server.url,
    GOOGLE_MAPS_API_KEY: GOOGLE_KEY,
    GOOGLE_MAPS_MS_BETWEEN: "0",
    PROVIDERS_TIMEOUT_MS: "300",
    ...changes,
  });
  const sources = openSources(config, { http, clock, log: silentLog });
  return {
    maps: openMaps(config, sources, embedded),
    elevation: openElevation(config, sources, embedded),
    conditions: openConditions(sources, embedded, clock),
    nearby: openNearby(sources, clock),
    ways: openWays(sources, clock),
  };
}
type Ports = ReturnType<typeof open>;
const restaurants = { ...rome, withinMeters: 1_500, cuisine: "italian", priceLevel: "moderate" } as const;
const address = { lines: ["10 Downing St"], countryCode: "GB", locality: "London", postalCode: "SW1A 2AA" };
const whole = { ...address, administrativeArea: undefined };

const google = { source: "google-maps", sourceLevel: "live", attribution: ["Google Maps"], fallbackFrom: [] };

describe("Google Maps", () => {
  it("knows addresses, and confirms them house by house", async () => {
    const { maps } = open();
    expect(await maps.findPlaces("10 Downing Street, London", { regionCode: "GB" })).toMatchObject({
      candidates: [{ precision: "address", latitude: 51.5034, countryCode: "GB", unknownPart: null }],
      provenance: google,
    });
    expect(server.requests[0]?.query).toMatchObject({ address: "10 Downing Street, London", components: "country:GB" });
    expect(await maps.findAddress(whole)).toMatchObject({
      found: { precision: "address", postalCode: "SW1A 2AA" },
      provenance: google,
    });
    expect(server.requests[1]?.body).toEqual({
      address: { regionCode: "GB", locality: "London", postalCode: "SW1A 2AA", addressLines: ["10 Downing St"] },
    });
  });

  it("finds restaurants by cuisine and price, near only, with place ids, and looks place ids up", async () => {
    const { nearby, maps } = open();
    const { answer, provenance } = await nearby.restaurantsNear(restaurants);
    expect(provenance).toMatchObject(google);
    expect(answer).toMatchObject({
      arePricesKnown: true,
      restaurants: [
        {
          placeId: "ChIJ_simulated_trattoria",
          name: "Trattoria Simulata",
          cuisines: ["italian"],
          priceLevel: "moderate",
          wheelchair: "yes",
        },
      ],
    });
    expect(answer?.restaurants).toHaveLength(1);
    expect(server.requests[0]?.body).toMatchObject({
      textQuery: "italian restaurant",
      priceLevels: ["PRICE_LEVEL_MODERATE"],
    });
    expect(await maps.findPlaceById("ChIJ_simulated_trattoria")).toMatchObject({
      countryCode: "IT",
      latitude: 41.8905,
    });
    expect(await maps.findPlaceById("ChIJ_of_another_world")).toBeUndefined();
    expect(await maps.findPlaceById("../../../etc/passwd")).toBeUndefined();
    expect(server.requests).toHaveLength(3);
  });

  it("knows help nearby, routes with public transport, weather, air and elevation", async () => {
    const { nearby, ways, conditions, elevation } = open();
    expect(await nearby.helpNear(rome)).toMatchObject({
      answer: [{ kind: "hospital", name: "Ospedale" }, { kind: "hospital" }],
    });
    expect(await ways.between({ from: rome, to: { ...rome, latitude: 41.8 }, mode: "transit" })).toMatchObject({
      answer: { kilometers: 25.4, minutes: 43 },
      provenance: google,
    });
    expect(server.requests.at(-1)?.body).toMatchObject({ travelMode: "TRANSIT" });
    expect(await conditions.weatherAt(rome)).toMatchObject({
      answer: {
        current: { localTime: "2026-11-22T13:00", weatherCode: 61, temperatureCelsius: 14.2 },
        days: [
          { date: "2026-11-22", weatherCode: 63, highCelsius: 16, precipitationProbabilityPercent: 80 },
          { date: "2026-11-23", weatherCode: null, highCelsius: null },
        ],
      },
    });
    expect(await conditions.airAt(rome)).toMatchObject({
      answer: {
        localTime: "2026-11-22T13:00",
        usAqi: 52,
        microgramsPerCubicMeter: { pm2_5: 12.5, pm10: null, ozone: 39.3, nitrogen_dioxide: null },
      },
    });
    expect((await elevation.at(rome)).elevation).toMatchObject({ meters: 3399.5, basis: "Google Maps, cells of 10 m" });
  });

  it("knows time zones by their newer names, and the offset of the moment", async () => {
    const { maps } = open();
    const at = Temporal.Instant.from("2026-07-01T00:00:00Z");
    expect(await maps.findTimeZones({ latitude: 22.57, longitude: 88.36, at })).toMatchObject({
      timeZones: ["Asia/Kolkata"],
      utcOffsetMinutes: 330,
      provenance: { source: "google-maps", attribution: expect.arrayContaining(["Google Maps"]), fallbackFrom: [] },
    });
    expect(server.requests[0]?.query).toMatchObject({ location: "22.57,88.36", timestamp: "1782864000" });
    // Another offset than the runtime's rules have is said, for times that the provider was asked about.
    const samoa = { latitude: -13.83, longitude: -171.76 };
    expect((await maps.findTimeZones({ ...samoa, at })).utcOffsetMinutes).toBe(840);
    const before = Temporal.Instant.from("1961-07-01T00:00:00Z");
    expect((await maps.findTimeZones({ ...samoa, at: before })).utcOffsetMinutes).toBeUndefined();
    expect(server.requests.at(-1)?.query).toMatchObject({ timestamp: "0" });
  });

  it.each([
    ["the open sea", { latitude: 0, longitude: -30 }, "Etc/GMT+2", "nothing_found"],
    [
      "a zone that the runtime does not have",
      { latitude: 51.5, longitude: -0.12 },
      "Europe/London",
      "unexpected_answer",
    ],
  ])("leaves %s to the built-in borders", async (_, position, timeZone, reason) => {
    const { timeZones, provenance } = await open().maps.findTimeZones({ ...position, at: clock.now() });
    expect([timeZones[0], provenance.source]).toEqual([timeZone, "embedded-places"]);
    expect(provenance.fallbackFrom).toEqual([{ source: "google-maps", reason }]);
  });

  it("stores nothing of an answer: the same question is asked again", async () => {
    const { maps, elevation } = open();
    for (const turn of [1, 2]) {
      await maps.findPlaces("10 Downing Street, London");
      await elevation.at(rome);
      expect(server.requests).toHaveLength(2 * turn);
    }
  });

  it("is not asked without a key", async () => {
    const { maps, nearby } = open({ GOOGLE_MAPS_API_KEY: "" });
    expect((await maps.findPlaces("Lyon")).provenance.source).toBe("embedded-places");
    expect((await nearby.restaurantsNear(restaurants)).answer).toBeUndefined();
    expect(server.requests).toEqual([]);
  });

  const questions: [string, (ports: Ports) => Promise<{ provenance: { fallbackFrom: readonly object[] } }>][] = [
    ["places", ({ maps }) => maps.findPlaces("Lyon")],
    ["addresses", ({ maps }) => maps.findAddress(whole)],
    ["restaurants", ({ nearby }) => nearby.restaurantsNear(restaurants)],
    ["help", ({ nearby }) => nearby.helpNear(rome)],
    ["routes", ({ ways }) => ways.between({ from: rome, to: rome, mode: "driving" })],
    ["weather", ({ conditions }) => conditions.weatherAt(rome)],
    ["air", ({ conditions }) => conditions.airAt(rome)],
    ["elevations", ({ elevation }) => elevation.at(rome)],
    ["time zones", ({ maps }) => maps.findTimeZones({ ...rome, at: clock.now() })],
  ];

  it.each(googleFaults)("gives way to the next provider, which says why: %s", async (reason, fault) => {
    simulator.fault = fault;
    const ports = open();
    for (const [name, ask] of questions) {
      const { provenance } = await ask(ports);
      expect(provenance.fallbackFrom[0], name).toEqual({ source: "google-maps", reason });
    }
  });

  it("with one API's quota used up, the others still answer", async () => {
    simulator.quota = 1;
    const { maps, elevation, conditions } = open();
    expect((await elevation.at(rome)).provenance).toMatchObject(google);
    // As often as pauses an API. Geocoding and time zones are on its host.
    for (let time = 0; time < 20; time += 1) {
      const { fallbackFrom } = (await elevation.at(rome)).provenance;
      expect(fallbackFrom[0]).toEqual({ source: "google-maps", reason: expect.stringMatching(/rate_limited|paused/) });
    }
    expect((await maps.findPlaces("10 Downing Street, London")).provenance).toMatchObject(google);
    expect((await maps.findTimeZones({ ...rome, at: clock.now() })).provenance.source).toBe("google-maps");
    expect((await conditions.airAt(rome)).provenance).toMatchObject(google);
  });
});
