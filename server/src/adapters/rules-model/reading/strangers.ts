import type { Marks } from "./cursor.ts";
import type { Mark } from "./marks.ts";

/** Nouns that stand after "with" and name nobody, folded. */
const THINGS =
  /(?:blick|platz|zimmer|stopp|halt|aufenthalt|gepack|stuck|bad|bett|dusche|pool|balkon|terrasse|garten|wlan|hund|katze|rad|ski|zug|bahn|bus|auto|schiff|pension|rabatt|budget|karte|klima\w*|kuche|sauna|wellness|fitness|umstieg|umsteigen|ung|heit|keit|schaft|tion|termin|flug|ruckflug|umbuchung|bar|meer|strand|sicht|preis|option|kunden?|familie|team|gruppe|freunden?|kollegen?|breakfast|pool|view|parking|balcony|wifi|gym|spa|desayuno|piscina|vistas?|terraza|aparcamiento|garaje|kids|visa|mastercard|paypal|usdc|eurc)$/;
const SELF = /^(?:me|myself|i|i'm|mich|mir|ich|mi|yo|us|uns|wir)$/;
const MOST_NAMES = 3;

/**
 * People who are named as companions: "with Giulia Rossi", "for me and Giulia", "Giulia und ich". Names of `people`, who are
 * known, are left out. Marks what it takes as used, so that no name becomes a place.
 */
export function readStrangers(
  marks: Marks,
  { people, surnames, isGerman }: { people: readonly string[]; surnames: readonly string[]; isGerman: boolean },
): readonly string[] {
  const found: string[] = [];
  for (let index = 0; index < marks.list.length; index += 1) {
    // "Hannah Okafor and I" names one person.
    const isSurname = surnames.includes(marks.at(index).folded) && people.includes(marks.at(index - 1).folded);
    const end = isSurname ? undefined : endOfName(marks, index, people);
    if (end === undefined || !isCompany(marks, index, { end, isGerman })) continue;
    marks.use(index, end);
    found.push(
      marks.list
        .slice(index, end + 1)
        .map(({ raw }) => raw)
        .join(" "),
    );
    index = end;
  }
  return found.slice(0, MOST_NAMES);
}

function endOfName(marks: Marks, index: number, people: readonly string[]): number | undefined {
  const isName = (at: number): boolean => {
    const { kind, raw, folded } = marks.at(at);
    return (
      kind === "word" &&
      !marks.isUsed(at) &&
      /^\p{Lu}\p{Ll}/u.test(raw) &&
      !people.includes(folded) &&
      !THINGS.test(folded)
    );
  };
  if (!isName(index)) return undefined;
  let end = index;
  while (end - index < 2 && isName(end + 1)) end += 1;
  return end;
}

/** Whether the words around it say that somebody comes along. */
function isCompany(marks: Marks, index: number, { end, isGerman }: { end: number; isGerman: boolean }): boolean {
  const before = marks.pass(index - 1, ["skip"], -1);
  const lead = marks.at(before);
  const after = marks.at(end + 1);
  const isSelf = ({ folded }: Mark): boolean => SELF.test(folded);
  // "Giulia and I", "für Giulia und mich".
  const next = marks.pass(end + 2, ["forWord"]);
  if (after.kind === "and" && isSelf(marks.at(next))) return true;
  // "Me and Giulia", "para mí y Fernando".
  const joined = marks.at(index - 1);
  if (joined.kind === "and" && isSelf(marks.at(index - 2))) return true;
  if (joined.kind === "forWord" && marks.kind(index - 2) === "and" && isSelf(marks.at(index - 3))) return true;
  if (lead.kind === "companion" && index - before <= 1) return true;
  if (lead.kind !== "withWord" || index - before > 1) return false;
  if (!isGerman) return true;
  // Every German noun has a capital: a second name or the way to a place tells that it is a person.
  return end > index || /^(?:to|from|in|end)$/.test(after.kind);
}
