import type { Reading } from "../reading/read-message.ts";
import type { State } from "./state.ts";

/** How many travel. Companions who are named count where no number is said. */
export function fillParty(
  state: State,
  { party, numbers, kinds }: Reading,
  named: readonly { bornOn?: string }[],
  day: string,
): void {
  const { question } = state;
  const isAsked = question === "passengers" || question === "guests";
  const [bare] = numbers;
  if (party.companions > 0) state.relatives = party.companions;
  if (party.isAlone) state.relatives = 0;
  const children = named.flatMap(({ bornOn }) => {
    const age = bornOn === undefined ? undefined : ageOn(bornOn, day);
    return age !== undefined && age < CHILD_UNTIL ? [age] : [];
  });
  const next = { ...state.party };
  if (party.isAlone) Object.assign(next, { adults: 1, children: 0, ages: [] });
  if (party.adults !== undefined && party.adults > 0) next.adults = party.adults;
  else if (party.companions > 0) next.adults = 1 + party.companions;
  else if (isAsked && bare !== undefined && bare >= 1 && bare <= 9) next.adults = bare;
  else if (named.length > children.length && !party.isAlone) {
    // Whoever was named without an age may be a child that was spoken of.
    const ageless = named.filter(({ bornOn }) => bornOn === undefined).length;
    const open = Math.max(0, (party.children ?? next.children) - children.length);
    const grown = named.length - children.length - Math.min(open, ageless);
    next.adults = state.isCallerLeftOut ? grown : Math.max(next.adults, 1 + grown);
  }
  if (party.children !== undefined) {
    next.children = Math.max(party.children, party.ages.length);
    next.ages = party.ages;
  } else if (question === "childAges" && numbers.length > 0) next.ages = numbers.slice(0, next.children);
  if (children.length > next.ages.length) {
    next.ages = children;
    next.children = Math.max(next.children, children.length);
  }
  const isSaid =
    party.isAlone ||
    party.adults !== undefined ||
    party.children !== undefined ||
    party.companions > 0 ||
    kinds.has("alone");
  state.isPartyKnown ||= isSaid || isAsked;
  state.party = next;
}

const CHILD_UNTIL = 18;

function ageOn(bornOn: string, day: string): number | undefined {
  try {
    return Temporal.PlainDate.from(bornOn).until(day, { largestUnit: "years" }).years;
  } catch {
    return undefined;
  }
}
