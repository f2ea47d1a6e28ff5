import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../test/support/identity.ts";
import { type Answer, type ScriptedServer, startScriptedServer } from "../../test/support/scripted-server.ts";
import { tilePng } from "../../test/support/tile-png.ts";
import { createEmbeddedPlaces } from "../adapters/embedded-places/index.ts";
import { readConfig } from "../config/config.ts";
import { createHttpClient } from "../platform/http-client/http-client.ts";
import { openConditions } from "./conditions.ts";
import { openElevation } from "./elevation.ts";
import { openMapTiles } from "./map-tiles.ts";
import { openMaps } from "./maps.ts";
import { openNearby } from "./nearby.ts";
import { openSources } from "./open-sources.ts";
import { openWays } from "./ways.ts";

const embedded = createEmbeddedPlaces();
const http = createHttpClient();
const now = Temporal.Instant.from("2026-11-22T12:00:00Z");
let server: ScriptedServer;
let answer: Answer;
beforeAll(async () => {
  server = await startScriptedServer(() => answer);
});
afterAll(async () => {
  http.close();
  await server.close();
});
beforeEach(() => {
  server.requests.length = 0;
});

describe("every open provider", () => {
  const place = (number: number) => ({ latitude: 10 + number, longitude: 20 });
  const found = { lat: "1", lon: "2", display_name: "X", place_rank: 30, address: { country_code: "fr" } };
  const current = { time: "2026-11-22T12:00" };
  const daily = Object.fromEntries(
    ["temperature_2m_max", "temperature_2m_min", "precipitation_sum", "precipitation_probability_max"]
      .concat(["weather_code", "uv_index_max"])
      .map((name) => [name, [1]]),
  );
  const air = { ...current, us_aqi: 1, european_aqi: 1, pm2_5: 1, pm10: 1, ozone: 1, nitrogen_dioxide: 1 };
  const weather = { temperature_2m: 1, apparent_temperature: 1, weather_code: 1, wind_speed_10m: 1 };
  const json = (value: unknown): Answer => ({ status: 200, json: value });
  type Ports = ReturnType<typeof openAll>;
  type Asked = Promise<{ provenance: { source: string; fallbackFrom: readonly object[] } }>;
  type Ask = (ports: Ports, number: number, signal?: AbortSignal) => Asked;

  function openAll(clock: { now(): Temporal.Instant }, millisecondsBetween: string) {
    const paced = ["NOMINATIM", "OPENTOPODATA", "OVERPASS", "OSRM", "MAP_TILES"].map((name) => [
      `${name}_MS_BETWEEN`,
      millisecondsBetween,
    ]);
    const config = readConfig({
      ...Object.fromEntries(paced),
      NOMINATIM_URL: server.url,
      OPENTOPODATA_URL: server.url,
      OPEN_METEO_URL: server.url,
      OPEN_METEO_AIR_QUALITY_URL: server.url,
      OVERPASS_URL: server.url,
      OSRM_DRIVING_URL: server.url,
      MAP_TILES_URL: server.url,
    });
    const sources = openSources(config, { http, clock, log: silentLog });
    const meteo = { ...config, elevationProviders: ["open-meteo" as const, "embedded" as const] };
    return {
      maps: openMaps(config, sources, embedded),
      elevation: openElevation(config, sources, embedded),
      meteoElevation: openElevation(meteo, sources, embedded),
      conditions: openConditions(sources, embedded, clock),
      nearby: openNearby(sources, clock),
      ways: openWays(sources, clock),
      tiles: openMapTiles(sources, clock),
    };
  }

  const cases: [string, string, Answer, Ask, number?][] = [
    ["Nominatim's places", "nominatim", json([found]), (p, n, s) => p.maps.findPlaces(`Ort ${n}`, s && { signal: s })],
    [
      "Nominatim's addresses",
      "nominatim",
      json([found]),
      ({ maps }, n, signal) => {
        const none = { locality: undefined, administrativeArea: undefined, postalCode: undefined };
        return maps.findAddress({ lines: [`Rue ${n}`], countryCode: "FR", ...none }, signal);
      },
    ],
    [
      "Open Topo Data",
      "opentopodata",
      json({ status: "OK", results: [{ elevation: 5, dataset: "x" }] }),
      (p, n, s) => p.elevation.at(place(n), s),
    ],
    // The free service's limit is not configurable: about 30 requests fit into the longest wait.
    [
      "Open-Meteo's elevations",
      "open-meteo",
      json({ elevation: [5] }),
      (p, n, s) => p.meteoElevation.at(place(n), s),
      32,
    ],
    [
      "Open-Meteo's forecasts",
      "open-meteo",
      json({ timezone: "UTC", current: { ...current, ...weather }, daily: { time: ["2026-11-22"], ...daily } }),
      (p, n, s) => p.conditions.weatherAt(place(n), s),
      32,
    ],
    ["Open-Meteo's air", "open-meteo", json({ current: air }), (p, n, s) => p.conditions.airAt(place(n), s), 32],
    ["Overpass's help", "overpass", json({ elements: [] }), (p, n, s) => p.nearby.helpNear(place(n), s)],
    [
      "Overpass's restaurants",
      "overpass",
      json({ elements: [] }),
      (p, n, s) =>
        p.nearby.restaurantsNear({ ...place(n), withinMeters: 500, cuisine: undefined, priceLevel: undefined }, s),
    ],
    [
      "OSRM",
      "osrm",
      json({ code: "Ok", routes: [{ distance: 1, duration: 1 }] }),
      (p, n, s) => p.ways.between({ from: place(n), to: place(n + 1), mode: "driving" }, s),
    ],
    [
      "map tiles",
      "osm-tiles",
      { status: 200, bytes: tilePng(), headers: { "content-type": "image/png" } },
      (p, n, s) => p.tiles.read([{ zoom: 9, x: n, y: 1 }], s),
    ],
  ];

  it.each(cases)("is paused after repeated failures, and asked again later: %s", async (_name, source, good, ask) => {
    let time = now;
    const ports = openAll({ now: () => time }, "0");
    const failed = async (number: number) => (await ask(ports, number)).provenance.fallbackFrom[0];
    answer = { status: 500 };
    for (const number of [1, 2, 3]) expect(await failed(number)).toEqual({ source, reason: "server_error" });
    const sent = server.requests.length;
    answer = good;
    expect(await failed(4)).toEqual({ source, reason: "paused" });
    expect(server.requests).toHaveLength(sent);
    time = time.add({ seconds: 30 });
    expect((await ask(ports, 4)).provenance.source).toBe(source);
    expect((await ask(ports, 5)).provenance.source).toBe(source);
    expect(server.requests).toHaveLength(sent + 2);
  });

  it.each(cases)("is not asked again for cached answers, nor faster than it allows: %s", async (...one) => {
    const [, source, good, ask, most = 2] = one;
    answer = good;
    const ports = openAll({ now: () => now }, "60000");
    await ask(ports, 1);
    expect((await ask(ports, 1)).provenance.source).toBe(source);
    expect(server.requests).toHaveLength(1);
    const stop = new AbortController();
    const crowd = Array.from({ length: most }, (_, index) => ask(ports, index + 2, stop.signal));
    const ends = Promise.allSettled(crowd);
    expect((await crowd.at(-1))?.provenance.fallbackFrom[0]).toEqual({ source, reason: "rate_limited" });
    stop.abort();
    await ends;
  });
});
