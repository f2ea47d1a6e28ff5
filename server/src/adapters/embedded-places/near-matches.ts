import { fold } from "./fold.ts";
import { cityLabel, type Gazetteer, namedRegion } from "./gazetteer.ts";

const LONGEST_NAME = 40;
/** A misspelled name is matched with places of at least this size. */
const LEAST_POPULATION = 20_000;
const MOST_BEGINNING = 500;
const MOST_COMPARED = 40;

/** Big cities by the trigrams of their names. */
export class NearMatches {
  readonly #gazetteer: Gazetteer;
  readonly #names: string[] = [];
  readonly #ranks: number[] = [];
  readonly #byLetters = new Map<string, number[]>();
  readonly #shared: Uint8Array;

  constructor(gazetteer: Gazetteer) {
    this.#gazetteer = gazetteer;
    const { cities } = gazetteer;
    for (let rank = 0; rank < cities.count; rank += 1) {
      if (cities.populationAt(rank) < LEAST_POPULATION) continue;
      const name = fold(cities.nameAt(rank)).slice(0, LONGEST_NAME);
      for (const letters of listTrigrams(name)) {
        const known = this.#byLetters.get(letters);
        if (known === undefined) this.#byLetters.set(letters, [this.#names.length]);
        else known.push(this.#names.length);
      }
      this.#names.push(name);
      this.#ranks.push(rank);
    }
    this.#shared = new Uint8Array(this.#names.length);
  }

  /** Labels of places whose names differ in few letters or begin with the text; larger places first among equals. */
  find(text: string, limit: number): string[] {
    const { cities } = this.#gazetteer;
    const region = namedRegion(this.#gazetteer, text);
    if (region !== undefined) {
      const { countryCode, holds } = region;
      const mayHold = (rank: number) => countryCode === undefined || cities.countryCodeAt(rank) === countryCode;
      return cities.first(limit, (city) => !city.isSection && holds(city), mayHold).map(cityLabel);
    }
    const wanted = fold(text.split(/[,;\n]/)[0] ?? "").slice(0, LONGEST_NAME);
    if (wanted === "") return [];
    const most = wanted.length <= 4 ? 1 : wanted.length <= 9 ? 2 : 3;
    const found = this.#alike(wanted, most);
    if (wanted.length >= 3) {
      const beginning = cities.ranksBeginning(wanted, MOST_BEGINNING).sort((a, b) => a - b);
      for (const rank of beginning.slice(0, limit)) found.push({ rank, difference: 1.5 });
    }
    found.sort((a, b) => a.difference - b.difference || a.rank - b.rank);
    return [...new Set(found.map(({ rank }) => cityLabel(cities.at(rank))))].slice(0, limit);
  }

  #alike(wanted: string, most: number): { rank: number; difference: number }[] {
    const touched: number[] = [];
    for (const letters of listTrigrams(wanted)) {
      for (const index of this.#byLetters.get(letters) ?? []) {
        const shared = this.#shared[index] ?? 0;
        if (shared === 0) touched.push(index);
        this.#shared[index] = shared + 1;
      }
    }
    // Each difference affects up to three trigrams.
    const least = Math.max(1, wanted.length - 3 * most);
    const near = touched
      .filter((index) => (this.#shared[index] ?? 0) >= least)
      .filter((index) => Math.abs((this.#names[index] ?? "").length - wanted.length) <= most)
      .map((index) => ({ index, shared: this.#shared[index] ?? 0 }))
      .sort((a, b) => b.shared - a.shared || a.index - b.index)
      .slice(0, MOST_COMPARED);
    for (const index of touched) this.#shared[index] = 0;
    return near.flatMap(({ index }) => {
      const difference = lettersApart(wanted, this.#names[index] ?? "", most);
      return difference > most ? [] : [{ rank: this.#ranks[index] ?? 0, difference }];
    });
  }
}

/** All trigrams, with markers for the beginning and the end. */
function listTrigrams(name: string): Set<string> {
  const marked = `^${name}$`;
  const letters = new Set<string>();
  for (let at = 0; at + 3 <= marked.length; at += 1) letters.add(marked.slice(at, at + 3));
  return letters;
}

/** Edit distance with transpositions; distances above `most` are not exact. */
function lettersApart(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((row[j - 1] ?? 0) + 1, (previous[j] ?? 0) + 1, (previous[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    if (Math.min(...row) > most) return most + 1;
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? most + 1;
}
