import { cityLabel, type Gazetteer, namedRegion } from "./find-places.ts";
import { fold } from "./fold.ts";

const LONGEST_NAME = 40;

/**
 * Places whose names are like the text: few letters differ, or the text begins them. Bigger places first among equals.
 * For a country or state: its biggest cities.
 */
export function findNearMatches(gazetteer: Gazetteer, text: string, limit: number): string[] {
  const region = namedRegion(gazetteer, text);
  if (region !== undefined) return gazetteer.cities.all.filter(region.holds).slice(0, limit).map(cityLabel);
  const wanted = fold(text.split(",")[0] ?? "").slice(0, LONGEST_NAME);
  if (wanted === "") return [];
  const most = wanted.length <= 4 ? 1 : wanted.length <= 9 ? 2 : 3;
  const near = gazetteer.cities.all.flatMap((city, rank) => {
    const difference = lettersApart(wanted, city.folded, most);
    const begins = wanted.length >= 3 && city.folded.startsWith(wanted);
    if (difference > most && !begins) return [];
    return [{ label: cityLabel(city), difference: Math.min(difference, begins ? 1.5 : most), rank }];
  });
  near.sort((a, b) => a.difference - b.difference || a.rank - b.rank);
  return [...new Set(near.map(({ label }) => label))].slice(0, limit);
}

/** Edit distance with swaps of neighbours; anything above `most` is only known to be more. */
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
