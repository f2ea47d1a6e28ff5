import { createRequire } from "node:module";
import type { Position } from "../../ports/maps.ts";

const require = createRequire(import.meta.url);

/** Decoded pieces of borders, some kilobytes each, and answers. */
const MOST_PIECES = 400;
const MOST_ANSWERS = 20_000;

/** Keeps as many as it may; those that were not asked for longest go first. */
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

/** At the very pole every zone of the sea meets. */
const POLE = ["Etc/UTC"];

/** By the borders of all zones, also of those that have kept the same time since 1970. Loaded when it is first needed. */
export class TimeZoneBorders {
  readonly #find: (latitude: number, longitude: number) => string[];
  readonly #answers = new BoundedMap<readonly string[]>(MOST_ANSWERS);

  constructor() {
    const { find, setCache }: typeof import("geo-tz/all") = require("geo-tz/all");
    setCache({ store: new BoundedMap<unknown>(MOST_PIECES) });
    this.#find = find;
  }

  find({ latitude, longitude }: Position): readonly string[] {
    if (latitude === 90) return POLE;
    const key = `${latitude},${longitude}`;
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const found = this.#find(latitude, longitude);
    this.#answers.set(key, found);
    return found;
  }
}
