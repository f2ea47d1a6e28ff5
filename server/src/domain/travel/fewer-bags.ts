/** Flights whose segments name the bags that the fare includes for each passenger. */
interface Flown {
  segments: readonly { baggage: readonly { type: string; quantity: number }[] }[];
}

const CHECKED = "checked";

/** Included for each passenger on every flight. */
function countChecked(slices: readonly Flown[]): number {
  const counts = slices.flatMap(({ segments }) =>
    segments.map(({ baggage }) =>
      baggage.reduce((sum, { type, quantity }) => sum + (type === CHECKED ? quantity : 0), 0),
    ),
  );
  return counts.length === 0 ? 0 : Math.min(...counts);
}

/** Null: the new flights include as many checked bags as the replaced ones. */
export function sayFewerBags(removed: readonly Flown[], added: readonly Flown[]): string | null {
  const [before, after] = [countChecked(removed), countChecked(added)];
  if (removed.length === 0 || added.length === 0 || after >= before) return null;
  const say = (count: number) => (count === 0 ? "no checked bag" : `${count} checked ${count === 1 ? "bag" : "bags"}`);
  return `The new fare includes ${say(after)} for each passenger, and the flights it replaces include ${say(before)}.`;
}
