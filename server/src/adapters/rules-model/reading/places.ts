import type { Marks } from "./cursor.ts";

export interface PlaceMention {
  readonly role: "from" | "to" | "in" | "near" | "bare";
  /** As the person wrote it. */
  readonly name: string;
  /** The IATA code of a known city or airport. */
  readonly code?: string;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
  readonly isCountry: boolean;
  /** Where it is in the text. */
  readonly start: number;
  readonly end: number;
  /** It is what the person does not want: "not Rome but Milan". */
  readonly isNegated: boolean;
}

const LEADS: Readonly<Record<string, PlaceMention["role"]>> = {
  from: "from",
  to: "to",
  in: "in",
  near: "near",
  until: "to",
  forWord: "to",
};
const MOST_WORDS = 5;

export function readPlaces(marks: Marks, text: string, people: readonly string[]): readonly PlaceMention[] {
  const mentions: PlaceMention[] = [];
  for (let index = 0; index < marks.list.length; index += 1) {
    if (marks.isUsed(index) || people.includes(marks.at(index).folded)) continue;
    const mark = marks.at(index);
    const role = findLead(marks, index);
    if (mark.kind === "place" || mark.kind === "country") {
      marks.use(index);
      const last = mentions.at(-1);
      const isPartOfLast =
        marks.at(index - 1).value === "," && last !== undefined && marks.isUsed(index - 2) && role === "bare";
      if (mark.kind === "country" && isPartOfLast && !last.isCountry) continue;
      mentions.push({
        role,
        name: mark.raw,
        ...(mark.kind === "place" ? { code: mark.value } : {}),
        ...(mark.country === undefined ? {} : { country: mark.country }),
        isCountry: mark.kind === "country",
        isNegated: isUnwanted(marks, index),
        start: mark.start,
        end: mark.end,
      });
      continue;
    }
    if (role === "bare" || (mark.kind !== "word" && role !== "near") || isPerson(marks, index)) continue;
    const end = role === "near" ? endOfSight(marks, index) : endOfName(marks, index, /\p{Lu}/u.test(text.slice(1)));
    if (end === undefined) continue;
    marks.use(index, end);
    const name = text.slice(mark.start, marks.at(end).end);
    mentions.push({
      role,
      name,
      isCountry: false,
      isNegated: isUnwanted(marks, index),
      start: mark.start,
      end: marks.at(end).end,
    });
    index = end;
  }
  return mentions;
}

/** "Nicht nach Oslo" is a time before other words. */
const isUnwanted = (marks: Marks, index: number): boolean =>
  marks.isNegated(index) || (marks.kind(index - 1) === "before" && marks.at(index - 1).folded === "nicht nach");

/** "For Marco and me": a name beside oneself. */
function isPerson(marks: Marks, index: number): boolean {
  return marks.kind(index + 1) === "and" && /^(?:mich|mir|me|myself|mi|uns|us)$/.test(marks.at(index + 2).folded);
}

function findLead(marks: Marks, index: number): PlaceMention["role"] {
  const before = marks.pass(index - 1, ["skip"], -1);
  const lead = marks.at(before);
  return index - before <= 2 ? (LEADS[lead.kind] ?? "bare") : "bare";
}

/** A name of unknown words: with capitals where the message has any. */
function endOfName(marks: Marks, index: number, isCapital: boolean): number | undefined {
  const fits = (at: number): boolean => {
    const { kind, raw } = marks.at(at);
    return kind === "word" && raw.length >= 2 && (!isCapital || /^\p{Lu}/u.test(raw));
  };
  if (!fits(index) || marks.at(index).raw.length < 3 || NO_NAMES.test(marks.at(index).folded)) return undefined;
  let end = index;
  while (end - index < MOST_WORDS) {
    if (fits(end + 1) && !marks.isUsed(end + 1)) end += 1;
    else if (JOINTS.test(marks.at(end + 1).folded) && fits(end + 2)) end += 2;
    else break;
  }
  return end;
}

/** "For free", "for sure" */
const NO_NAMES =
  /^(?:free|fun|sure|nothing|work|school|arbeiten|trabajar|decir|mencionar|mostrar|ensenar|gratis|umsonst|nada|siempre|seguro)$/;
const JOINTS = /^(?:de|del|de la|la|el|of|the|am|an der|der|of the|les|du|des)$/;
/** End the name of a sight: a sign, a date, or what else the message says. */
const AFTER_SIGHT =
  /^(?:sign|end|in|to|forWord|until|and|number|weekday|month|date|day|next|this|max|between|withWord|want|stay|flight|cabin|not|no|night|before|after|refundable|currency|instead|alone|restaurant|cuisine|book|near|sameDates)$/;

/** Sights have ordinary words inside: "the old town", "Puerta del Sol", "Plaza de Catalunya". */
function endOfSight(marks: Marks, index: number): number | undefined {
  const isShort = marks.at(index).raw.length < 2 && marks.at(index + 1).raw !== "&";
  if (marks.kind(index) === "skip" || AFTER_SIGHT.test(marks.kind(index)) || isShort) return undefined;
  let end = index;
  while (end - index < MOST_WORDS && !marks.isUsed(end + 1)) {
    // "The V&A Waterfront"
    if (marks.at(end + 1).raw === "&" && marks.at(end + 2).isAdjacent) {
      end += 2;
      continue;
    }
    const next = marks.kind(end + 1);
    if (AFTER_SIGHT.test(next) || (next === "from" && !JOINTS.test(marks.at(end + 1).folded))) break;
    end += 1;
  }
  while (end > index && /^(?:skip|from)$/.test(marks.kind(end))) end -= 1;
  return end;
}
