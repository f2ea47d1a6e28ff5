import { readAssistance, readHold, readStayLimit } from "./assistance.ts";
import { type Attributes, readAttributes } from "./attributes.ts";
import { Marks } from "./cursor.ts";
import { type DateMention, findLoneMonth, isSpan, readDates } from "./dates.ts";
import { detectLanguage, isForeign } from "./detect-language.ts";
import { type Lexicon, lexicons } from "./lexicon.ts";
import { type Maximum, readMaximum, readTimes, type Times } from "./limits.ts";
import { fold } from "./marks.ts";
import { readNationality } from "./nationality.ts";
import { type Party, readParty } from "./people.ts";
import { type Personal, readPersonal } from "./personal.ts";
import { type PlaceMention, readPlaces } from "./places.ts";
import { readPlan } from "./plans.ts";
import { readMarks } from "./read-marks.ts";
import { type Requests, readRequests } from "./requests.ts";
import { readStrangers } from "./strangers.ts";

/** Which of the things that were shown is meant. */
export interface Choice {
  /** Counted from 1; -1 is the last. */
  readonly ordinal?: number;
  readonly sort?: string;
  readonly flightNumber?: string;
}

/** One message by itself, whatever was said before. */
export interface Reading {
  readonly text: string;
  readonly folded: string;
  readonly language: Lexicon["language"] | undefined;
  /** How the traveler addresses us; undefined: the text does not show it. */
  readonly address: "formal" | "informal" | undefined;
  readonly isForeign: boolean;
  /** Every kind of words in it. */
  readonly kinds: ReadonlySet<string>;
  readonly marks: Marks;
  readonly dates: readonly DateMention[];
  /** The first day of a month that is said without a day: "in February". */
  readonly month: Temporal.PlainDate | undefined;
  readonly nights: number | undefined;
  /** Days, of "for a week". */
  readonly duration: number | undefined;
  readonly party: Party;
  readonly maximum: Maximum | undefined;
  readonly times: Times;
  readonly places: readonly PlaceMention[];
  readonly cabin: string | undefined;
  readonly sort: string | undefined;
  readonly airlines: readonly string[];
  readonly stars: number | undefined;
  readonly rooms: number | undefined;
  readonly bags: number | undefined;
  /** A wheelchair, or other help at the airport. */
  readonly isAssistanceWanted: boolean;
  /** A fare is to be held, and paid later or never. */
  readonly isHoldWanted: boolean;
  /** A limit that was said before is of the hotel alone. */
  readonly isLimitOfStay: boolean;
  /** An earlier plan of the conversation is meant again. */
  readonly isEarlierPlan: boolean;
  /** Wishes that only a hotel can fulfil, and the words after "please ask for". */
  readonly requests: Omit<Requests, "rest">;
  /** People without a profile for whom it is asked, and what a profile needs. */
  readonly personal: Omit<Personal, "rest">;
  /** Names of people who travel and have no profile. */
  readonly strangers: readonly string[];
  /** The traveler's own, as the text says; ISO 3166-1 alpha-3. */
  readonly nationality: string | undefined;
  readonly choice: Choice | undefined;
  readonly attributes: Attributes;
  /** Numbers that nothing else used, for answers to a question. */
  readonly numbers: readonly number[];
  readonly ids: readonly string[];
}

export interface ReadingContext {
  readonly today: Temporal.PlainDate;
  readonly base: Temporal.PlainDate | undefined;
  /** Given names, folded, which are no places. */
  readonly people: readonly string[];
  /** Family names of those who have a profile, folded. */
  readonly surnames?: readonly string[];
  /** Full names of those who were spoken of and have no profile. */
  readonly known?: readonly string[];
  /** The last question was who travels. */
  readonly isNameAsked?: boolean;
  /** The caller travels with others who were spoken of. */
  readonly isAccompanied?: boolean;
  /** The language of the messages before, for texts that do not show theirs. */
  readonly language: Lexicon["language"];
}

export function readMessage(text: string, context: ReadingContext): Reading {
  const detected = detectLanguage(text, context.language);
  const lexicon = detected ?? lexicons.find(({ language }) => language === context.language) ?? lexicons[0];
  if (lexicon === undefined) throw new Error("There are no languages.");
  const whole = new Marks(readMarks(text, lexicon));
  const { known = [], isNameAsked = false, isAccompanied = false } = context;
  const personContext = { ...context, known, isNameAsked, isAccompanied, language: lexicon.language };
  const { rest: withoutPeople, ...personal } = readPersonal(text, whole, personContext);
  const { rest: withoutRequests, ...requests } = readRequests(withoutPeople, lexicon.language);
  const assistance = readAssistance(withoutRequests);
  const hold = readHold(assistance.rest);
  const stayLimit = readStayLimit(hold.rest);
  const plan = readPlan(stayLimit.rest);
  const { rest } = plan;
  const marks = rest === text ? whole : new Marks(readMarks(rest, lexicon));
  const dates = readDates(marks, context);
  const month = findLoneMonth(marks, context);
  const { nights, duration } = readDuration(marks);
  // "1 stop is fine" counts nobody and chooses nothing.
  for (const index of marks.find("stopover")) if (marks.kind(index - 1) === "number") marks.use(index - 1, index);
  const party = readParty(marks);
  const maximum = readMaximum(marks);
  const times = readTimes(marks);
  const stars = readCounted(marks, "stars");
  const rooms = readCounted(marks, "room");
  const folded = fold(rest);
  const bags = readBags(marks, folded);
  const attributes = readAttributes(marks, folded);
  const choice = readChoice(marks);
  const { people, surnames = [] } = context;
  const others = readStrangers(marks, { people, surnames, isGerman: lexicon.language === "de" });
  const strangers = [...new Set([...personal.names, ...others.map((name) => nameInFull(name, known))])];
  const places = readPlaces(marks, rest, context.people);
  return {
    text,
    folded,
    language: detected?.language,
    address: readAddress(text, folded, lexicon),
    isForeign: isForeign(text, marks.list),
    kinds: new Set(marks.list.map(({ kind }) => kind)),
    marks,
    dates,
    month,
    nights,
    duration,
    party,
    maximum,
    times,
    places,
    cabin: lastMeant(marks, "cabin")?.value,
    sort: lastMeant(marks, "sort")?.value,
    airlines: marks.find("airline").flatMap((index) => (marks.isNegated(index) ? [] : [marks.at(index).value])),
    stars,
    rooms,
    bags,
    isAssistanceWanted: assistance.isWanted,
    isHoldWanted: hold.isWanted,
    isLimitOfStay: stayLimit.isSaid,
    isEarlierPlan: plan.isEarlier,
    requests,
    personal,
    strangers,
    nationality: readNationality(marks, text),
    choice,
    attributes,
    numbers: marks.find("number").map((index) => marks.at(index).number),
    ids: marks.list.flatMap(({ kind, value }) => (kind === "id" || kind === "reference" ? [value] : [])),
  };
}

/** "Mia" and "Bennett" are who was named in full before. */
const nameInFull = (name: string, known: readonly string[]): string =>
  known.find((one) => one === name || one.startsWith(`${name} `) || one.endsWith(` ${name}`)) ?? name;

/** The last one said, as people correct themselves, but for what they do not want. */
function lastMeant(marks: Marks, kind: string) {
  return marks
    .find(kind)
    .flatMap((index) => (marks.isNegated(index) ? [] : [marks.at(index)]))
    .at(-1);
}

function readDuration(marks: Marks): { nights: number | undefined; duration: number | undefined } {
  let nights: number | undefined;
  let duration: number | undefined;
  for (const index of marks.find("night", "dayUnit", "week")) {
    const { number, kind } = marks.at(marks.pass(index - 1, ["skip", "sign"], -1));
    if (kind !== "number" || !isSpan(number)) continue;
    const unit = marks.kind(index);
    if (unit === "night") nights = number;
    else duration = unit === "week" ? number * 7 : number;
    marks.use(index - 1, index);
  }
  return { nights, duration };
}

function readCounted(marks: Marks, kind: string): number | undefined {
  for (const index of marks.find(kind)) {
    const at = marks.pass(index - 1, ["sign"], -1);
    if (marks.kind(at) !== "number") continue;
    const { number } = marks.at(at);
    if (marks.isUsed(at) && kind !== "room") continue;
    marks.use(at, index);
    return number;
  }
  return undefined;
}

/** German writes "Sie" with a capital inside a sentence; Spanish says "usted", or commands as if it did. */
const FORMAL: Readonly<Record<string, RegExp>> = {
  de: /(?<!^|[.!?]\s)\b(?:Sie|Ihnen|Ihre?[nmrs]?)\b|^(?:Könnten|Können|Würden|Haben|Suchen|Buchen|Zeigen|Bitte\s\w+en) Sie\b/u,
  es: /\b(?:ustedes|usted|podría|podrían|puede usted|me puede|me podría|dígame|búsqueme|resérveme|muéstreme|disculpe|perdone|su ayuda|le agradezco|quisiera pedirle)\b/iu,
};

function readAddress(text: string, folded: string, { language, informal }: Lexicon): Reading["address"] {
  if (folded.split(/[^\p{L}]+/u).some((word) => word !== "" && informal.has(word))) return "informal";
  return FORMAL[language]?.test(text) === true ? "formal" : undefined;
}

const BAG_QUESTION =
  /\b(?:how (?:much|many)|included?|allow\w*|wie ?viele?|dabei|inklusive|inbegriffen|enthalten|erlaubt|incluye\w*|incluid\w+|cuant[oa]s?)\b/;

/** Checked bags; none where they are not wanted, or only hand luggage is spoken of. */
function readBags(marks: Marks, folded: string): number | undefined {
  const [index] = marks.find("bag");
  if (index === undefined) return marks.has("handBag") ? 0 : undefined;
  if (marks.isNegated(index)) return 0;
  // "How much luggage can I take?" and "is a bag included?" ask.
  if (folded.includes("?") && BAG_QUESTION.test(folded)) return undefined;
  const { kind, number } = marks.at(marks.pass(index - 1, ["skip"], -1));
  return kind === "number" ? number : 1;
}

/** "The second", "number 2", "option two", "the last one", "BA277". */
function readChoice(marks: Marks): Choice | undefined {
  const named = lastMeant(marks, "sort")?.value;
  const flightNumber = marks.find("flightNumber").map((index) => marks.at(index).value)[0];
  let ordinal: number | undefined;
  let latest = false;
  for (const index of marks.find("ordinal", "last", "number", "option")) {
    const mark = marks.at(index);
    const next = marks.at(marks.pass(index + 1, ["skip", "sign"]));
    if (mark.kind === "ordinal" && next.kind !== "month") {
      if (!marks.isNegated(index)) ordinal = mark.number;
      marks.use(index);
    } else if (mark.kind === "last") {
      // "The last one on Friday" leaves last.
      if (marks.has("weekday", "date", "day")) latest = true;
      else ordinal = -1;
      marks.use(index);
    } else if (mark.kind === "option" && next.kind === "number") {
      ordinal = next.number;
      marks.use(index, marks.list.indexOf(next));
    } else if (mark.kind === "number" && mark.value === "ordinal") {
      ordinal = mark.number;
      marks.use(index);
    }
  }
  const sort = named ?? (latest ? "latest" : undefined);
  if (sort === undefined && flightNumber === undefined && ordinal === undefined) return undefined;
  return {
    ...(ordinal === undefined ? {} : { ordinal }),
    ...(sort === undefined ? {} : { sort }),
    ...(flightNumber === undefined ? {} : { flightNumber }),
  };
}
