import type { FieldTruths, Truth } from "./truth.ts";

type AnsweredFields = Readonly<Record<string, { value: string }>>;

/** The part of a scan that is judged. */
export interface Answer {
  fields: AnsweredFields;
  lines?: readonly AnsweredFields[] | undefined;
  taxes?: readonly AnsweredFields[] | undefined;
  legs?: readonly AnsweredFields[] | undefined;
  reasons: readonly { code: string }[];
}

interface Finding {
  /** Such as `totalAmount` or `legs.1.seat`. */
  field: string;
  expected: readonly string[];
  got: string | undefined;
}
export interface Verdict {
  right: readonly string[];
  /** Values that the document does not have. */
  wrong: readonly Finding[];
  /** Fields of the document that the answer leaves out. */
  missing: readonly Finding[];
  isReviewed: boolean;
  codes: readonly string[];
}

/** A text recognition may miss a letter of a name that nobody computes with: one in five. */
const FREE_TEXTS = new Set(["merchantName", "buyerName", "description"]);
const FREE_TEXT_ERRORS = 0.2;
const AMOUNTS = /(amount|percent|quantity)$/i;
/** Some write them with the zeros of the bar code. */
const PADDED = new Set(["flightNumber", "sequenceNumber", "seat"]);

export function judgeAnswer(truth: Truth, answer: Answer): Verdict {
  const found = { right: [], wrong: [], missing: [] };
  judgeFields("", truth.fields, answer.fields, found);
  for (const group of ["taxes", "legs"] as const) judgeGroup(group, truth[group], answer[group], found);
  const codes = answer.reasons.map(({ code }) => code);
  return { ...found, isReviewed: codes.length > 0, codes };
}

interface Found {
  right: string[];
  wrong: Finding[];
  missing: Finding[];
}

function judgeGroup(
  name: string,
  truths: readonly FieldTruths[] | undefined,
  answers: readonly AnsweredFields[] | undefined,
  found: Found,
): void {
  if (truths === undefined) return;
  // An answer without a whole list is incomplete, not wrong.
  if (answers === undefined || answers.length === 0) {
    found.missing.push({ field: name, expected: [String(truths.length)], got: undefined });
    return;
  }
  if (answers.length !== truths.length) {
    found.wrong.push({ field: name, expected: [String(truths.length)], got: String(answers.length) });
    return;
  }
  const inOrder = name === "legs" ? answers : sortLike(truths, answers);
  for (const [index, one] of truths.entries()) judgeFields(`${name}.${index}.`, one, inOrder[index] ?? {}, found);
}

/** Taxes may come in any order: each is judged against the one with its rate. */
function sortLike(truths: readonly FieldTruths[], answers: readonly AnsweredFields[]): readonly AnsweredFields[] {
  const readRate = (fields: AnsweredFields) => fields.ratePercent?.value;
  const sorted = truths.map(({ ratePercent = [] }) =>
    answers.find((one) => isRight("ratePercent", ratePercent, readRate(one) ?? "")),
  );
  return sorted.every((one) => one !== undefined) ? sorted : answers;
}

function judgeFields(prefix: string, truths: FieldTruths, answers: AnsweredFields, found: Found): void {
  for (const [name, expected] of Object.entries(truths)) {
    const got = answers[name]?.value;
    const finding = { field: `${prefix}${name}`, expected, got };
    if (got === undefined) {
      if (expected.length > 0) found.missing.push(finding);
    } else if (isRight(name, expected, got)) found.right.push(finding.field);
    else found.wrong.push(finding);
  }
}

function isRight(name: string, expected: readonly string[], got: string): boolean {
  // A tip of zero is no tip.
  if (expected.length === 0) return AMOUNTS.test(name) && plainDecimal(got) === "0";
  return expected.some((one) => areEqual(name, one, got));
}

function areEqual(name: string, expected: string, got: string): boolean {
  if (AMOUNTS.test(name)) return plainDecimal(expected) === plainDecimal(got);
  if (FREE_TEXTS.has(name)) {
    const [one, other] = [fold(expected), fold(got)];
    return distance(one, other) <= one.length * FREE_TEXT_ERRORS;
  }
  if (PADDED.has(name)) return expected.replace(/^0+/, "") === got.replace(/^0+/, "");
  if (name === "documentNumber") return isMasked(expected, got);
  if (name === "familyName" || name === "givenName" || name === "passengerName")
    return spread(expected) === spread(got);
  if (name === "taxId" || name === "invoiceNumber") return compact(expected) === compact(got);
  return expected === got;
}

const compact = (text: string): string => text.toUpperCase().replaceAll(/[^\p{Letter}\p{Number}]/gu, "");
/** Hyphens and apostrophes of a name may be blanks or nothing, as in the zone. */
const spread = (name: string): string =>
  name
    .toUpperCase()
    .replaceAll(/['’]/g, "")
    .replaceAll(/[\s-]+/g, " ")
    .trim();
const fold = (text: string): string => compact(text.normalize("NFD").replaceAll(/\p{Mark}/gu, ""));

function plainDecimal(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Document numbers may come masked: what is shown must be the end of the number. */
function isMasked(expected: string, got: string): boolean {
  const [, mask = "", shown = ""] = /^([^\p{Letter}\p{Number}]*)(.*)$/u.exec(got) ?? [];
  return mask === "" ? shown === expected : expected.endsWith(shown);
}

function distance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...one].entries()) {
    const current = [row + 1];
    for (const [column, second] of [...other].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === second ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[other.length] ?? 0;
}

export const describeFinding = ({ field, expected, got }: Finding): string =>
  `${field}: ${got === undefined ? "nothing" : JSON.stringify(got)} instead of ${expected.length === 0 ? "nothing" : expected.map((one) => JSON.stringify(one)).join(" or ")}`;
