import type { Word } from "../../reading/page.ts";
import type { ReviewReason } from "../../scan.ts";
import { DIGIT_LIKE } from "../look-alikes.ts";
import { printsDate } from "../printed-dates.ts";
import { foldText, leastConfidence, makeReason, type PrintedLine } from "../printed-text.ts";
import type { Bcbp } from "./bcbp.ts";
import type { PrintedPass, Shown } from "./printed-pass.ts";

/** The confidence that text recognition needs for words that contradict a barcode. */
const SURE_WORDS = 0.75;
/** A longer line with the codes of two airports is a sentence. */
const MOST_WORDS_OF_ROUTE = 12;
/** Text recognition may miss one letter in four of an equal name. */
const LETTERS_FOR_AN_ERROR = 4;
/** Shorter texts begin too many words. */
const LEAST_OF_NAME = 3;
const MOST_COMPARED = 24;
const MOST_WORDS = 600;

/**
 * The print contradicts a barcode if it clearly shows a value of a kind and never the barcode's: identified by a label
 * or its form, in words recognised with confidence, and differing by more than recognition errors.
 */
export function listContradictions(
  pass: Bcbp,
  printed: PrintedPass,
  dates: readonly (Temporal.PlainDate | undefined)[],
  lines: readonly PrintedLine[],
): readonly ReviewReason[] {
  const words = listFoldedWords(lines);
  const route = findOtherRoute(pass, printed);
  const found: readonly (readonly [isOther: boolean, field: string, what: string])[] = [
    [showsOtherFlight(pass, printed), "flightNumber", "flight"],
    [showsOtherDate(printed, dates), "departsOn", "date"],
    [showsOtherName(pass, printed, words), "passengerName", "name"],
    [showsOtherReference(pass, printed, words), "bookingReference", "booking reference"],
    [route === "origin", "origin", "route"],
    [route === "destination", "destination", "route"],
    [showsOtherSeat(pass, printed, words), "seat", "seat"],
  ];
  return found.flatMap(([isOther, field, what]) =>
    isOther ? [makeReason("parts_disagree", `The printed ${what} differs from the barcode.`, field)] : [],
  );
}

function onlySure<Found extends { words: readonly Word[] }>(found: readonly Found[]): readonly Found[] {
  return found.filter(({ words }) => leastConfidence(words) >= SURE_WORDS);
}

function listFoldedWords(lines: readonly PrintedLine[]): readonly string[] {
  return lines
    .flatMap(({ words }) => words.flatMap(({ text }) => foldText(text.slice(0, 64)).split(/[^A-Z0-9]+/)))
    .filter((text) => text !== "")
    .slice(0, MOST_WORDS);
}

function showsOtherFlight({ legs }: Bcbp, { flights }: PrintedPass): boolean {
  const own = onlySure(flights).filter(({ carrier }) => legs.some((leg) => leg.carrier === carrier));
  const isShown = flights.some(({ carrier, flightNumber }) =>
    legs.some((leg) => leg.carrier === carrier && leg.flightNumber === flightNumber),
  );
  return own.length > 0 && !isShown;
}

function showsOtherDate(printed: PrintedPass, dates: readonly (Temporal.PlainDate | undefined)[]): boolean {
  const sure = printed.dates.filter(({ line, from, to }) => leastConfidence(line.words.slice(from, to)) >= SURE_WORDS);
  const isShown = printed.dates.some((one) => dates.some((date) => date !== undefined && printsDate(one, date)));
  return sure.length > 0 && dates.some((date) => date !== undefined) && !isShown;
}

/** Another family name, or another given name beside the same family name, as for two people who travel together. */
function showsOtherName({ passengerName }: Bcbp, { names }: PrintedPass, words: readonly string[]): boolean {
  const sure = onlySure(names);
  if (sure.length === 0) return false;
  const [family = "", given = ""] = passengerName.split("/").map((part) => part.trim());
  const joined = words.join("");
  const isShown = (name: string) => {
    const parts = name.split(/[^A-Z]+/).filter((part) => part.length > 1);
    if (joined.includes(parts.join(""))) return true;
    return parts.some((part) =>
      words.some((word) => isAlike(part, word) || (word.length >= LEAST_OF_NAME && isBeginning(part, word))),
    );
  };
  if (!isShown(family)) return true;
  const printedGivens = sure.flatMap(({ value }) => value.split("/").slice(1));
  const isSame = printedGivens.some((one) => isBeginning(keepLetters(one), keepLetters(given)));
  return given.length > 1 && printedGivens.length > 0 && !isSame && !isShown(given);
}

const keepLetters = (name: string): string => name.replaceAll(/[^A-Z]/g, "");

/** The barcode may have no room for the whole name, and a title may follow it directly. */
function isBeginning(one: string, other: string): boolean {
  return Math.min(one.length, other.length) > 1 ? one.startsWith(other) || other.startsWith(one) : one[0] === other[0];
}

function showsOtherReference({ legs }: Bcbp, { references }: PrintedPass, words: readonly string[]): boolean {
  const own = legs.map(({ bookingReference }) => unlike(bookingReference));
  const isShown = words.some((word) => own.some((one) => distance(unlike(word), one) < 2));
  return onlySure(references).length > 0 && !isShown;
}

function showsOtherSeat({ legs }: Bcbp, { seats }: PrintedPass, words: readonly string[]): boolean {
  const own = legs.flatMap(({ seat }) => seat ?? []).map(unlike);
  const isShown = words.some((word) => own.includes(unlike(word.replace(/^0+/, ""))));
  return onlySure(seats).length > 0 && own.length > 0 && !isShown;
}

/** A line with two airports is a route. It counts as the barcode's if both airports of a leg are printed anywhere. */
function findOtherRoute({ legs, passengerName }: Bcbp, printed: PrintedPass): "origin" | "destination" | undefined {
  const all = new Set([...printed.airports, ...printed.origins, ...printed.destinations].map(({ value }) => value));
  if (legs.some(({ origin, destination }) => all.has(origin) && all.has(destination))) return undefined;
  const known = new Set(legs.flatMap(({ origin, destination }) => [origin, destination]));
  const isOther = ({ value }: Shown) => !known.has(value) && !passengerName.split(/[^A-Z]+/).includes(value);
  if (onlySure(printed.origins).some(isOther)) return "origin";
  if (onlySure(printed.destinations).some(isOther)) return "destination";
  for (const [line, shown] of Map.groupBy(onlySure(printed.airports), (airport) => airport.line)) {
    const [from, to, ...more] = new Map(shown.map((one) => [one.value, one])).values();
    if (from === undefined || to === undefined || more.length > 0 || line.words.length > MOST_WORDS_OF_ROUTE) continue;
    // One end of the route is the barcode's, which is unlikely for two words that are no airports.
    if (isOther(to) && known.has(from.value)) return "destination";
    if (isOther(from) && known.has(to.value)) return "origin";
    if (isOther(from) && isOther(to) && all.size === 2) return "origin";
  }
  return undefined;
}

/** Maps all characters that text recognition confuses to one. */
function unlike(text: string): string {
  return [...text].map((character) => DIGIT_LIKE[character] ?? character).join("");
}

function isAlike(one: string, other: string): boolean {
  return distance(one, other) <= Math.floor(one.length / LETTERS_FOR_AN_ERROR);
}

/** The number of characters to insert, delete or replace. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 3) return MOST_COMPARED;
  let before = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, character] of [...one.slice(0, MOST_COMPARED)].entries()) {
    const current = [row + 1];
    for (let at = 0; at < other.length; at += 1) {
      const replaced = (before[at] ?? 0) + (character === other[at] ? 0 : 1);
      current.push(Math.min(replaced, (before[at + 1] ?? 0) + 1, (current[at] ?? 0) + 1));
    }
    before = current;
  }
  return before[other.length] ?? MOST_COMPARED;
}
