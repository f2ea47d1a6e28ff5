import type { Party } from "../reading/people.ts";
import type { Reading } from "../reading/read-message.ts";
import type { State } from "./state.ts";

/** How many travel. Companions who are named count where no number is said. */
export function fillParty(
  state: State,
  { party, numbers, kinds, folded }: Reading,
  named: readonly { bornOn?: string }[],
  day: string,
): void {
  const { question } = state;
  const isAsked = question === "passengers" || question === "guests";
  const [bare] = numbers;
  const saidChildren = party.children ?? 0;
  const isAlone = isAloneNow(party);
  const isOnlyParent = saidChildren > 0 && party.adults === undefined && (party.isAlone || ONLY_ME.test(folded));
  const staying = Math.min([...folded.matchAll(STAYS_AT_HOME)].length, party.companions);
  const companions = party.companions - staying;
  if (companions > 0) state.relatives = companions;
  if (isAlone || (isOnlyParent && companions === 0)) state.relatives = 0;
  const children = named.flatMap(({ bornOn }) => {
    const age = bornOn === undefined ? undefined : ageOn(bornOn, day);
    return age !== undefined && age < CHILD_UNTIL ? [age] : [];
  });
  const before = state.party;
  const next = { ...before };
  // "Just the two of us" counts a child that was spoken of before.
  const isTotal =
    party.adults !== undefined && party.children === undefined && !kinds.has("adult") && before.children > 0;
  if (isOnlyParent) next.adults = 1 + companions;
  else if (isAlone) Object.assign(next, { adults: 1, children: 0, ages: [] });
  else if (isTotal && party.adults > before.children) next.adults = party.adults - before.children;
  else if (party.adults !== undefined && party.adults > 0) next.adults = party.adults;
  else if (staying > 0 && companions === 0) next.adults = Math.max(1, before.adults - staying);
  else if (companions > 0) next.adults = 1 + companions;
  else if (isAsked && bare !== undefined && bare >= 1 && bare <= 9) next.adults = bare;
  else if (named.length > children.length) {
    // Whoever was named without an age may be a child that was spoken of.
    const ageless = named.filter(({ bornOn }) => bornOn === undefined).length;
    const open = Math.max(0, (party.children ?? next.children) - children.length);
    const grown = named.length - children.length - Math.min(open, ageless);
    // A child does not fly alone.
    if (grown === 0) state.isCallerLeftOut = false;
    next.adults = state.isCallerLeftOut ? grown : Math.max(next.adults, 1 + grown);
  }
  if (party.children !== undefined && (isOnlyParent || LEFT_OUT.test(folded) || !areKnown(before, party))) {
    next.children = Math.max(party.children, party.ages.length);
    next.ages = party.ages.length > 0 || next.children !== before.ages.length ? party.ages : before.ages;
  } else if (question === "childAges" && numbers.length > 0) next.ages = numbers.slice(0, next.children);
  if (children.length > next.ages.length) {
    next.ages = children;
    next.children = Math.max(next.children, children.length);
  }
  if (named.length > 0 && named.length === children.length) state.isCallerLeftOut = false;
  const isSaid =
    party.isAlone ||
    party.adults !== undefined ||
    party.children !== undefined ||
    party.companions > 0 ||
    kinds.has("alone");
  state.isPartyKnown ||= isSaid || isAsked;
  state.party = next;
}

/** "My son" and "the 5-year-old" are of the children who were counted before, unless the party is told anew. */
const areKnown = (before: State["party"], party: Party): boolean =>
  before.children > (party.children ?? 0) &&
  !party.areChildrenCounted &&
  !party.joinsCaller &&
  party.adults === undefined &&
  party.companions === 0 &&
  party.ages.every((age) => before.ages.includes(age));

/** "The kids stay at home" */
const LEFT_OUT =
  /\b(?:kids|children|boys|girls|sons|daughters|kinder|ninos|ninas|hijos|hijas)\b[^.!?,;]{0,12}\b(?:stay\w*|(?:aren't|are not|won't|will not|don't|do not) (?:be )?(?:com\w+|join\w*|travel\w*|fly\w*)|bleiben|kommen (?:doch )?nicht|se quedan|no (?:vienen|van|viajan))\b/;

/** "Just me", and not "just me and my daughter". */
export const isAloneNow = ({ isAlone, adults, children = 0, companions }: Party): boolean =>
  isAlone && adults === undefined && children === 0 && companions === 0;

/** "It would only be me and our daughter", "me and one child, nobody else" */
const ONLY_ME =
  /\b(?:only|just|nur|blos|solo|solamente|unicamente)\b[^.!?]*\b(?:me|myself|i|ich|mich|mir|yo|mi)\b|\b(?:me|i|ich|yo)\b[^.!?]*\b(?:nobody else|no one else|sonst niemand|niemand sonst|nadie mas)\b/;
/** "My husband has to work": a companion who does not come along. */
const STAYS_AT_HOME =
  /\b(?:husband|wife|partner|friend|colleague|boyfriend|girlfriend|mother|father|brother|sister|mann|frau|partnerin|freund|freundin|kollege|kollegin|marido|mujer|esposa|pareja|amigo|amiga|novio|novia)\b[^.!?,;]{0,12}\b(?:has to work|must work|stays (?:at )?home|is staying (?:at )?home|(?:can't|cannot|can not|won't|will not|doesn't|isn't|is not) (?:be )?(?:com\w+|make it|join\w*|travel\w*|fly\w*|go\w*)|muss arbeiten|kommt (?:doch |leider )?nicht|kann (?:doch |leider )?nicht (?:mit\w*|kommen|reisen|fliegen)|bleibt zu hause|no (?:viene|va|viaja|puede (?:venir|viajar|ir|volar))|tiene que trabajar|se queda)\b/g;
const CHILD_UNTIL = 18;

function ageOn(bornOn: string, day: string): number | undefined {
  try {
    return Temporal.PlainDate.from(bornOn).until(day, { largestUnit: "years" }).years;
  } catch {
    return undefined;
  }
}
