import { createRequire } from "node:module";
import type { Position } from "../../ports/maps.ts";

const require = createRequire(import.meta.url);

/** Decoded border tiles of some kilobytes each, and answers. */
const MOST_PIECES = 400;
const MOST_ANSWERS = 20_000;

/** A map of bounded size; the least recently used entries go first. */
class BoundedMap<Value> {
  readonly #most: number;
  readonly #kept = new Map<string, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Value | undefined {
    const found = this.#kept.get(key);
    if (found !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, found);
    }
    return found;
  }

  set(key: string, value: Value): void {
    this.#kept.set(key, value);
    if (this.#kept.size <= this.#most) return;
    for (const oldest of this.#kept.keys()) {
      this.#kept.delete(oldest);
      break;
    }
  }
}

/** All nautical zones meet at the pole. */
const POLE = ["Etc/UTC"];

/**
 * Zones whose borders reach into another country with a single zone of its own: northern Vietnam had Bangkok's time until 1975.
 */
const SHARED: ReadonlySet<string> = new Set(["Asia/Bangkok"]);

function ownFirst(zones: readonly string[], countryCode: string | undefined): readonly string[] {
  const own = countryCode === undefined ? [] : (new Intl.Locale(`und-${countryCode}`).getTimeZones?.() ?? []);
  const [only] = own;
  if (own.length === 1 && only !== undefined && !zones.includes(only)) {
    const name = zones.find((zone) => isSameZone(zone, only)) ?? CURRENT_NAMES.get(only) ?? only;
    return [name, ...zones.filter((zone) => zone !== name)];
  }
  return zones;
}

/** The runtime may use an older name of a zone. */
const CURRENT_NAMES: ReadonlyMap<string, string> = new Map([["Asia/Saigon", "Asia/Ho_Chi_Minh"]]);

const isSameZone = (one: string, other: string): boolean =>
  new Intl.DateTimeFormat("en", { timeZone: one }).resolvedOptions().timeZone ===
  new Intl.DateTimeFormat("en", { timeZone: other }).resolvedOptions().timeZone;

/** By the borders of all zones, including those that have had the same time since 1970. Loaded on first use. */
export class TimeZoneBorders {
  readonly #find: (latitude: number, longitude: number) => string[];
  readonly #answers = new BoundedMap<readonly string[]>(MOST_ANSWERS);

  constructor() {
    const { find, setCache }: typeof import("geo-tz/all") = require("geo-tz/all");
    setCache({ store: new BoundedMap<unknown>(MOST_PIECES) });
    this.#find = find;
  }

  /** If several zones match, the country's own comes first; some historical zones reach into a neighboring country. */
  find({ latitude, longitude }: Position, countryCodeAt: () => string | undefined): readonly string[] {
    if (latitude === 90) return POLE;
    const key = `${latitude},${longitude}`;
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const borders = this.#find(latitude, longitude);
    const found = borders.length === 1 && !SHARED.has(borders[0] ?? "") ? borders : ownFirst(borders, countryCodeAt());
    this.#answers.set(key, found);
    return found;
  }
}
