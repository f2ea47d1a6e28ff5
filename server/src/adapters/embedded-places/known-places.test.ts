import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { distanceMeters } from "../../domain/distance.ts";
import { openMaps } from "../../outside/maps.ts";
import type { Place } from "../../ports/maps.ts";
import { createEmbeddedPlaces } from "./index.ts";

/** Chosen and written down independently before the data was looked at; a failing place is a bug of the product. */
const Position = { name: z.string(), countryCode: z.string(), latitude: z.number(), longitude: z.number() };
const InCity = z.object({ ...Position, city: z.string() });
const known = z
  .object({
    places: z.array(z.object({ ...Position, timeZone: z.string() })),
    neighborhoods: z.array(InCity),
    sights: z.array(InCity),
  })
  .parse(JSON.parse(readFileSync(new URL("../../../test/fixtures/known-places.json", import.meta.url), "utf8")));

const secondSource = z
  .object({
    places: z.array(
      z.object({
        name: z.string(),
        source: z.string(),
        latitude: z.number(),
        longitude: z.number(),
        withinKilometers: z.number(),
      }),
    ),
  })
  .parse(
    JSON.parse(readFileSync(new URL("../../../test/fixtures/second-source-places.json", import.meta.url), "utf8")),
  );

const maps = openMaps({ geocodingProviders: ["embedded"] }, { nominatim: undefined }, createEmbeddedPlaces());
const english = new Intl.DisplayNames("en", { type: "region" });
const PLACE_METERS = 25_000;
const PART_METERS = 2_000;

const asked = ({ name, city, countryCode }: { name: string; city?: string; countryCode: string }): string =>
  [name, ...(city === undefined ? [] : [city]), english.of(countryCode)].join(", ");

/** A part of a city must be found or reported as unknown, but never placed elsewhere. */
function judge(
  place: Place | undefined,
  wanted: { latitude: number; longitude: number },
): "found" | "unknown" | "wrong" {
  if (place === undefined || place.unknownPart !== null) return "unknown";
  return distanceMeters(place, wanted) <= PART_METERS ? "found" : "wrong";
}

describe("known places, offline", () => {
  it("finds each within 25 km, and its time zone", async () => {
    const wrong: string[] = [];
    for (const place of known.places) {
      const [best] = (await maps.findPlaces(asked(place))).candidates;
      const distance = best === undefined ? undefined : distanceMeters(best, place);
      if (
        best === undefined ||
        distance === undefined ||
        distance > PLACE_METERS ||
        best.countryCode !== place.countryCode
      ) {
        wrong.push(`${asked(place)}: ${best?.label} ${distance} m`);
      } else if (maps.timeZonesAt(place)[0] !== place.timeZone) {
        wrong.push(`${asked(place)}: ${maps.timeZonesAt(place).join(", ")} and not ${place.timeZone}`);
      }
    }
    expect(known.places.length).toBeGreaterThanOrEqual(200);
    expect(wrong).toEqual([]);
  });

  it.each(["neighborhoods", "sights"] as const)("finds %s within 2 km or says that they are unknown", async (kind) => {
    const wrong: string[] = [];
    let found = 0;
    for (const part of known[kind]) {
      const [best] = (await maps.findPlaces(asked(part))).candidates;
      const verdict = judge(best, part);
      if (verdict === "found") found += 1;
      if (verdict === "wrong") wrong.push(`${asked(part)}: ${best?.label} ${best && distanceMeters(best, part)} m`);
    }
    expect(known[kind].length).toBe(40);
    expect(wrong).toEqual([]);
    // Without this, an empty result would also pass.
    expect(found).toBeGreaterThanOrEqual(10);
    process.stdout.write(`${found} of ${known[kind].length} ${kind} found\n`);
  });

  it("agrees with a second source about stations, islands and cities", async () => {
    const wrong: string[] = [];
    for (const place of secondSource.places) {
      const [best] = (await maps.findPlaces(place.name)).candidates;
      const meters = best === undefined ? Number.NaN : distanceMeters(best, place);
      if (!(meters <= place.withinKilometers * 1_000) || best?.unknownPart !== null) {
        wrong.push(`${place.name}: ${best?.label}, ${meters} m from ${place.source}`);
      }
    }
    expect(secondSource.places.length).toBeGreaterThanOrEqual(40);
    expect(wrong).toEqual([]);
  });
});
