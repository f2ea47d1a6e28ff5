import { readFileSync } from "node:fs";
import type { Airport } from "../../ports/maps.ts";
import { CityTable } from "./city-table.ts";
import { fold } from "./fold.ts";

/** The tables are ordered by importance, so a position is a rank. `server/scripts/build-places-data.ts` makes them. */
type AirportRow = [string, string, string, string, string, number, number, string];

export interface Sight {
  name: string;
  otherNames: readonly string[];
  city: string;
  countryCode: string;
  latitude: number;
  longitude: number;
  /** The address of the position's source, or `recalled`. */
  source: string;
  /** The date of the source. */
  date: string;
  /** Undefined: a sight. */
  kind?: "island" | "district" | "station";
  /** The state or province, where the country has them in addresses. */
  province?: string;
}

type SummitRow = [string, number, number, number];

export interface Summit {
  name: string;
  latitude: number;
  longitude: number;
  meters: number;
}

export interface AirportIndex {
  all: readonly Airport[];
  byCode: ReadonlyMap<string, Airport>;
  byMetroCode: ReadonlyMap<string, readonly Airport[]>;
  /** By each word of the folded names of airport and city. */
  byWord: ReadonlyMap<string, readonly Airport[]>;
}

export interface SightIndex {
  byName: ReadonlyMap<string, readonly Sight[]>;
  byOtherName: ReadonlyMap<string, readonly Sight[]>;
}

// Checked by hand: a schema library takes longer for these rows than everything else in the first look-up.
function isAirportRow(row: unknown): row is AirportRow {
  return hasKinds(row, "sssssnns");
}

function isSummitRow(row: unknown): row is SummitRow {
  return hasKinds(row, "snnn");
}

/** `kinds`: one letter per column, s for text and n for a number. */
export function hasKinds(row: unknown, kinds: string): boolean {
  if (!Array.isArray(row) || row.length !== kinds.length) return false;
  return row.every((value, index) => typeof value === (kinds[index] === "s" ? "string" : "number"));
}

const SIGHT_TEXTS = ["name", "city", "countryCode", "source", "date"];
const SIGHT_KINDS: ReadonlySet<unknown> = new Set([undefined, "island", "district", "station"]);
function isSight(row: unknown): row is Sight {
  if (typeof row !== "object" || row === null) return false;
  const fields = new Map<string, unknown>(Object.entries(row));
  return (
    SIGHT_TEXTS.every((name) => typeof fields.get(name) === "string") &&
    ["latitude", "longitude"].every((name) => typeof fields.get(name) === "number") &&
    Array.isArray(fields.get("otherNames")) &&
    SIGHT_KINDS.has(fields.get("kind"))
  );
}

function readRows<Row>(name: string, isRow: (row: unknown) => row is Row): Row[] {
  const rows: unknown = JSON.parse(readFileSync(new URL(`data/${name}`, import.meta.url), "utf8"));
  if (Array.isArray(rows) && rows.every(isRow)) return rows;
  throw new Error(`data/${name} does not have the expected columns; build it again`);
}

function groupBy<Item>(items: readonly Item[], listKeys: (item: Item) => Iterable<string>): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    for (const key of new Set(listKeys(item))) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [item]);
      else group.push(item);
    }
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
  let byWord: AirportIndex["byWord"] | undefined;
  return {
    all,
    byCode: new Map(all.map((airport) => [airport.iataCode, airport])),
    byMetroCode: groupBy(all, (airport) => [airport.metroCode]),
    /** Takes longer than all the rest, and only names need it: made at its first use. */
    get byWord() {
      byWord ??= groupBy(all, (airport) => fold(`${airport.name} ${airport.cityName}`).split(" "));
      return byWord;
    },
  };
}

export function loadSights(): SightIndex {
  const all = readRows("sights.json", isSight);
  return {
    byName: groupBy(all, (sight) => [fold(sight.name)]),
    byOtherName: groupBy(all, (sight) => sight.otherNames.map(fold)),
  };
}

export function loadSummits(): Summit[] {
  return readRows("summits.json", isSummitRow).map(([name, latitude, longitude, meters]) => ({
    name,
    latitude,
    longitude,
    meters,
  }));
}

export function loadCities(): CityTable {
  return new CityTable(readFileSync(new URL("data/cities.bin.br", import.meta.url)));
}
