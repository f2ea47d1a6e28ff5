import { parse } from "mrz";
import type { MrzLines } from "../../reading/page.ts";
import { DIGIT_LIKE } from "../look-alikes.ts";
import {
  after,
  computeCheckDigit,
  MRZ_LAYOUTS,
  type MrzFormat,
  type MrzLayout,
  type Span,
  textAt,
} from "./mrz-layouts.ts";

/** The raw values of a machine-readable zone: fillers within names are <, dates are YYMMDD. */
interface MrzValues {
  format: MrzFormat;
  documentCode: string;
  issuer: string;
  nationality: string;
  documentNumber: string;
  born: string;
  expires: string;
  /** M, F or <. */
  sex: string;
  /** The whole item, with its fillers. */
  names: string;
}

/** The items with a check digit, and the digit over all of them. */
export type MrzCheck = "documentNumber" | "born" | "expires" | "optional" | "composite";

export interface MrzRead {
  values: MrzValues;
  /** The check digits that do not fit; empty if everything verifiable was verified. */
  failed: readonly MrzCheck[];
  /** One character was replaced by one with which it is often confused. */
  isRepaired: boolean;
  /** The document number before that, and its check digit; a filler if the number continues elsewhere. */
  numberAsRead: string;
  numberCheck: string;
  /** The lines were not of the format's length. */
  isRefitted: boolean;
  from: MrzLines;
}

const LONGEST_LINE = 60;
const MOST_LINES = 6;
const MOST_REFITS = 12;
/** How many fillers a line may lack or have in excess: fewer than the eight by which two formats differ. */
const MOST_MISSING = 5;
const MOST_EXTRA = 4;
const SIGNS_OF_FILLERS: Readonly<Record<string, string>> = { "«": "<<", "‹": "<", "＜": "<", "≪": "<<", "〈": "<" };

/** Letters that text recognition reads as these characters. */
const LETTER_OF: Readonly<Record<string, string>> = {
  "0": "O",
  "1": "I",
  "2": "Z",
  "5": "S",
  "6": "G",
  "8": "B",
  "4": "A",
};
const CONFUSED = ["0ODQ8", "1IL7T", "2Z", "38B", "4A", "56S", "6G", "<K", "<C", "<L", "UV", "MN", "8B6S", "EF", "PF"];
const alternatives: ReadonlyMap<string, readonly string[]> = new Map(
  [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<"].map((character) => {
    const others = CONFUSED.filter((group) => group.includes(character)).flatMap((group) => [...group]);
    return [character, [...new Set(others)].filter((other) => other !== character)] as const;
  }),
);

/**
 * Every reading of the lines as a machine-readable zone whose check digits all fit: unchanged, with fillers added or
 * removed in runs of them, and with digits and letters corrected by position. If there is none, readings with one
 * character replaced by a common confusion. If there is none either, the reading with the most fitting check digits,
 * and the failed ones.
 */
export function readMrz(candidate: MrzLines): readonly MrzRead[] {
  const lines = candidate.lines
    .map(cleanLine)
    .filter((line) => line.length >= 20)
    .slice(0, MOST_LINES);
  const fits = MRZ_LAYOUTS.flatMap((layout) => fitLayout(lines, layout));
  const reads = fits.map((fit) => ({ fit, failed: listFailed(fit.lines, fit.layout) }));
  const whole = reads.filter(({ failed }) => failed.length === 0);
  if (whole.length > 0) {
    return dedupe(whole.map(({ fit }) => toRead(fit, [], fit, candidate)).filter((read) => read !== undefined));
  }
  const repaired = fits.flatMap((fit) =>
    repair(fit).map((text) => toRead({ ...fit, lines: text }, [], fit, candidate)),
  );
  const survivors = dedupe(repaired.filter((read) => read !== undefined));
  if (survivors.length > 0) return survivors;
  const [best] = reads.sort((one, other) => one.failed.length - other.failed.length);
  const read = best === undefined ? undefined : toRead(best.fit, best.failed, best.fit, candidate);
  return read === undefined ? [] : [read];
}

interface Fit {
  layout: MrzLayout;
  lines: readonly string[];
  isRefitted: boolean;
}

function cleanLine(line: string): string {
  return [...line.slice(0, LONGEST_LINE * 2).toUpperCase()]
    .map((character) => SIGNS_OF_FILLERS[character] ?? character)
    .join("")
    .replaceAll(/[^A-Z0-9<]/g, "")
    .slice(0, LONGEST_LINE);
}

/** Every way to fit the lines to the lengths of a format. */
function fitLayout(lines: readonly string[], layout: MrzLayout): readonly Fit[] {
  const fits: Fit[] = [];
  for (let start = 0; start + layout.lines <= lines.length; start += 1) {
    const taken = lines.slice(start, start + layout.lines);
    const first = trimStart(taken[0] ?? "", layout);
    if (!layout.codes.includes(first.charAt(0))) continue;
    const options = [first, ...taken.slice(1)].map((line, index) =>
      index === layout.names.line
        ? [line.slice(0, layout.width).padEnd(layout.width, "<")]
        : [...new Set([...refitLine(line, layout.width), ...refitLine(fillRuns(line), layout.width)])],
    );
    const isRefitted = taken.some((line) => line.length !== layout.width);
    for (const chosen of combine(options)) {
      fits.push({ layout, lines: chosen.map((line, index) => classify(line, index, layout)), isRefitted });
    }
  }
  return fits;
}

/** The zone's border is sometimes read as a character. */
function trimStart(line: string, { codes, width }: MrzLayout): string {
  return line.length > width && !codes.includes(line.charAt(0)) && codes.includes(line.charAt(1))
    ? line.slice(1)
    : line;
}

function combine(options: readonly (readonly string[])[]): readonly (readonly string[])[] {
  let combined: readonly (readonly string[])[] = [[]];
  for (const choices of options) {
    combined = combined.flatMap((lines) => choices.map((line) => [...lines, line])).slice(0, MOST_REFITS * MOST_REFITS);
  }
  return combined;
}

/** Long runs of fillers are often partly read as letters. */
function fillRuns(line: string): string {
  return line.replaceAll(/[<KCLSE]{3,}/g, (run) => (run.includes("<") ? "<".repeat(run.length) : run));
}

/** Fillers are miscounted more often than anything else, so they are added or removed in runs of them. */
function refitLine(line: string, width: number): readonly string[] {
  const missing = width - line.length;
  if (missing === 0) return [line];
  if (missing > MOST_MISSING || missing < -MOST_EXTRA) return [];
  const fitted: string[] = [];
  for (const { index, 0: run } of line.matchAll(/<{2,}/g)) {
    if (run.length + missing < 1) continue;
    fitted.push(line.slice(0, index) + "<".repeat(run.length + missing) + line.slice(index + run.length));
  }
  if (missing < 0) fitted.push(line.slice(-missing), line.slice(0, width));
  return [...new Set(fitted)].slice(0, MOST_REFITS);
}

/** Digits where only digits are allowed, letters where only letters are. */
function classify(line: string, index: number, layout: MrzLayout): string {
  const characters = [...line];
  const convert = ({ line: inLine, from, to }: Span, table: Readonly<Record<string, string>>) => {
    if (inLine !== index) return;
    for (let at = from; at < to; at += 1) characters[at] = table[characters[at] ?? ""] ?? characters[at] ?? "<";
  };
  for (const span of [layout.born, layout.expires]) {
    convert(span, DIGIT_LIKE);
    convert(after(span), DIGIT_LIKE);
  }
  convert(after(layout.documentNumber), DIGIT_LIKE);
  if (layout.optionalCheck !== undefined) convert(layout.optionalCheck, DIGIT_LIKE);
  if (layout.composite !== undefined) convert(layout.composite.check, DIGIT_LIKE);
  for (const span of [layout.issuer, layout.nationality, layout.names]) convert(span, LETTER_OF);
  return characters.join("");
}

function listFailed(lines: readonly string[], layout: MrzLayout): readonly MrzCheck[] {
  const failed: MrzCheck[] = [];
  const fits = (span: Span) => textAt(lines, after(span)) === computeCheckDigit(textAt(lines, span));
  if (readDocumentNumber(lines, layout) === undefined) failed.push("documentNumber");
  if (!/^\d{2}[\d<]{4}$/.test(textAt(lines, layout.born)) || !fits(layout.born)) failed.push("born");
  if (!/^\d{6}$/.test(textAt(lines, layout.expires)) || !fits(layout.expires)) failed.push("expires");
  if (layout.optionalCheck !== undefined) {
    const text = textAt(lines, layout.optional);
    const check = textAt(lines, layout.optionalCheck);
    const isEmpty = /^<*$/.test(text);
    if (!(isEmpty && check === "<") && check !== computeCheckDigit(text)) failed.push("optional");
  }
  if (layout.composite !== undefined) {
    const { check, over } = layout.composite;
    const text = over.map((span) => textAt(lines, span)).join("");
    if (textAt(lines, check) !== computeCheckDigit(text)) failed.push("composite");
  }
  return failed;
}

/** Undefined if its check digit does not fit. A card's number of more than nine characters continues in the optional item. */
function readDocumentNumber(
  lines: readonly string[],
  { documentNumber, optional, format }: MrzLayout,
): string | undefined {
  const text = textAt(lines, documentNumber);
  const check = textAt(lines, after(documentNumber));
  if (check !== "<") {
    const number = text.replace(/<+$/, "");
    return number !== "" && !number.startsWith("<") && check === computeCheckDigit(text) ? number : undefined;
  }
  if (format !== "TD1" && format !== "TD2") return undefined;
  const [tail = ""] = textAt(lines, optional).split("<");
  const number = text + tail.slice(0, -1);
  const fits = [number, `${text}<${tail.slice(0, -1)}`].some((over) => computeCheckDigit(over) === tail.slice(-1));
  return tail.length >= 2 && fits ? number : undefined;
}

/** Readings that fit after one character is replaced. Visas have too few check digits to distinguish a repair from chance. */
function repair({ layout, lines }: Fit): readonly (readonly string[])[] {
  if (layout.composite === undefined) return [];
  const { check, over } = layout.composite;
  const repaired: (readonly string[])[] = [];
  for (const { line, from, to } of [...over, check]) {
    for (let at = from; at < to; at += 1) {
      const text = lines[line] ?? "";
      for (const other of alternatives.get(text.charAt(at)) ?? []) {
        const changed = lines.with(line, text.slice(0, at) + other + text.slice(at + 1));
        if (listFailed(changed, layout).length === 0 && !hasGap(changed, layout)) repaired.push(changed);
      }
    }
  }
  return repaired;
}

/** A filler within the document number, which a repair must not insert. */
function hasGap(lines: readonly string[], { documentNumber }: MrzLayout): boolean {
  return /<[A-Z0-9]/.test(textAt(lines, documentNumber));
}

function toRead(
  { layout, lines, isRefitted }: Fit,
  failed: readonly MrzCheck[],
  asRead: Fit,
  from: MrzLines,
): MrzRead | undefined {
  if (failed.length === 0 && !isAlsoReadByOthers(lines, layout)) return undefined;
  const values: MrzValues = {
    format: layout.format,
    documentCode: textAt(lines, { line: 0, from: 0, to: 2 }).replace(/<$/, ""),
    issuer: textAt(lines, layout.issuer).replace(/<+$/, ""),
    nationality: textAt(lines, layout.nationality).replace(/<+$/, ""),
    documentNumber: readDocumentNumber(lines, layout) ?? "",
    born: textAt(lines, layout.born),
    expires: textAt(lines, layout.expires),
    sex: textAt(lines, layout.sex),
    names: textAt(lines, layout.names),
  };
  const numberAsRead = textAt(asRead.lines, layout.documentNumber).replace(/<+$/, "");
  const numberCheck = textAt(lines, after(layout.documentNumber));
  return { values, failed, isRepaired: lines !== asRead.lines, numberAsRead, numberCheck, isRefitted, from };
}

/** A second opinion: the mrz package must find the same check digits valid, in the formats that it knows. */
function isAlsoReadByOthers(lines: readonly string[], { format }: MrzLayout): boolean {
  if (format === "MRV-A" || format === "MRV-B") return true;
  try {
    const { details, format: found } = parse(lines);
    return found === format && details.every(({ field, valid }) => valid || !/CheckDigit$/.test(field ?? ""));
  } catch {
    return false;
  }
}

function dedupe(reads: readonly MrzRead[]): readonly MrzRead[] {
  return [...new Map(reads.map((read) => [JSON.stringify(read.values), read])).values()].slice(0, MOST_REFITS);
}
