import type { Lexicon } from "./lexicon.ts";
import { fold, type Mark } from "./marks.ts";
import { readSpokenClock } from "./spoken-clocks.ts";

interface Token {
  readonly raw: string;
  readonly folded: string;
  readonly start: number;
  readonly end: number;
}

/** Ids, abbreviations before a name, streets, dates, clocks, references, flight numbers, numbers, words, signs. */
const TOKEN =
  /\b(?:ord|bok|off|acc|rat|quo)_\w+|(?<![\p{L}\d])(?:[Ss]te?|[Ss]t[ao]|Mt|Ft|Dr|Hl|Avd?a?|Pza|Pl)\.(?=\s?\p{L})|\p{L}{2,}str\.(?=[\s,])|(?<![\p{L}\d])(?:z\.\s?B|d\.\s?h|e\.g|i\.e|p\.\s?ej)\.|\d{4}-\d{2}-\d{2}|\d{1,2}\.\s?\d{1,2}\.(?:\s?\d{4}|\d{2}(?!\d))?(?!\d)|\d{1,2}\/\d{1,2}(?:\/\d{2,4})?|\d{1,2}:\d{2}|\bZZ[A-Z0-9]{4}\b|\b[A-Z]{2}\s?\d{2,4}\b|\d+(?:[.,]\d{3})*(?:[.,]\d{1,2})?(?!\d)|\p{L}[\p{L}\p{M}]*(?:['’]\p{L}+)*|[^\s\p{L}\d]/gu;

/** The full stop of "St." is a part of it. */
const ENDS_SHORT = /(?<=\p{L})\.$/u;
/** "Z. B." and the like say nothing by themselves. */
const BY_THE_WAY = /^(?:z\. ?b|d\. ?h|e\.g|i\.e|p\. ?ej)$/;

/** "Mittwochabend" */
const DAY_WITH_PART =
  /^((?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend)(fruh|morgen|vormittag|mittag|nachmittag|abend|nacht)s?$/;
/** "Morgen" by itself is tomorrow. */
const PARTS_OF_DAYS: Readonly<Record<string, string>> = { fruh: "morgens", morgen: "morgens", nacht: "nachts" };

/** "Vierjähriger" */
const AGED_ADJECTIVE =
  /^((?:ein|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|elf|zwolf|dreizehn|vierzehn|funfzehn|sechzehn|siebzehn))(jahrige[nmrs]?)$/;

const NEXT_DAY = /^(?:wochenende|\p{L}*tag|mittwoch|morgen|woche|monat|sonnabend)$/u;

/** Longer messages are read up to here. */
const MOST_TOKENS = 400;

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(TOKEN)) {
    if (tokens.length === MOST_TOKENS) break;
    const [raw] = match;
    const folded = fold(raw).replace(ENDS_SHORT, "");
    const { index: start } = match;
    const end = start + raw.length;
    const [, day, part = ""] = DAY_WITH_PART.exec(folded) ?? AGED_ADJECTIVE.exec(folded) ?? [];
    if (day === undefined) tokens.push({ raw, folded, start, end });
    else {
      const middle = start + day.length;
      tokens.push({ raw: raw.slice(0, day.length), folded: day, start, end: middle });
      tokens.push({ raw: raw.slice(day.length), folded: PARTS_OF_DAYS[part] ?? part, start: middle, end });
    }
  }
  return tokens;
}

export function readMarks(text: string, lexicon: Lexicon): readonly Mark[] {
  const tokens = tokenize(text);
  const isShouted = text === text.toUpperCase();
  const marks: Mark[] = [];
  for (let index = 0; index < tokens.length; ) {
    const found =
      readLiteral(tokens, index, lexicon) ?? readPhrase(tokens, index, lexicon, { before: marks.at(-1), isShouted });
    const last = tokens[index + found.length - 1];
    const first = tokens[index];
    if (first === undefined || last === undefined) break;
    marks.push({
      kind: found.kind,
      value: found.value ?? "",
      number: found.number ?? NaN,
      raw: text.slice(first.start, last.end),
      folded: fold(text.slice(first.start, last.end)),
      isAdjacent: marks.at(-1)?.end === first.start,
      start: first.start,
      end: last.end,
      ...(found.country === undefined ? {} : { country: found.country }),
      ...(found.date === undefined ? {} : { date: found.date }),
    });
    index += found.length;
  }
  return marks;
}

interface Found {
  readonly kind: string;
  readonly value?: string | undefined;
  readonly number?: number | undefined;
  readonly country?: string | undefined;
  readonly date?: Mark["date"];
  /** In tokens. */
  readonly length: number;
}

function readLiteral(tokens: readonly Token[], index: number, { language }: Lexicon): Found | undefined {
  const token = tokens[index];
  if (token === undefined) return undefined;
  const { raw } = token;
  if (/^(?:ord|bok|off|acc|rat|quo)_/.test(raw)) return { kind: "id", value: raw, length: 1 };
  if (/^ZZ[A-Z0-9]{4}$/.test(raw)) return { kind: "reference", value: raw, length: 1 };
  if (/^[A-Z]{2}\s?\d{2,4}$/.test(raw)) return { kind: "flightNumber", value: raw.replace(/\s/, ""), length: 1 };
  const spoken = readSpokenClock(
    [token, tokens[index + 1], tokens[index + 2]].map((one) => one?.folded),
    language,
  );
  if (spoken !== undefined) return { kind: "clock", number: spoken.minute, length: spoken.length };
  const date = readDate(raw, language);
  if (date !== undefined) return { kind: "date", date, length: 1 };
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(raw) ?? [];
  const next = tokens[index + 1];
  if (hours !== undefined) {
    const half = halfOfDay(next?.folded);
    const hasUnit = half !== undefined || next?.folded === "uhr" || next?.folded === "h";
    return { kind: "clock", number: toMinute(Number(hours), Number(minutes), half), length: hasUnit ? 2 : 1 };
  }
  if (!/^\d/.test(raw)) return undefined;
  return readNumber(tokens, index, language);
}

function readNumber(tokens: readonly Token[], index: number, language: Lexicon["language"]): Found | undefined {
  const token = tokens[index];
  const next = tokens[index + 1];
  if (token === undefined) return undefined;
  const number = toNumber(token.raw);
  const isClose = next !== undefined && next.start - token.end <= 1;
  const isJoined = next?.start === token.end;
  if (isClose && Number.isFinite(number)) {
    const unit = next.folded;
    const half = halfOfDay(unit);
    const [hour = 0, minute = 0] = token.raw.split(/[.,]/).map(Number);
    if (hour <= 24 && (unit === "uhr" || half !== undefined || (unit === "h" && isJoined))) {
      // "8 Uhr 30"
      const after = tokens[index + 2];
      const extra =
        unit === "uhr" && after !== undefined && /^[0-5]\d$/.test(after.raw) ? Number(after.raw) : undefined;
      return { kind: "clock", number: toMinute(hour, extra ?? minute, half), length: extra === undefined ? 2 : 3 };
    }
    if (isJoined && /^(?:st|nd|rd|th)$/.test(unit)) return { kind: "number", value: "ordinal", number, length: 2 };
    if (isJoined && unit === "." && language === "de") return { kind: "number", value: "ordinal", number, length: 2 };
    if (isJoined && /^(?:o|a|º|ª)$/.test(unit) && language === "es")
      return { kind: "number", value: "ordinal", number, length: 2 };
    if (isJoined && unit === "k") return { kind: "number", number: number * 1000, length: 2 };
  }
  return { kind: "number", number, length: 1 };
}

const halfOfDay = (unit: string | undefined): "am" | "pm" | undefined =>
  unit === "am" || unit === "pm" ? unit : undefined;

function toMinute(hour: number, minute: number, half: "am" | "pm" | undefined): number {
  const inDay = half === "pm" && hour < 12 ? hour + 12 : half === "am" && hour === 12 ? 0 : hour;
  return Math.min(inDay * 60 + minute, 24 * 60 - 1);
}

/** 1.200, 1,200.50 and 12,5 alike: a group of three digits is of thousands. */
function toNumber(raw: string): number {
  const plain = raw.replaceAll(/[.,](?=\d{3}(?:\D|$))/g, "").replace(",", ".");
  return Number(plain);
}

/** Day first, but for month/day where the first number can be a month in English: Americans write so. */
function readDate(raw: string, language: Lexicon["language"]): Mark["date"] {
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(raw);
  if (iso !== null) return asDate(iso[1], iso[2], iso[3]);
  const dotted = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{2,4})?$/.exec(raw);
  if (dotted !== null) return asDate(dotted[3], dotted[2], dotted[1]);
  const [, first, second, year] = /^(\d{1,2})\/(\d{1,2})(?:\/(\d{2,4}))?$/.exec(raw) ?? [];
  if (first === undefined) return undefined;
  const isMonthFirst = language === "en" && Number(first) <= 12;
  return isMonthFirst ? asDate(year, first, second) : asDate(year, second, first);
}

function asDate(year: string | undefined, month: string | undefined, day: string | undefined): Mark["date"] {
  const [numberOfMonth, numberOfDay] = [Number(month), Number(day)];
  if (!(numberOfMonth >= 1 && numberOfMonth <= 12 && numberOfDay >= 1 && numberOfDay <= 31)) return undefined;
  const full = year === undefined ? undefined : Number(year) < 100 ? 2000 + Number(year) : Number(year);
  return { year: full, month: numberOfMonth, day: numberOfDay };
}

/** Words that are no place, though they are written in capitals. */
const NO_PLACES: ReadonlySet<string> = new Set([
  "usd",
  "eur",
  "gbp",
  "pnr",
  "usa",
  "ics",
  "fyi",
  "asap",
  "pls",
  "usdc",
]);

function readPhrase(
  tokens: readonly Token[],
  index: number,
  lexicon: Lexicon,
  { before, isShouted }: { before: Mark | undefined; isShouted: boolean },
): Found {
  const token = tokens[index];
  if (token === undefined) return { kind: "end", length: 1 };
  if (BY_THE_WAY.test(token.folded)) return { kind: "skip", length: 1 };
  const isCapital = /^\p{Lu}/u.test(token.raw) && !isShouted;
  const isCode = /^[A-Z]{3}$/.test(token.raw) && !isShouted;
  const followsPreposition = before !== undefined && /^(?:from|to|in|near|withWord|until)$/.test(before.kind);
  for (const phrase of lexicon.phrases.get(token.folded) ?? []) {
    const { words, isDoubtful = false } = phrase;
    if (!words.every((word, offset) => tokens[index + offset]?.folded === word)) continue;
    // "Am nächsten Wochenende" is a day, and "am nächsten" the nearest hotel.
    if (phrase.value === "distance" && NEXT_DAY.test(tokens[index + words.length]?.folded ?? "")) continue;
    // "Que no salga antes de las diez" names no earliest flight.
    if (phrase.value === "earliest" && /^(?:de|del)$/.test(tokens[index + words.length]?.folded ?? "")) continue;
    // "One stop is fine" ends nothing.
    if (phrase.kind === "forget" && /^stopp?$/.test(token.folded) && before?.kind === "number")
      return { kind: "stopover", length: 1 };
    // "Nicht nach Oslo" names no hour.
    if (token.folded === "nicht" && words.at(-1) === "nach" && !isHour(tokens[index + words.length]?.folded)) continue;
    const isCodeName = phrase.value.toLowerCase() === token.folded;
    if (
      isDoubtful &&
      !(isCodeName
        ? isCode || (followsPreposition && !isCommonCode(token.folded))
        : (isCapital && index > 0) || followsPreposition)
    )
      continue;
    return { ...phrase, length: words.length };
  }
  if (isCode && !NO_PLACES.has(token.folded)) return { kind: "place", value: token.raw, length: 1 };
  for (const spelling of listSpellings(token.folded, lexicon.language)) {
    for (let length = spelling.length; length >= 4; length -= 1) {
      const stem = lexicon.stems.get(spelling.slice(0, length));
      if (stem !== undefined) return { ...stem, length: 1 };
    }
  }
  if (!/^\p{L}/u.test(token.raw)) return { kind: "sign", value: token.raw, length: 1 };
  const guess = guessWord(token.folded, lexicon);
  const meaning = guess === undefined ? undefined : lexicon.phrases.get(guess)?.find(({ words }) => words.length === 1);
  if (meaning !== undefined && guess !== undefined && (meaning.kind !== "place" || guess.length >= 6))
    return { ...meaning, length: 1 };
  return { kind: "word", length: 1 };
}

const isHour = (word = ""): boolean =>
  /^(?:\d|halb|viertel|um|mittag|mitternacht)/.test(word) ||
  /^(?:eins?|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|elf|zwolf)$/.test(word);

/** Codes that are words of these languages. */
const isCommonCode = (word: string): boolean => /^(?:den|las|san|bos|dus|des|der|ein|mit|the|all|her|rio)$/.test(word);

/** Spanish writes two letters for one sound, and is often written by ear. */
const listSpellings = (word: string, language: Lexicon["language"]): readonly string[] =>
  language === "es" && /^[bv]/.test(word) ? [word, `${word.startsWith("b") ? "v" : "b"}${word.slice(1)}`] : [word];

/** "Nichts" is no night, and "weiter" no weather. */
const NO_GUESSES: ReadonlySet<string> = new Set(["nichts", "weiter", "gebeten"]);

function guessWord(written: string, { guesses, language }: Lexicon): string | undefined {
  if (written.length < 5 || NO_GUESSES.has(written)) return undefined;
  for (const word of listSpellings(written, language)) {
    const guess = guessSpelling(word, guesses);
    if (guess !== undefined) return guess;
  }
  return undefined;
}

function guessSpelling(word: string, guesses: Lexicon["guesses"]): string | undefined {
  for (const length of [word.length, word.length - 1, word.length + 1]) {
    for (const candidate of guesses.get(length) ?? []) {
      if (candidate[0] === word[0] && isOneSlip(word, candidate)) return candidate;
    }
  }
  return undefined;
}

/** Whether one letter is wrong, missing or too many, or two are swapped. */
function isOneSlip(word: string, candidate: string): boolean {
  let start = 0;
  while (start < word.length && word[start] === candidate[start]) start += 1;
  let end = 0;
  while (end < Math.min(word.length, candidate.length) - start && word.at(-1 - end) === candidate.at(-1 - end))
    end += 1;
  const [left, right] = [word.length - start - end, candidate.length - start - end];
  if (left <= 1 && right <= 1) return true;
  return left === 2 && right === 2 && word[start] === candidate[start + 1] && word[start + 1] === candidate[start];
}
