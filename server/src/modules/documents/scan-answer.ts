import { z } from "zod";
import { hideCardNumbers } from "../../domain/card-numbers.ts";
import { wordsOfOthers } from "../../domain/schemas.ts";
import { type DocumentKind, KIND_TRAITS } from "./document-kinds.ts";
import type { Box, Fields, ReviewReason, Scan, ScannedField } from "./scan.ts";

const HIDDEN = "***";
const LONG = 9;
const SHORT = 6;

const FEWEST_LETTERS = 4;
const MOST_LETTERS = 40;

const LONGEST_VALUE = 200;
const MOST_FIELDS = 60;
const MOST_LINES = 200;
const MOST_REASONS = 50;

const Field = z.object({
  value: wordsOfOthers(
    "Dates are YYYY-MM-DD, amounts decimal, codes ISO; numbers of identity documents are masked",
    LONGEST_VALUE,
  ),
  confidence: z.number().describe("0 to 1"),
  from: z.object({
    source: z.string().describe("barcode, mrz, text (of a PDF), ocr, e_invoice or model"),
    page: z.number().optional().describe("From 1; omitted if the source has no pages"),
    box: z
      .array(z.number())
      .optional()
      .describe("Left, top, width and height as fractions of the page, from its top left corner"),
  }),
});
const FieldsByName = z.record(z.string(), Field);

export const ScanAnswer = z.object({
  fields: FieldsByName,
  lines: z.array(FieldsByName).optional(),
  taxes: z.array(FieldsByName).optional().describe("One per rate"),
  legs: z.array(FieldsByName).optional(),
  needsReview: z.boolean().describe("True: show the document and reasons to a person before you use the fields"),
  reasons: z.array(
    z.object({ code: z.string(), field: z.string().optional(), message: wordsOfOthers(undefined, LONGEST_VALUE) }),
  ),
  pages: z.number(),
});

/** The part of a scan that may leave the service: bounded, and without numbers of identity documents and payment cards. */
export function describeScan(kind: DocumentKind, scan: Scan): z.input<typeof ScanAnswer> {
  const hide = createHiding(KIND_TRAITS[kind].hidesNumber ? scan.fields.documentNumber?.value : undefined);
  const showAll = (list: readonly Fields[] | undefined) =>
    list?.slice(0, MOST_LINES).map((one) => showFields(one, hide));
  const reasons = [...scan.reasons, ...cutReasons(scan)].slice(0, MOST_REASONS);
  const [lines, taxes, legs] = [showAll(scan.lines), showAll(scan.taxes), showAll(scan.legs)];
  return {
    fields: showFields(scan.fields, hide),
    ...(lines === undefined ? {} : { lines }),
    ...(taxes === undefined ? {} : { taxes }),
    ...(legs === undefined ? {} : { legs }),
    needsReview: reasons.length > 0,
    reasons: reasons.map(({ code, field, message }) => ({
      code,
      ...(field === undefined ? {} : { field }),
      message: hide(message),
    })),
    pages: scan.pages,
  };
}

function showFields(fields: Fields, hide: (text: string) => string): Record<string, z.input<typeof Field>> {
  const shown = Object.entries(fields)
    .slice(0, MOST_FIELDS)
    .map(([name, field]) => [name, showField(name, field, hide)] as const);
  return Object.fromEntries(shown);
}

/** Long numbers that may be shown. */
const SHOWN_WHOLE: ReadonlySet<string> = new Set(["invoiceNumber", "taxId"]);

function showField(name: string, { value, confidence, from }: ScannedField, hide: (text: string) => string) {
  const { source, page, box } = from;
  const shown = SHOWN_WHOLE.has(name) ? value : hide(value);
  return {
    value: name === "documentNumber" ? maskDocumentNumber(value) : shown,
    confidence: rounded(confidence, 100),
    from: { source, ...(page === null ? {} : { page }), ...(box === null ? {} : { box: roundedBox(box) }) },
  };
}

const rounded = (value: number, parts: number): number => Math.round(value * parts) / parts;

const roundedBox = ({ x, y, width, height }: Box): number[] =>
  [x, y, width, height].map((value) => rounded(value, 10_000));

/** An incomplete list always has a reason. */
function cutReasons({ lines = [], taxes = [], legs = [] }: Scan): ReviewReason[] {
  if ([lines, taxes, legs].every(({ length }) => length <= MOST_LINES)) return [];
  return [{ code: "lines_not_shown", message: `Only the first ${MOST_LINES} are shown.` }];
}

/** Enough to distinguish two documents of one person; a short number is hidden completely. */
function maskDocumentNumber(number: string): string {
  if (number.length >= LONG) return HIDDEN + number.slice(-4);
  return number.length >= SHORT ? HIDDEN + number.slice(-2) : HIDDEN;
}

/** Masks a document's number and numbers of payment cards anywhere in a text, also in groups. */
function createHiding(documentNumber: string | undefined): (text: string) => string {
  const letters = Array.from((documentNumber ?? "").replaceAll(/[^A-Za-z0-9]/g, "").slice(0, MOST_LETTERS));
  if (documentNumber === undefined || letters.length < FEWEST_LETTERS) return hideCardNumbers;
  const pattern = new RegExp(letters.join("[ .<-]?"), "gi");
  const shown = maskDocumentNumber(documentNumber);
  return (text) => hideCardNumbers(text.replaceAll(pattern, shown));
}
