import { MICRO_PER_UNIT, type Micro } from "../../../../domain/money.ts";
import type { CurrencyMark } from "./currency-marks.ts";
import { findMark } from "./currency-marks.ts";
import type { Row, Span } from "./rows.ts";

export type DecimalSign = "." | ",";

/** A number of a row. Amounts are in millionths of a unit. */
export interface Amount extends Span {
  /** Its possible values, likeliest first. If there are several, only arithmetic can decide. */
  values: readonly Micro[];
  /** False if a space, a sign or a letter had to be reinterpreted. */
  isClean: boolean;
  /** Decimal places as printed. */
  places: number;
  isGrouped: boolean;
  currency: CurrencyMark | undefined;
  /** `19 %` */
  isPercent: boolean;
  /** `2 x`, `3 @` */
  isMultiplier: boolean;
  /** `12.40 km`, `0.350 kg` */
  isMeasure: boolean;
}

/** A number in a text, before its decimal sign is known. */
export interface RawNumber extends Span {
  digits: string;
  isNegative: boolean;
  currency: CurrencyMark | undefined;
  isPercent: boolean;
  isMultiplier: boolean;
  /** `12.40 km`, `0.350 kg` */
  isMeasure: boolean;
  /** Letters were replaced by digits. */
  isMended: boolean;
  /** The number joined with the one before it, if they may be one. */
  joined: { digits: string; start: number; isNarrow: boolean; isSure: boolean } | undefined;
}

const TOKEN = /[^\s]+/gu;
const MOST_NUMBERS = 12;
const CORE = /\d(?:[\d.,']{0,20}\d)?(?:[.,]-{1,2})?/;
const MASK = /[*xX•●#]{2,}[^\d\s]{0,3}[ -]?\d{2,4}|\d{2,6}[*xX•●#]{2,}|[*※•●#]\S{0,4}[*※•●#]/u;
/** Dates, times, phone numbers and codes. */
const NO_AMOUNT =
  /\d[:/]\d|\d-\d|\d{1,2}\.\d{1,2}\.\d{2}|^[#№]|^(?:no|nr|n°|nº|tel)[.:]?\d|^\+\d{2}|\d[°º]|[年月日時分号]/iu;
const MEASURE =
  /^(?:km|kms|mi|miles?|kg|g|lbs?|l|ltr|liter|litros?|litres?|gal|h|hrs?|std|min|mins|kwh|m|m2|pcs|pc|stk|nights?|uhr|%|点|個|名|人|分|泊)$/iu;
const TRAILING_CLASS = /^(?:[A-Za-z]|[*※#軽]|[A-Z][12]|\([A-Za-z*]\))$/u;

/** The numbers of a row that could be amounts. */
export function findNumbers(row: Row): RawNumber[] {
  const tokens = splitTokens(row);
  const numbers: RawNumber[] = [];
  for (const [index, token] of tokens.entries()) {
    if (numbers.length === MOST_NUMBERS) break;
    if (MASK.test(token.text) || /^[*xX•●#]{2,}$/u.test(tokens[index - 1]?.text ?? "")) continue;
    for (const piece of splitMultiplied(token)) {
      const number = readToken(row, piece);
      if (number !== undefined) numbers.push(number);
    }
  }
  const withNeighbours = numbers.map((number) => lookAround(number, tokens));
  return withNeighbours.map((number, index) => joinWithPrevious(number, withNeighbours[index - 1]));
}

/** Text recognition may insert a space before or after the decimal sign: `22 .50`, `22. 50`. */
function splitTokens({ text, source }: Row): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const token = { text: match[0], start: match.index, end: match.index + match[0].length };
    const last = tokens.at(-1);
    const isNext = source === "ocr" && last !== undefined && last.end + 1 === token.start && text[last.end] === " ";
    const isSplit =
      isNext &&
      ((/\d$/.test(last.text) && /^[.,]\d\d\b/.test(token.text)) ||
        (/\d[.,]$/.test(last.text) && /^\d\d(?!\d)/.test(token.text)));
    if (isSplit)
      tokens.splice(-1, 1, { text: last.text + token.text, start: last.start, end: token.end, isMended: true });
    else tokens.push(token);
  }
  return tokens;
}

interface Token {
  text: string;
  start: number;
  end: number;
  isMended?: boolean;
}

/** `2x3.50` is two numbers, and so is `3@1.20`. */
function splitMultiplied(token: Token): Token[] {
  const match = /^(\d{1,4}[x×@*])(.{0,3}\d.{0,20})$/iu.exec(token.text);
  const [, first, second] = match ?? [];
  if (first === undefined || second === undefined) return [token];
  const middle = token.start + first.length;
  return [
    { text: first, start: token.start, end: middle },
    { text: second, start: middle, end: token.end },
  ];
}

function readToken(row: Row, { text, start, end, isMended = false }: Token): RawNumber | undefined {
  if (text.length > 40 || !/\d/.test(text)) return undefined;
  if (NO_AMOUNT.test(text)) return undefined;
  const core = CORE.exec(text);
  if (core === null) return undefined;
  const before = text.slice(0, core.index);
  const after = text.slice(core.index + core[0].length);
  // `10%対象`, `(税率8%)`
  if (/^[%％]/u.test(after) && !/\d/.test(before)) {
    const from = start + core.index;
    return {
      row,
      start: from,
      end: from + core[0].length + 1,
      joined: undefined,
      digits: core[0],
      isMended: false,
      ...PERCENT,
    };
  }
  // The rest of a masked card number.
  if (/[*+#•]\S{0,3}[*+#•]/u.test(before)) return undefined;
  const plain = readFrame(before, after);
  const base = { row, start, end, joined: undefined };
  const isCut = row.source !== "text" && /[.,]\d[OoQDlI|!iSsZzBGg]$/u.test(text);
  if (plain !== undefined && !isCut) return { ...base, ...plain, digits: core[0], isMended };
  return mendToken(base, text);
}

const PERCENT = { isNegative: false, currency: undefined, isPercent: true, isMultiplier: false, isMeasure: false };
const COUNTER = /^(?:km|kg|mi|kwh|泊|点|個|名|人|本|枚|杯|食|室|台)$/iu;

/** The characters around the digits of a token; undefined if it is no number. */
function readFrame(before: string, after: string) {
  const left = before.replace(/^[([*:=~"]+/u, "").replaceAll(/['"]/gu, "");
  const right = after.replace(/[*:;"]+$/u, "");
  const isNegative = /^-|-$/u.test(left) || /^-/.test(right) || (before.includes("(") && after.includes(")"));
  const leftMark = left.replaceAll(/[-+]/gu, "");
  const rightMark = right.replaceAll(/[-+)\].,]/gu, "");
  const currency = findMark(leftMark) ?? findMark(rightMark);
  const isPercent = rightMark === "%" || rightMark === "％";
  const isMeasure = COUNTER.test(rightMark);
  const isMultiplier = /^[x×@]$/iu.test(rightMark) || /^[x×@]$/iu.test(leftMark);
  const leftIsKnown = leftMark === "" || findMark(leftMark) !== undefined || /^[x×@]$/iu.test(leftMark);
  const rightIsKnown =
    rightMark === "" ||
    currency !== undefined ||
    isPercent ||
    isMultiplier ||
    isMeasure ||
    TRAILING_CLASS.test(rightMark);
  if (!leftIsKnown || !rightIsKnown) return undefined;
  return { isNegative, currency, isPercent, isMultiplier, isMeasure };
}

const DIGIT_OF_LETTER: Readonly<Record<string, string>> = {
  O: "0",
  o: "0",
  Q: "0",
  D: "0",
  l: "1",
  I: "1",
  "|": "1",
  "!": "1",
  i: "1",
  S: "5",
  s: "5",
  Z: "2",
  z: "2",
  B: "8",
  G: "6",
  g: "9",
};

/** `1O.5O` can only be a misread amount. */
function mendToken(base: Pick<RawNumber, "row" | "start" | "end" | "joined">, text: string): RawNumber | undefined {
  if (base.row.source === "text") return undefined;
  const match = /^([-+]?)(\D{0,3}?)([\dOoQDlI|!iSsZzBGg]{1,7}(?:[.,'][\dOoQDlI|!iSsZzBGg]{2,3}){1,3})(\D{0,3})$/u.exec(
    text,
  );
  const [, sign = "", before = "", core = "", after = ""] = match ?? [];
  const letters = core.replaceAll(/[\d.,']/g, "").length;
  if (core === "" || letters * 2 > core.length) return undefined;
  const frame = readFrame(sign + before, after);
  if (frame === undefined) return undefined;
  const digits = core.replaceAll(/[^\d.,']/gu, (letter) => DIGIT_OF_LETTER[letter] ?? letter);
  // A dollar sign is often read as an S.
  const isDollar = /^S\d/.test(core);
  const joined = isDollar ? { digits, start: base.start, isNarrow: false, isSure: false } : undefined;
  return { ...base, ...frame, digits: isDollar ? digits.slice(1) : digits, joined, isMended: true };
}

/** A currency, a sign, a per cent sign or a times sign may be separate from its number. */
function lookAround(number: RawNumber, tokens: readonly Token[]): RawNumber {
  const index = tokens.findIndex((token) => token.start <= number.start && number.end <= token.end);
  const before = tokens[index - 1];
  const after = tokens[index + 1];
  const left = before?.text.replaceAll(/^[([]|[-+:]$/gu, "") ?? "";
  const right = after?.text.replaceAll(/[)\].,]$/gu, "") ?? "";
  const isNegative =
    number.isNegative ||
    before?.text === "-" ||
    (before !== undefined && /^[^\d\s]{1,3}-$/u.test(before.text) && findMark(left) !== undefined) ||
    (/^-[^\d\s]{1,3}$/u.test(before?.text ?? "") && findMark(left.replace("-", "")) !== undefined);
  const currency = number.currency ?? findMark(left.replace(/^-/, "")) ?? findMark(right);
  return {
    ...number,
    isNegative,
    currency,
    isPercent: number.isPercent || /^%/u.test(right),
    isMultiplier: number.isMultiplier || /^[x×@*]$/iu.test(right),
    isMeasure:
      number.isMeasure || (MEASURE.test(right) && number.currency === undefined) || /^[^\d\s]{0,4}\/\p{L}/u.test(right),
  };
}

/** `1 234,56` is one number if spaces separate thousands, and so is `12 .50` with a space from text recognition. */
function joinWithPrevious(number: RawNumber, previous: RawNumber | undefined): RawNumber {
  if (previous === undefined || previous.isPercent || previous.isMultiplier || previous.end + 1 !== number.start)
    return number;
  if (number.row.text[previous.end] !== " " || number.isNegative) return number;
  const lead = previous.joined?.digits ?? previous.digits;
  const isThousands = /^\d{1,3}(?:'\d{3})*$/.test(lead) && /^\d{3}(?:[.,]\d{1,2})?$/.test(number.digits);
  const isSplit =
    number.row.source === "ocr" && /^\d{1,6}$/.test(previous.digits) && /^\d{1,3}[.,]\d{2}$/.test(number.digits);
  if (!isThousands && !isSplit) return number;
  const start = previous.joined?.start ?? previous.start;
  return {
    ...number,
    // `CHF 1 200.00` begins with the currency.
    joined: {
      digits: `${lead}${isThousands ? "'" : ""}${number.digits}`,
      start,
      isNarrow: isThousands,
      isSure: isThousands && previous.currency !== undefined && number.currency === undefined,
    },
  };
}

/** The decimal sign of most numbers of the document. Undefined if no number tells. */
export function findDecimalSign(numbers: readonly RawNumber[]): DecimalSign | undefined {
  const votes = { ".": 0, ",": 0 };
  for (const { digits, isPercent } of numbers) {
    if (isPercent) continue;
    const plain = /^\d+([.,])\d{1,2}$/.exec(digits) ?? /^\d{1,3}(?:([.,'])\d{3})+([.,])\d{1,2}$/.exec(digits);
    const sign = plain?.[2] ?? plain?.[1];
    if (sign === "." || sign === ",") votes[sign] += 1;
  }
  if (votes["."] === votes[","]) return undefined;
  return votes["."] > votes[","] ? "." : ",";
}

/** The number format of a document. */
export interface NumberStyle {
  decimalSign: DecimalSign | undefined;
  /** The currency's decimal places. */
  places: number;
  groupsWithSpaces: boolean;
  /** Amounts without decimal places carry a currency: a number without one is no amount. */
  marksWholeAmounts: boolean;
}

export function toAmount(number: RawNumber, style: NumberStyle): Amount {
  const single = number.digits.replaceAll(/[.,']{2,}(?=\d)/g, (signs) => signs.slice(-1));
  const own = readDigits(single, style);
  const joined = number.joined === undefined ? [] : readDigits(number.joined.digits, style).values;
  const isSure = number.joined?.isSure === true;
  const prefersJoined = isSure || (number.joined?.isNarrow === true && style.groupsWithSpaces);
  const values = isSure ? joined : prefersJoined ? [...joined, ...own.values] : [...own.values, ...joined];
  const { row, end, currency, isPercent, isMultiplier, isMeasure, isNegative } = number;
  return {
    row,
    end,
    currency,
    isPercent,
    isMultiplier,
    isMeasure,
    start: prefersJoined ? (number.joined?.start ?? number.start) : number.start,
    values: [...new Set(values)].map((value) => (isNegative ? -value : value)),
    isClean:
      own.isClean && single === number.digits && !number.isMended && (number.joined === undefined || prefersJoined),
    places: own.places,
    isGrouped: own.isGrouped || prefersJoined,
  };
}

function readDigits(
  digits: string,
  style: NumberStyle,
): { values: Micro[]; isClean: boolean; places: number; isGrouped: boolean } {
  const whole = /^(\d+)[.,]-{1,2}$/.exec(digits);
  if (whole?.[1] !== undefined) return { values: [toMicro(whole[1], "")], isClean: true, places: 2, isGrouped: false };
  if (/^\d+$/.test(digits)) return { values: [toMicro(digits, "")], isClean: true, places: 0, isGrouped: false };
  const last = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","), digits.lastIndexOf("'"));
  const sign = digits.charAt(last);
  const tail = digits.slice(last + 1);
  const head = digits.slice(0, last);
  const asFraction = toMicro(head.replaceAll(/\D/g, ""), tail.slice(0, 6));
  const asWhole = toMicro(digits.replaceAll(/\D/g, ""), "");
  const isGrouping = /^\d{1,3}(?:[.,']\d{2,3})*$/.test(head) && tail.length === 3;
  const others = new Set(head.replaceAll(/\d/g, ""));
  if (style.places === 2 && others.size === 0 && /^\d{1,3}$/.test(head) && tail.length === 5) {
    // `2.46717`: the decimal sign was not read.
    return { values: [toMicro(head + tail.slice(0, 3), tail.slice(3))], isClean: false, places: 2, isGrouped: true };
  }
  if (!isGrouping) {
    const isUsual =
      sign !== "'" && (others.size === 0 || (others.size === 1 && !others.has(sign) && isGroupedHead(head)));
    return {
      values: [asFraction],
      isClean: isUsual && tail.length <= 4,
      places: tail.length,
      isGrouped: others.size > 0,
    };
  }
  if (sign === "'" || others.has(sign))
    return { values: [asWhole], isClean: others.size <= 1, places: 0, isGrouped: true };
  if (others.size > 0) return { values: [asFraction], isClean: style.places === 3, places: 3, isGrouped: true };
  if (style.places === 0) return { values: [asWhole], isClean: true, places: 0, isGrouped: true };
  // `12.345`: the document's other numbers decide.
  if (style.decimalSign !== undefined && style.decimalSign !== sign)
    return { values: [asWhole], isClean: true, places: 0, isGrouped: true };
  if (style.places === 3)
    return { values: [asFraction, asWhole], isClean: style.decimalSign === sign, places: 3, isGrouped: false };
  if (style.decimalSign === sign) return { values: [asFraction, asWhole], isClean: false, places: 3, isGrouped: false };
  return { values: [asWhole, asFraction], isClean: false, places: 0, isGrouped: true };
}

/** Groups of three, or of two before the last as in India. */
const isGroupedHead = (head: string): boolean =>
  /^\d{1,3}(?:[.,']\d{3})+$/.test(head) || /^\d{1,2}(?:,\d{2})*,\d{3}$/.test(head);

const toMicro = (units: string, fraction: string): Micro =>
  BigInt(units.slice(0, 15) || "0") * MICRO_PER_UNIT + BigInt(fraction.slice(0, 6).padEnd(6, "0"));

/** Whether a number of a row is money rather than a quantity, a code or a number of a table. */
export function isMoney(
  { isPercent, isMultiplier, isMeasure, places, currency, isGrouped, start, end }: Amount,
  style: NumberStyle,
): boolean {
  if (isPercent || isMultiplier || isMeasure) return false;
  if (currency !== undefined || isGrouped) return true;
  // Amounts from a thousand on are grouped if they carry no currency: a number of four digits is a year or a code.
  if (style.places === 0) return places === 0 && !style.marksWholeAmounts && end - start <= 4;
  return places === style.places;
}

export const firstValue = ({ values }: Amount): Micro => values[0] ?? 0n;
