import type { ModelRequest } from "../../../ports/language-model.ts";
import { fold } from "../reading/marks.ts";
import type { Reading } from "../reading/read-message.ts";
import { isAloneNow } from "./fill-party.ts";
import { keepPeople } from "./people.ts";
import type { State } from "./state.ts";

export interface Companion {
  readonly userId: string;
  readonly name: string;
  readonly bornOn?: string;
}

const SELF = /^(?:me|myself|us|i|ich|yo|mich|mir|uns|mi|nosotr[oa]s)$/;
/** The words after "for" that can be people's names, or join them. */
const FOR_PEOPLE = /\b(?:for|fur|para) ([\p{L}'-]+(?:(?:,? (?:and|und|y) |, | )[\p{L}'-]+)*)/gu;
const ENDS_NAMES =
  /^(?:from|to|on|in|at|until|next|tomorrow|von|nach|am|im|vom|ab|bis|de|desde|a|el|la|en|hasta|with|mit|con)$/;

/** "For Ada and Ben", without the caller; undefined: the text does not say for whom. */
function leavesCallerOut(folded: string, firstNames: readonly string[]): boolean | undefined {
  for (const [, list = ""] of folded.matchAll(FOR_PEOPLE)) {
    const words = list.split(/[ ,]+/);
    const end = words.findIndex((word) => ENDS_NAMES.test(word));
    const own = /^(?:my|our|mein\w*|unser\w*|mi|nuestr\w+)$/.test(words[0] ?? "") ? 2 : 0;
    const people = words.slice(own, end === -1 ? undefined : end);
    if (people.some((word) => SELF.test(word))) return false;
    if (firstNames.includes(people[0] ?? "")) return true;
  }
  return undefined;
}

/** Keeps who is named, and returns those of them who have a profile. */
export function nameCompanions(state: State, reading: Reading, traveler: ModelRequest["traveler"]): Companion[] {
  const { folded, party, personal } = reading;
  const firstNames = traveler.companions.map(({ name }) => fold(name).split(" ")[0] ?? "");
  state.isCallerLeftOut =
    personal.isCallerOut ?? leavesCallerOut(folded, firstNames) ?? (state.isCallerLeftOut && !isAloneNow(party));
  const words = new Set(folded.replaceAll("'s", "").split(/[^\p{L}'-]+/u));
  const named = traveler.companions.filter(({ name }) => {
    const [first = ""] = fold(name).split(" ");
    return first.length >= 2 && words.has(first);
  });
  for (const { userId } of named) state.companions.add(userId);
  keepPeople(state, reading);
  if (isAloneNow(party)) {
    state.companions.clear();
    state.strangers.clear();
  }
  return isAloneNow(party) ? [] : named;
}
