import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../test/support/identity.ts";
import { type Answer, type ScriptedServer, startScriptedServer } from "../../test/support/scripted-server.ts";
import { tilePng } from "../../test/support/tile-png.ts";
import { createEmbeddedPlaces } from "../adapters/embedded-places/index.ts";
import { readConfig } from "../config/config.ts";
import { createHttpClient } from "../platform/http-client/http-client.ts";
import { openElevation } from "./elevation.ts";
import { openMapTiles } from "./map-tiles.ts";
import { openMaps } from "./maps.ts";
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

/** New for each question, so that no circuit is open and nothing is cached. */
function open(changes: Record<string, string> = {}) {
  const config = readConfig({
    NOMINATIM_URL: server.url,
    OPEN_METEO_URL: server.url,
    OPENTOPODATA_URL: `${server.url}/v1/srtm90m`,
    PROVIDERS_CONTACT: "ops@example.com",
    ...changes,
  });
  const sources = openSources(config, { http, clock: { now: () => now }, log: silentLog });
  return { maps: openMaps(config, sources, embedded), elevation: openElevation(config, sources, embedded) };
}
const asked = () => server.requests.map(({ path, query }) => ({ path, query }));

const FAULTS: [string, Answer][] = [
  ["rate_limited", { status: 429, headers: { "retry-after": "60" } }],
  ["server_error", { status: 500, text: "<html>" }],
  ["unexpected_answer", { status: 200, text: "<!doctype html><p>Wartung" }],
  ["unexpected_answer", { status: 200, json: { error: "elsewhere" } }],
  ["unreachable", { truncated: "[" }],
];

describe("Nominatim", () => {
  /** Its documented answer for `format=jsonv2` with `addressdetails=1`. */
  const tower = {
    place_id: 100149,
    licence: "Data © OpenStreetMap contributors, ODbL 1.0. https://osm.org/copyright",
    osm_type: "way",
    osm_id: 5013364,
    lat: "48.8582599",
    lon: "2.2945006",
    category: "man_made",
    type: "tower",
    place_rank: 30,
    importance: 0.65,
    addresstype: "man_made",
    name: "Tour Eiffel",
    display_name: "Tour Eiffel, 5, Avenue Anatole France, \u202eParis, 75007, France",
    boundingbox: ["48.85", "48.86", "2.29", "2.30"],
    address: { house_number: "5", road: "Avenue Anatole France", city: "Paris", postcode: "75007", country_code: "fr" },
  };
  const house = { ...tower, category: "place", type: "house", display_name: "5 Avenue Anatole France" };
  const find = (text: string, changes?: Record<string, string>) =>
    open(changes).maps.findPlaces(text, { limit: 3, languageCode: "fr", regionCode: "FR" });

  it("gets its documented search, with the deployment's contact, and is attributed", async () => {
    answer = { status: 200, json: [tower] };
    const found = await find("  Tour   Eiffel ");
    expect(found).toMatchObject({
      candidates: [{ latitude: 48.8582599, longitude: 2.2945006, countryCode: "FR", precision: "landmark" }],
      provenance: {
        source: "nominatim",
        sourceLevel: "open",
        asOf: now.toString(),
        fallbackFrom: [],
        attribution: ["© OpenStreetMap contributors (ODbL)"],
      },
    });
    expect(found.candidates[0]?.label).not.toMatch(/[\u202a-\u202e]/u);
    const query = { q: "Tour Eiffel", format: "jsonv2", addressdetails: "1", limit: "3" };
    expect(asked()).toEqual([{ path: "/search", query: { ...query, "accept-language": "fr", countrycodes: "fr" } }]);
    expect(server.requests[0]?.headers["user-agent"]).toBe("wayfare (ops@example.com)");
  });

  it("passes names in another language on, with their place and country", async () => {
    const label = "エッフェル塔, パリ, 75007, フランス";
    answer = { status: 200, json: [{ ...tower, name: "エッフェル塔", display_name: label }] };
    expect(await find("Tour Eiffel")).toMatchObject({
      candidates: [{ label, latitude: 48.8582599, countryCode: "FR" }],
      provenance: { source: "nominatim", fallbackFrom: [] },
    });
  });

  it.each([...FAULTS, ["nothing_found", { status: 200, json: [] }] as [string, Answer]])(
    "falls back to the embedded places and says so: %s",
    async (reason, bad) => {
      answer = bad;
      expect(await find("Lyon")).toMatchObject({
        candidates: [{ label: "Lyon, France" }],
        provenance: { source: "embedded-places", fallbackFrom: [{ source: "nominatim", reason }] },
      });
    },
  );

  it("comes last if configured so, and is alone without a fallback", async () => {
    answer = { status: 200, json: [tower] };
    expect(await find("Lyon", { GEOCODING_PROVIDERS: "embedded,nominatim" })).toMatchObject({
      provenance: { source: "embedded-places" },
    });
    expect(server.requests).toEqual([]);
    answer = { status: 500 };
    await expect(find("Lyon", { GEOCODING_PROVIDERS: "nominatim" })).rejects.toMatchObject({
      code: "provider_unavailable",
    });
  });

  it("confirms an address in parts, and leaves it unconfirmed when it fails", async () => {
    const parts = { locality: "Paris", administrativeArea: undefined, postalCode: "75007" };
    const address = { lines: ["5 Avenue Anatole France"], countryCode: "FR", ...parts };
    answer = { status: 200, json: [house] };
    expect(await open().maps.findAddress(address)).toMatchObject({
      found: { precision: "address", postalCode: "75007", countryCode: "FR" },
      provenance: { source: "nominatim" },
    });
    const query = { street: "5 Avenue Anatole France", city: "Paris", postalcode: "75007", countrycodes: "fr" };
    expect(asked()).toEqual([
      { path: "/search", query: { ...query, limit: "1", format: "jsonv2", addressdetails: "1" } },
    ]);
    answer = { status: 500 };
    expect(await open().maps.findAddress(address)).toMatchObject({
      found: undefined,
      provenance: { source: "embedded-places", fallbackFrom: [{ source: "nominatim", reason: "server_error" }] },
    });
  });
});

describe("elevations", () => {
  const cusco = { latitude: -13.5319, longitude: -71.9675 };
  const openTopoData = {
    status: "OK",
    results: [{ elevation: 3_399, location: { lat: -13.5319, lng: -71.9675 }, dataset: "srtm90m" }],
  };
  const at = (order: string) => open({ ELEVATION_PROVIDERS: order }).elevation.at(cusco);

  it("come from Open Topo Data by its documented protocol", async () => {
    answer = { status: 200, json: openTopoData };
    expect(await at("opentopodata,embedded")).toMatchObject({
      elevation: { meters: 3_399, distanceMeters: null, basis: expect.stringContaining("srtm90m") },
      provenance: { source: "opentopodata", sourceLevel: "open" },
    });
    expect(asked()).toEqual([{ path: "/v1/srtm90m", query: { locations: "-13.5319,-71.9675" } }]);
  });

  it("come from Open-Meteo by its documented protocol", async () => {
    answer = { status: 200, json: { elevation: [3_401] } };
    expect(await at("open-meteo,embedded")).toMatchObject({
      elevation: { meters: 3_401 },
      provenance: { source: "open-meteo", attribution: [expect.stringContaining("Copernicus")] },
    });
    expect(asked()).toEqual([{ path: "/v1/elevation", query: { latitude: "-13.5319", longitude: "-71.9675" } }]);
  });

  it.each(FAULTS)("fall back from one to the next, and the answer names all: %s", async (reason, bad) => {
    answer = bad;
    expect(await at("opentopodata,open-meteo,embedded")).toMatchObject({
      elevation: { distanceMeters: expect.any(Number) },
      provenance: {
        source: "embedded-places",
        fallbackFrom: [
          { source: "opentopodata", reason },
          { source: "open-meteo", reason },
        ],
      },
    });
  });

  it("missing from a data set are looked up elsewhere", async () => {
    answer = { status: 200, json: { ...openTopoData, results: [{ elevation: null, dataset: "srtm90m" }] } };
    expect((await at("opentopodata,embedded")).provenance.fallbackFrom).toEqual([
      { source: "opentopodata", reason: "nothing_found" },
    ]);
  });
});

describe("routes", () => {
  /** OSRM's documented answer of `/route/v1` with `overview=false`. */
  const way = {
    code: "Ok",
    waypoints: [
      { name: "Friedrichstraße", location: [13.388799, 52.517033], distance: 4.152629, hint: "KSoKADRYroqU" },
      { name: "Rathausstraße", location: [13.397631, 52.52943], distance: 2.789393, hint: "KSoKADRYroqU" },
    ],
    routes: [{ legs: [], weight_name: "routability", weight: 263.1, duration: 1_260.1, distance: 18_886.8 }],
  };
  const question = {
    from: { latitude: 52.517037, longitude: 13.38886 },
    to: { latitude: 52.529407, longitude: 13.397634 },
    mode: "walking" as const,
  };
  const configured = { OSRM_DRIVING_URL: "http://127.0.0.1:9", OSRM_MS_BETWEEN: "0", PROVIDERS_TIMEOUT_MS: "300" };
  const ask = (changes: Record<string, string> = { ...configured, OSRM_WALKING_URL: server.url }) => {
    const sources = openSources(readConfig(changes), { http, clock: { now: () => now }, log: silentLog });
    return openWays(sources, { now: () => now });
  };

  it("come from the OSRM of their mode by its documented protocol, are attributed, and are cached for neighbors", async () => {
    answer = { status: 200, json: way };
    const ways = ask();
    expect(await ways.between(question)).toMatchObject({
      answer: { kilometers: 18.8868, minutes: 1_260.1 / 60 },
      provenance: {
        source: "osrm",
        sourceLevel: "open",
        asOf: now.toString(),
        fallbackFrom: [],
        attribution: [expect.stringContaining("OpenStreetMap")],
      },
    });
    await ways.between({ ...question, from: { ...question.from, latitude: 52.51703 } });
    expect(asked()).toEqual([{ path: "/route/v1/foot/13.3889,52.5170;13.3976,52.5294", query: { overview: "false" } }]);
  });

  it.each([
    ...FAULTS,
    ["timeout", "hang"] as [string, Answer],
    ["nothing_found", { status: 400, json: { code: "NoRoute", message: "Impossible route" } }] as [string, Answer],
    ["unexpected_answer", { status: 400, json: { code: "InvalidQuery", message: "?" } }] as [string, Answer],
    ["unexpected_answer", { status: 200, json: { ...way, routes: [] } }] as [string, Answer],
  ])("of nobody are said to be that: %s", async (reason, bad) => {
    answer = bad;
    expect(await ask().between(question)).toMatchObject({
      answer: undefined,
      provenance: { source: "embedded", fallbackFrom: [{ source: "osrm", reason }] },
    });
  });

  it("are requested only once a server is configured for the mode", async () => {
    expect(await ask({ ...configured }).between(question)).toMatchObject({
      answer: undefined,
      provenance: { fallbackFrom: [] },
    });
    expect(server.requests).toEqual([]);
  });
});

describe("map tiles", () => {
  const good = { status: 200, bytes: tilePng(), headers: { "content-type": "image/png" } };
  const names = [
    { zoom: 14, x: 7775, y: 6277 },
    { zoom: 14, x: 7776, y: 6277 },
  ];
  const read = (changes: Record<string, string> = { MAP_TILES_URL: `${server.url}/osm` }) => {
    const config = readConfig({ MAP_TILES_MS_BETWEEN: "0", PROVIDERS_TIMEOUT_MS: "300", ...changes });
    const sources = openSources(config, { http, clock: { now: () => now }, log: silentLog });
    return openMapTiles(sources, { now: () => now }).read(names);
  };

  it("are read at their usual addresses, with the deployment's contact, and are attributed", async () => {
    answer = good;
    const found = await read({ MAP_TILES_URL: `${server.url}/osm`, PROVIDERS_CONTACT: "ops@example.com" });
    expect(found.answer?.map((tile) => Buffer.from(tile).equals(good.bytes))).toEqual([true, true]);
    expect(found.provenance).toMatchObject({
      source: "osm-tiles",
      sourceLevel: "open",
      asOf: now.toString(),
      fallbackFrom: [],
      attribution: [expect.stringContaining("OpenStreetMap")],
    });
    const paths = server.requests.map(({ path }) => path).toSorted();
    expect(paths).toEqual(["/osm/14/7775/6277.png", "/osm/14/7776/6277.png"]);
    expect(server.requests[0]?.headers["user-agent"]).toBe("wayfare (ops@example.com)");
  });

  const sized = (width: number, height: number): Answer => {
    const bytes = tilePng();
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(16, width);
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(20, height);
    return { ...good, bytes };
  };
  it.each<[string, string, Answer]>([
    ["none there", "refused", { status: 404 }],
    ["too many requests", "rate_limited", { status: 429 }],
    ["an error of theirs", "server_error", { status: 500 }],
    ["silence", "timeout", "hang"],
    ["a broken connection", "unreachable", "reset"],
    ["a page", "unexpected_answer", { status: 200, text: "<html>", headers: { "content-type": "text/html" } }],
    ["a page that says it is a picture", "unexpected_answer", { ...good, bytes: Buffer.from("<html>") }],
    ["a picture that says it is a page", "unexpected_answer", { ...good, headers: { "content-type": "text/html" } }],
    ["a picture that no memory holds", "unexpected_answer", sized(60_000, 60_000)],
    ["half a picture", "unexpected_answer", { ...good, bytes: good.bytes.slice(0, -20) }],
    ["more bytes than a tile has", "unexpected_answer", { ...good, bytes: Buffer.alloc(300_000) }],
    ["another address", "refused", { status: 302, headers: { location: "http://169.254.169.254/" } }],
  ])("of which one is %s are none, and why is said", async (_what, reason, bad) => {
    answer = bad;
    expect(await read()).toMatchObject({
      answer: undefined,
      provenance: { source: "embedded", fallbackFrom: [{ source: "osm-tiles", reason }] },
    });
  });

  it("are requested only once a server is configured", async () => {
    expect(await read({})).toMatchObject({ answer: undefined, provenance: { fallbackFrom: [] } });
    expect(() => readConfig({ MAP_TILES_URL: "file:///etc/passwd" })).toThrow("MAP_TILES_URL");
    expect(server.requests).toEqual([]);
  });
});

it("refuses an order that is empty, unknown, or repeats a name", () => {
  for (const order of [",", "here", "embedded,embedded"]) {
    expect(() => readConfig({ GEOCODING_PROVIDERS: order })).toThrow("Not started: GEOCODING_PROVIDERS must");
  }
  expect(() => readConfig({ PROVIDERS_CONTACT: "a\r\nb" })).toThrow("PROVIDERS_CONTACT");
});
