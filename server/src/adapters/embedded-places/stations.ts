import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import type { Place } from "../../ports/maps.ts";
import { type City, foldedName, kilometers, type Position } from "./city-table.ts";
import { fold } from "./fold.ts";
import { hasKinds } from "./load.ts";
import { countryName } from "./names.ts";

/** The last column is 1 for the main station of its city. Made by `server/scripts/build-stations-data.ts`. */
type StationRow = [string, string, string, number, number, number];

interface Station extends Position {
  name: string;
  /** Empty if the source names none. */
  city: string;
  countryCode: string;
  isMain: boolean;
}

const STATION_KILOMETERS = 30;
/** Words for a station in the languages of Europe. */
const STATION_WORDS =
  /\b(?:(?:train|railway|rail|main|central) station|station|hauptbahnhof|bahnhof|stazione(?: di| centrale)?|estacion(?: de)?|estacao(?: de)?|gare(?: de| du| centrale)?|hbf|hb|centraal|centrale|central|centralstation|hln|hlavni nadrazi)\b/g;
/** A name of one word, such as "Nord", is a station only beside its city. */
const LEAST_WORDS_ALONE = 2;

/** Railway stations of Europe by name, with or without their city. */
export class Stations {
  readonly #byName = new Map<string, Station[]>();
  readonly #mains: Station[] = [];

  constructor() {
    const file = readFileSync(new URL("data/stations.json.br", import.meta.url));
    const rows: unknown = JSON.parse(brotliDecompressSync(file).toString("utf8"));
    if (!Array.isArray(rows) || !rows.every(isStationRow)) throw new Error("data/stations.json.br has other columns");
    for (const [name, city, countryCode, latitude, longitude, main] of rows) {
      const station = { name, city, countryCode, latitude, longitude, isMain: main === 1 };
      if (station.isMain) this.#mains.push(station);
      const [full, rest] = [stationKey(name), stationKey(withoutCity(name, city))];
      this.#add(full, station);
      if (rest !== full) this.#add(rest, station);
    }
  }

  /** "Paris Gare du Nord", "Roma Termini", "St Pancras station". */
  named(text: string): Station[] {
    const key = stationKey(text);
    const plain = plainKey(text);
    const found = this.#byName.get(key) ?? [];
    // One of the many stations called "Nord" is a "Gare du Nord".
    const exact = found.filter(({ name, city }) =>
      [name, withoutCity(name, city)].some((one) => plainKey(one) === plain),
    );
    if (key.split(" ").length >= LEAST_WORDS_ALONE) return exact.length > 0 ? exact : found;
    if (key === plain) return [];
    // "Lyon station" is not the Gare de Lyon in Paris.
    return exact.length > 0 ? exact : found.filter(({ name }) => stationKey(name) === key);
  }

  /** The station of this name in the city at this position; "Hauptbahnhof" and "central station" are its main one. */
  inCity(part: string, city: City): Station | undefined {
    const isNear = (station: Station) => kilometers(station, city) <= STATION_KILOMETERS;
    const key = stationKey(part);
    const near = (this.#byName.get(key) ?? []).filter(isNear);
    if (near.length > 0 || key !== "") return near[0];
    const mains = this.#mains.filter(isNear);
    return mains.find((station) => fold(station.city) === foldedName(city)) ?? nearest(mains, city);
  }

  #add(key: string, station: Station): void {
    if (key === "") return;
    const known = this.#byName.get(key);
    if (known === undefined) this.#byName.set(key, [station]);
    else if (!known.some((one) => kilometers(one, station) < 1)) known.push(station);
  }
}

export function stationPlace({ name, city, countryCode, latitude, longitude }: Station): Place {
  const isCalledSo = new RegExp(`${STATION_WORDS.source}|bf\\b|bhf`).test(plainKey(name));
  const isInCity = city === "" || fold(name).includes(fold(city));
  const label = [isCalledSo ? name : `${name} station`, ...(isInCity ? [] : [city]), countryName(countryCode)];
  return { label: label.join(", "), countryCode, latitude, longitude, precision: "landmark", unknownPart: null };
}

function isStationRow(row: unknown): row is StationRow {
  return hasKinds(row, "sssnnn");
}

function nearest(stations: readonly Station[], to: Position): Station | undefined {
  return stations.toSorted((one, other) => kilometers(one, to) - kilometers(other, to))[0];
}

function withoutCity(name: string, city: string): string {
  const [folded, start] = [fold(name), fold(city)];
  return start !== "" && folded.startsWith(`${start} `) ? folded.slice(start.length + 1) : name;
}

const plainKey = (text: string): string =>
  fold(text)
    .replace(/\binternational\b/g, "")
    .trim();

/** The name without the words for a station, unless nothing else is left of "Gare du Nord" and the like. */
function stationKey(text: string): string {
  return plainKey(text).replaceAll(STATION_WORDS, " ").replaceAll(/\s+/g, " ").trim();
}
