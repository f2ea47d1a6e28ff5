import { fold } from "./fold.ts";
import { int16s, int32s, uint32s, unpackTables } from "./table-file.ts";

export interface City {
  /** The position in the table, which has the most important cities first. */
  rank: number;
  name: string;
  countryCode: string;
  latitude: number;
  longitude: number;
  /** State or province in the US, Canada and Australia; empty elsewhere. */
  province: string;
  /** Part of a larger city. */
  isSection: boolean;
  population: number;
  /** Undefined: the source has none. */
  elevationMeters: number | undefined;
}

export interface Position {
  latitude: number;
  longitude: number;
}

/** The unit of stored positions, in degrees. */
export const POSITION_UNIT = 1e-5;
export const NO_ELEVATION = -32_768;
/** The bits of the column `flags`. */
export const IS_SECTION = 1;

const CELLS_AROUND = 360;
const CELLS_UP = 180;

/** All cities, read from columns: there are too many of them to create an object for each. */
export class CityTable {
  readonly count: number;
  readonly #latitudes: Int32Array;
  readonly #longitudes: Int32Array;
  readonly #populations: Uint32Array;
  readonly #elevations: Int16Array;
  readonly #flags: Buffer;
  readonly #countries: Buffer;
  readonly #provinces: Buffer;
  readonly #countryCodes: readonly string[];
  readonly #provinceCodes: readonly string[];
  readonly #names: { bytes: Buffer; starts: Uint32Array };
  readonly #keys: { bytes: Buffer; starts: Uint32Array };
  readonly #keyFirst: Uint32Array;
  readonly #keyRanks: Uint32Array;
  #cells: { first: Uint32Array; ranks: Uint32Array } | undefined;

  constructor(packed: Uint8Array) {
    const column = unpackTables(packed);
    const list = (name: string) => column(name).toString("utf8").split("\n");
    this.#latitudes = int32s(column("latitudes"));
    this.#longitudes = int32s(column("longitudes"));
    this.#populations = uint32s(column("populations"));
    this.#elevations = int16s(column("elevations"));
    this.#flags = column("flags");
    this.#countries = column("countries");
    this.#provinces = column("provinces");
    this.#countryCodes = list("countryCodes");
    this.#provinceCodes = list("provinceCodes");
    this.#names = { bytes: column("names"), starts: uint32s(column("nameStarts")) };
    this.#keys = { bytes: column("keys"), starts: uint32s(column("keyStarts")) };
    this.#keyFirst = uint32s(column("keyFirst"));
    this.#keyRanks = uint32s(column("keyRanks"));
    this.count = this.#flags.length;
  }

  get countryCodes(): readonly string[] {
    return this.#countryCodes;
  }

  at(rank: number): City {
    const elevation = this.#elevations[rank] ?? NO_ELEVATION;
    return {
      rank,
      name: textAt(this.#names, rank),
      countryCode: this.countryCodeAt(rank),
      latitude: roundedPosition(this.#latitudes[rank] ?? 0),
      longitude: roundedPosition(this.#longitudes[rank] ?? 0),
      province: this.#provinceCodes[this.#provinces[rank] ?? 0] ?? "",
      isSection: ((this.#flags[rank] ?? 0) & IS_SECTION) !== 0,
      population: this.#populations[rank] ?? 0,
      elevationMeters: elevation === NO_ELEVATION ? undefined : elevation,
    };
  }

  countryCodeAt(rank: number): string {
    return this.#countryCodes[this.#countries[rank] ?? 0] ?? "";
  }

  populationAt(rank: number): number {
    return this.#populations[rank] ?? 0;
  }

  nameAt(rank: number): string {
    return textAt(this.#names, rank);
  }

  /** Cities with this folded name, likeliest first. */
  named(folded: string): City[] {
    const wanted = Buffer.from(folded);
    const index = this.#lowerBound(wanted);
    return this.#isKey(index, wanted) ? this.#listRanks(index).map((rank) => this.at(rank)) : [];
  }

  /** Ranks of cities with a name that begins with this text; looks at no more than `most` names. */
  ranksBeginning(folded: string, most: number): number[] {
    const wanted = Buffer.from(folded);
    const ranks: number[] = [];
    const start = this.#lowerBound(wanted);
    for (let index = start; index < start + most && index < this.#keyFirst.length - 1; index += 1) {
      const from = this.#keys.starts[index] ?? 0;
      const to = Math.min(this.#keys.starts[index + 1] ?? 0, from + wanted.length);
      if (this.#keys.bytes.compare(wanted, 0, wanted.length, from, to) !== 0) break;
      ranks.push(...this.#listRanks(index).slice(0, 1));
    }
    return ranks;
  }

  /** The most important cities for which `holds` is true. */
  first(limit: number, holds: (city: City) => boolean, mayHold: (rank: number) => boolean = () => true): City[] {
    const found: City[] = [];
    for (let rank = 0; rank < this.count && found.length < limit; rank += 1) {
      if (!mayHold(rank)) continue;
      const city = this.at(rank);
      if (holds(city)) found.push(city);
    }
    return found;
  }

  /** The nearest city within the distance for which the test is true. */
  nearest(position: Position, withinKilometers: number, mayBe: (rank: number) => boolean = () => true) {
    this.#cells ??= this.#sortIntoCells();
    const cells = this.#cells;
    let best: { rank: number; kilometers: number } | undefined;
    for (const cell of cellsAround(position, withinKilometers)) {
      for (let at = cells.first[cell] ?? 0; at < (cells.first[cell + 1] ?? 0); at += 1) {
        const rank = cells.ranks[at] ?? 0;
        const there = {
          latitude: (this.#latitudes[rank] ?? 0) * POSITION_UNIT,
          longitude: (this.#longitudes[rank] ?? 0) * POSITION_UNIT,
        };
        const distance = kilometers(position, there);
        if (distance <= withinKilometers && distance < (best?.kilometers ?? Number.POSITIVE_INFINITY) && mayBe(rank)) {
          best = { rank, kilometers: distance };
        }
      }
    }
    return best === undefined ? undefined : { city: this.at(best.rank), kilometers: best.kilometers };
  }

  #lowerBound(wanted: Buffer): number {
    let low = 0;
    let high = this.#keyFirst.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const from = this.#keys.starts[middle] ?? 0;
      const to = this.#keys.starts[middle + 1] ?? 0;
      if (this.#keys.bytes.compare(wanted, 0, wanted.length, from, to) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isKey(index: number, wanted: Buffer): boolean {
    if (index >= this.#keyFirst.length - 1) return false;
    const from = this.#keys.starts[index] ?? 0;
    return this.#keys.bytes.compare(wanted, 0, wanted.length, from, this.#keys.starts[index + 1] ?? 0) === 0;
  }

  #listRanks(key: number): number[] {
    return [...this.#keyRanks.subarray(this.#keyFirst[key] ?? 0, this.#keyFirst[key + 1] ?? 0)];
  }

  #sortIntoCells(): { first: Uint32Array; ranks: Uint32Array } {
    const cellOfRank = (rank: number) =>
      findCell((this.#latitudes[rank] ?? 0) * POSITION_UNIT, (this.#longitudes[rank] ?? 0) * POSITION_UNIT);
    const first = new Uint32Array(CELLS_AROUND * CELLS_UP + 1);
    for (let rank = 0; rank < this.count; rank += 1) {
      const cell = cellOfRank(rank) + 1;
      first[cell] = (first[cell] ?? 0) + 1;
    }
    for (let cell = 1; cell < first.length; cell += 1) first[cell] = (first[cell] ?? 0) + (first[cell - 1] ?? 0);
    const next = first.slice();
    const ranks = new Uint32Array(this.count);
    for (let rank = 0; rank < this.count; rank += 1) {
      const cell = cellOfRank(rank);
      const at = next[cell] ?? 0;
      ranks[at] = rank;
      next[cell] = at + 1;
    }
    return { first, ranks };
  }
}

const roundedPosition = (units: number): number => Math.round(units) / 1e5;

function textAt({ bytes, starts }: { bytes: Buffer; starts: Uint32Array }, index: number): string {
  return bytes.toString("utf8", starts[index] ?? 0, starts[index + 1] ?? 0);
}

/** Cells of one degree; the last row and column include the pole and the antimeridian. */
function findCell(latitude: number, longitude: number): number {
  const row = Math.min(CELLS_UP - 1, Math.max(0, Math.floor(latitude + 90)));
  const column = ((Math.floor(longitude + 180) % CELLS_AROUND) + CELLS_AROUND) % CELLS_AROUND;
  return row * CELLS_AROUND + column;
}

function cellsAround({ latitude, longitude }: Position, withinKilometers: number): Set<number> {
  const degrees = withinKilometers / 110;
  const cells = new Set<number>();
  const south = Math.max(-90, latitude - degrees);
  const north = Math.min(90, latitude + degrees);
  // Nearer to the pole, the same distance spans more degrees of longitude, up to all of them.
  const narrow = Math.cos((Math.min(89.9, Math.max(Math.abs(south), Math.abs(north))) * Math.PI) / 180);
  const half = Math.min(180, degrees / narrow);
  for (let row = Math.floor(south); row <= Math.floor(north); row += 1) {
    for (let column = Math.floor(longitude - half); column <= Math.floor(longitude + half); column += 1) {
      cells.add(findCell(row, column));
    }
  }
  return cells;
}

/** Great-circle distance. */
export function kilometers(from: Position, to: Position): number {
  const radians = Math.PI / 180;
  const up = Math.sin(((to.latitude - from.latitude) * radians) / 2);
  const along = Math.sin(((to.longitude - from.longitude) * radians) / 2);
  const h = up ** 2 + Math.cos(from.latitude * radians) * Math.cos(to.latitude * radians) * along ** 2;
  return 2 * 6_371.009 * Math.asin(Math.min(1, Math.sqrt(h)));
}

export const foldedName = (city: City): string => fold(city.name);
