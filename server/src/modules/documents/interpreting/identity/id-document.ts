import type { Interpreting, Reading } from "../../reading/page.ts";
import type { Fields, ReviewReason, Scan, ScannedField } from "../../scan.ts";
import { makeField, makeReason } from "../printed-text.ts";
import { isSpecimenCode, toIssuingCountry, toNationality } from "./country-codes.ts";
import { readIssue, readZoneDates } from "./id-dates.ts";
import { confirmNames } from "./id-names.ts";
import { readWithoutZone } from "./id-without-zone.ts";
import { type MrzCheck, type MrzRead, readMrz } from "./mrz.ts";
import { computeCheckDigit } from "./mrz-layouts.ts";
import { comparePrintedNumber, listPrintedSexes, printsWord, readVisualZone, type VisualZone } from "./visual-zone.ts";

const MOST_CANDIDATES = 12;
const SURE = 0.98;
const ALIKE = 0.9;
const UNSURE = 0.5;
/** Printed in passports of British nationals who are not citizens. */
const BRITISH_NATIONAL = ["OVERSEAS", "SUBJECT", "PROTECTED"];

/**
 * Interprets an identity document: a passport, a card or a visa. Its machine-readable zone takes precedence; a value
 * counts only if all its check digits fit and the print shows the same. Values that the print does not confirm are
 * returned with a reason, and such names are left out. The document number is returned in full: the caller masks it.
 */
export function interpretIdDocument(reading: Reading, { today }: Interpreting): Scan {
  const reads = reading.mrz.slice(0, MOST_CANDIDATES).flatMap(readMrz);
  const zone = readVisualZone(reading);
  const chosen = chooseRead(reads, zone);
  if (chosen === undefined) return readWithoutZone(reading, zone, today);
  const { read, alike, reasons, open } = chosen;
  const names = confirmNames(alike, zone);
  const number = readNumber(read, zone);
  const isNumberShown = number.reasons.length === 0 && number.fields.documentNumber !== undefined;
  const known = {
    read,
    zone,
    today,
    isTrusted: isNumberShown && names.reasons.length === 0 && read.failed.length === 0 && !read.isRepaired,
  };
  const dates = readZoneDates(known);
  const parts = [
    readType(read, zone),
    readCountries(alike, read, zone),
    number,
    names,
    dates,
    readSex(alike, zone, known.isTrusted),
    readIssue(known, dates),
  ];
  return {
    fields: Object.fromEntries(
      parts.flatMap(({ fields }) => Object.entries(fields)).filter(([name]) => !open.includes(name)),
    ),
    reasons: [...reasons, ...describeZone(read), ...parts.flatMap((part) => part.reasons)],
    references: [],
    pages: reading.pageCount,
  };
}

interface Part {
  fields: Fields;
  reasons: readonly ReviewReason[];
}

interface Chosen {
  read: MrzRead;
  /** Readings that agree with it in everything that has a check digit. */
  alike: readonly MrzRead[];
  reasons: readonly ReviewReason[];
  /** Fields in which equally good readings differ: they are left out. */
  open: readonly string[];
}

function buildKey({ values }: MrzRead): string {
  return [values.documentNumber, values.born, values.expires].join("/");
}

/** Chooses the reading to follow: one that fits as read before a repaired one, and that before one that does not fit. */
function chooseRead(reads: readonly MrzRead[], zone: VisualZone): Chosen | undefined {
  const whole = reads.filter(({ failed, isRepaired }) => failed.length === 0 && !isRepaired);
  const repaired = reads.filter(({ failed, isRepaired }) => failed.length === 0 && isRepaired);
  const pool = whole.length > 0 ? whole : repaired;
  const groups = [...Map.groupBy(pool, buildKey).values()];
  if (groups.length > 1) return chooseGroup(groups, zone);
  if (groups.length === 1) return choose(groups[0] ?? [], []);
  const [best] = [...reads].sort((one, other) => one.failed.length - other.failed.length);
  if (best === undefined) return undefined;
  return choose([best], listFailures(best));
}

const CHECKED: Readonly<Partial<Record<MrzCheck, readonly [field: string, what: string]>>> = {
  documentNumber: ["documentNumber", "document number"],
  born: ["bornOn", "date of birth"],
  expires: ["expiresOn", "date of expiry"],
};

/** Any failed check digit casts doubt on the whole document, and more on its own field. */
function listFailures({ failed }: MrzRead): readonly ReviewReason[] {
  const code = "check_digit_failed";
  return [
    makeReason(code, "Check digits of the machine-readable zone do not match."),
    ...failed.flatMap((check) => {
      const [field, what] = CHECKED[check] ?? [];
      return field === undefined ? [] : [makeReason(code, `The check digit of the ${what} does not match.`, field)];
    }),
  ];
}

/** Readings that disagree are of several documents, or the printed number decides between them. */
function chooseGroup(groups: readonly (readonly MrzRead[])[], zone: VisualZone): Chosen | undefined {
  const firsts = groups.flatMap((group) => group[0] ?? []);
  const first = groups[0] ?? [];
  if (firsts.some((one) => firsts.some((other) => isApart(one, other)))) {
    return choose(first, [makeReason("several_documents", "The pages show several documents; this is the first.")]);
  }
  const shown = groups.filter(([read]) => read !== undefined && printsNumber(read, zone));
  if (shown.length === 1) return choose(shown[0] ?? [], []);
  const message = "The machine-readable zone can be read in several ways.";
  const open = (["documentNumber", "bornOn", "expiresOn"] as const).filter((name) => {
    const values = new Set(
      firsts.map(({ values }) => (name === "documentNumber" ? values[name] : values[ITEMS[name]])),
    );
    return values.size > 1;
  });
  return choose(first, [makeReason("check_digit_failed", message)], open);
}

const ITEMS = { bornOn: "born", expiresOn: "expires" } as const;

function choose(
  alike: readonly MrzRead[],
  reasons: readonly ReviewReason[],
  open: readonly string[] = [],
): Chosen | undefined {
  const [read] = alike;
  return read === undefined ? undefined : { read, alike, reasons, open };
}

/** Zones on different pages, or one below the other, belong to different documents. */
function isApart({ from: one }: MrzRead, { from: other }: MrzRead): boolean {
  if (one.page !== other.page) return true;
  return one.box.y + one.box.height < other.box.y || other.box.y + other.box.height < one.box.y;
}

function describeZone({ values }: MrzRead): readonly ReviewReason[] {
  if (!isSpecimenCode(values.issuer) && !isSpecimenCode(values.nationality)) return [];
  return [makeReason("specimen", "The document is a specimen: its country does not exist.")];
}

function zoneField(value: string, confidence: number, { from }: MrzRead): ScannedField {
  return makeField(value, confidence, { source: "mrz", page: from.page, box: from.box });
}

const TYPES: Readonly<Record<string, string>> = {
  P: "passport",
  V: "visa",
  I: "identity_card",
  A: "identity_card",
  C: "identity_card",
};
const VISA_WORDS = ["VISA", "VISUM", "VISTO", "VISADO"];

/** The first letter of the zone has no check digit, and it alone distinguishes a visa from a passport. */
function readType(read: MrzRead, zone: VisualZone): Part {
  const { documentCode, format } = read.values;
  const type = TYPES[documentCode.charAt(0)];
  if (type === undefined) return { fields: {}, reasons: [] };
  const isVisa = format === "MRV-A" || format === "MRV-B";
  const isUnclear = (isVisa && !VISA_WORDS.some((word) => printsWord(zone, word))) || documentCode.charAt(1) === "R";
  return {
    fields: { documentType: zoneField(type, isUnclear ? UNSURE : SURE, read) },
    reasons: isUnclear ? [makeReason("low_confidence", "The kind of document is uncertain.", "documentType")] : [],
  };
}

/** Neither code has a check digit: they confirm each other if they are equal, else the print must show them. */
function readCountries(alike: readonly MrzRead[], first: MrzRead, zone: VisualZone): Part {
  const agreeing = alike.filter(({ values }) => values.issuer === values.nationality && toNationality(values.issuer));
  // Another reading of the same zone may have both where the first one lacks them.
  const isOneCountry = new Set(agreeing.map(({ values }) => values.issuer)).size === 1;
  const read = (isOneCountry ? agreeing[0] : undefined) ?? first;
  const { issuer, nationality } = read.values;
  const fields: Record<string, ScannedField> = {};
  const reasons: ReviewReason[] = [];
  const isOtherBritish = nationality === "GBR" && BRITISH_NATIONAL.some((word) => printsWord(zone, word));
  const agree = issuer === nationality && !isOtherBritish;
  const add = (field: "issuingCountry" | "nationality", code: string, value: string | undefined) => {
    if (value === undefined) {
      reasons.push(makeReason("country_unknown", "The machine-readable zone has a code that is not a country.", field));
      return;
    }
    // A code of one letter occurs in any print.
    const isSure = agree || [code, value].some((text) => text.length === 3 && printsWord(zone, text));
    fields[field] = zoneField(value, isSure ? SURE : UNSURE, read);
    if (!isSure) reasons.push(makeReason("low_confidence", "The printed part does not show this code.", field));
  };
  add("issuingCountry", issuer, toIssuingCountry(issuer));
  add("nationality", nationality, toNationality(nationality));
  return { fields, reasons };
}

function compareNumber({ values, numberAsRead, numberCheck, isRepaired }: MrzRead, zone: VisualZone) {
  const number = values.documentNumber.replaceAll("<", "");
  const fits = (text: string) => numberCheck === "<" || computeCheckDigit(text) === numberCheck;
  // A filler within a number may be a letter: K and < have the same check digit value.
  const isAsRead = !isRepaired && number === values.documentNumber;
  if (numberCheck !== "<" && hasTwin(number, fits)) return "absent";
  return comparePrintedNumber(zone, { number, asRead: isAsRead ? undefined : numberAsRead, fits });
}

/** Compares exact letters: no reading may gain from its similarity to the print. */
function printsNumber({ values }: MrzRead, zone: VisualZone): boolean {
  const number = values.documentNumber.replaceAll("<", "");
  return comparePrintedNumber(zone, { number, asRead: "", fits: () => true }) === "same";
}

const DIGITS_LIKE: Readonly<Record<string, string>> = { O: "0", I: "1", Z: "2", S: "5", B: "8" };
const MOST_LIKE_DIGITS = 6;

/**
 * Whether a number with several letters that look like digits also fits with some of them as digits: OO and 00 often
 * have the same check digit, and zone and print are misread alike.
 */
function hasTwin(number: string, fits: (text: string) => boolean): boolean {
  const places = [...number].flatMap((character, index) => (DIGITS_LIKE[character] === undefined ? [] : [index]));
  if (places.length < 2) return false;
  if (places.length > MOST_LIKE_DIGITS) return true;
  for (let chosen = 1; chosen < 2 ** places.length; chosen += 1) {
    const swapped = places.filter((_, bit) => (chosen >> bit) % 2 === 1);
    const twin = [...number].map((character, index) => (swapped.includes(index) ? DIGITS_LIKE[character] : character));
    if (fits(twin.join(""))) return true;
  }
  return false;
}

/** Check digits miss differences of ten, as between G and 6 or L and 1, so the number must be printed, too. */
function readNumber(read: MrzRead, zone: VisualZone): Part {
  const { documentNumber } = read.values;
  const number = documentNumber.replaceAll("<", "");
  if (number === "") {
    const isNamed = read.failed.includes("documentNumber");
    const message = "The machine-readable zone has no number that matches its check digit.";
    return { fields: {}, reasons: isNamed ? [] : [makeReason("check_digit_failed", message, "documentNumber")] };
  }
  const shown = compareNumber(read, zone);
  const reason =
    shown === "other"
      ? makeReason("parts_disagree", "The printed number differs from the machine-readable zone.", "documentNumber")
      : makeReason("low_confidence", "The printed part does not show this number.", "documentNumber");
  return {
    fields: { documentNumber: zoneField(number, shown === "same" ? SURE : UNSURE, read) },
    reasons: shown === "same" ? [] : [reason],
  };
}

const SEXES: ReadonlyMap<string, "f" | "m" | "x"> = new Map([
  ["F", "f"],
  ["M", "m"],
  ["<", "x"],
  ["X", "x"],
]);

/** The sex has no check digit. A filler in the zone means that the document states none: x if the print shows an X, otherwise left out. */
function readSex(alike: readonly MrzRead[], zone: VisualZone, isTrusted: boolean): Part {
  const [read] = alike;
  const printed = listPrintedSexes(zone);
  const sex = read === undefined ? undefined : SEXES.get(read.values.sex);
  if (read === undefined || sex === undefined || (sex === "x" && !printed.has("x"))) {
    return {
      fields: {},
      reasons: [makeReason("low_confidence", "The document does not state the sex clearly.", "sex")],
    };
  }
  const isShown = printed.size === 1 && printed.has(sex);
  // F and M are not confused: if everything else was read well, the zone suffices.
  const isClear = isTrusted && printed.size === 0 && alike.every(({ values }) => values.sex === read.values.sex);
  if (isShown || isClear) return { fields: { sex: zoneField(sex, isShown ? SURE : ALIKE, read) }, reasons: [] };
  const code = printed.size === 1 ? "parts_disagree" : "low_confidence";
  return {
    fields: { sex: zoneField(sex, UNSURE, read) },
    reasons: [makeReason(code, "The printed part does not show the same sex.", "sex")],
  };
}
