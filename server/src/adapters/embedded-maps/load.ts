import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Airport } from "../../ports/maps.ts";
import { fold } from "./fold.ts";

/** Both tables come most important first, so that a position in them is a rank. `server/scripts/build-maps-data.ts` makes them. */
const AirportRows = z.array(
  z.tuple([z.string(), z.string(), z.string(), z.string(), z.string(), z.number(), z.number(), z.string()]),
);
const CityRows = z.array(z.tuple([z.string(), z.string(), z.number(), z.number(), z.string(), z.number()]));

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

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`data/${name}`, import.meta.url), "utf8"));
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
  const all = AirportRows.parse(readJson("airports.json")).map(
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
  const all = CityRows.parse(readJson("cities.json")).map(
    ([name, countryCode, latitude, longitude, province, section]) => ({
      name,
      folded: fold(name),
      countryCode,
      latitude,
      longitude,
      province,
      isSection: section === 1,
    }),
  );
  return { all, byName: groupBy(all, (city) => city.folded) };
}
