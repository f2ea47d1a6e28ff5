import { readFileSync } from "node:fs";
import type { Airport } from "../../ports/maps.ts";
import { fold } from "./fold.ts";

/** Both tables come most important first, so that a position in them is a rank. `server/scripts/build-maps-data.ts` makes them. */
type AirportRow = [string, string, string, string, string, number, number, string];
type CityRow = [string, string, number, number, string, number];

// Checked by hand: a schema library takes longer for these rows than everything else at the first look-up together.
function isAirportRow(row: unknown): row is AirportRow {
  return hasKinds(row, "sssssnns");
}
function isCityRow(row: unknown): row is CityRow {
  return hasKinds(row, "ssnnsn");
}
/** `kinds`: one letter a column, s for text and n for a number. */
function hasKinds(row: unknown, kinds: string): boolean {
  if (!Array.isArray(row) || row.length !== kinds.length) return false;
  return row.every((value, index) => typeof value === (kinds[index] === "s" ? "string" : "number"));
}

export interface City {
  name: string;
  folded: string;
  countryCode: string;
  latitude: number;
  longitude: number;
  /** State or province in the US, Canada and Australia; empty elsewhere. */
  province: string;
  /** A part of a city. */
  isSection: boolean;
}

export interface AirportIndex {
  all: readonly Airport[];
  byCode: ReadonlyMap<string, Airport>;
  byMetroCode: ReadonlyMap<string, readonly Airport[]>;
}

export interface CityIndex {
  all: readonly City[];
  byName: ReadonlyMap<string, readonly City[]>;
}

function readRows<T>(name: string, isRow: (row: unknown) => row is T): T[] {
  const rows: unknown = JSON.parse(readFileSync(new URL(`data/${name}`, import.meta.url), "utf8"));
  if (Array.isArray(rows) && rows.every(isRow)) return rows;
  throw new Error(`data/${name} does not have the expected columns; build it again`);
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

export function loadAirports(): AirportIndex {
  const all = readRows("airports.json", isAirportRow).map(
    ([iataCode, metroCode, name, cityName, countryCode, latitude, longitude, timeZone]) => ({
      iataCode,
      metroCode,
      name,
      cityName,
      countryCode,
      latitude,
      longitude,
      timeZone,
    }),
  );
  return {
    all,
    byCode: new Map(all.map((airport) => [airport.iataCode, airport])),
    byMetroCode: groupBy(all, (airport) => airport.metroCode),
  };
}

export function loadCities(): CityIndex {
  const all = readRows("cities.json", isCityRow).map(([name, countryCode, latitude, longitude, province, section]) => ({
    name,
    folded: fold(name),
    countryCode,
    latitude,
    longitude,
    province,
    isSection: section === 1,
  }));
  return { all, byName: groupBy(all, (city) => city.folded) };
}
