import type { Reading } from "../../reading/page.ts";
import type { Fields, ReviewReason, Scan } from "../../scan.ts";
import { looksLikeOther } from "../other-kinds.ts";
import { type PrintedDate, toPlainDate } from "../printed-dates.ts";
import { listLines, makeReason, printedField } from "../printed-text.ts";
import { findLabelledDate, findLabelledWords, type VisualZone } from "./visual-zone.ts";

/** Nothing verifies printed values. */
const UNSURE = 0.4;
const NAME = /^\p{L}[\p{L}\p{M}\p{Zs}.'’-]{0,79}$/u;

/**
 * A document without a legible machine-readable zone: the front of a card, a driving licence. Labelled values are
 * returned with low confidence, the document number not at all.
 */
export function readWithoutZone(reading: Reading, zone: VisualZone, today: Temporal.PlainDate): Scan {
  const lines = listLines(reading);
  const fields: Record<string, Fields[string]> = {};
  const reasons: ReviewReason[] = [];
  if (lines.length === 0) reasons.push(makeReason("unreadable", "No text could be read."));
  else if (looksLikeOther(lines, "id_document")) {
    reasons.push(makeReason("wrong_kind", "This does not look like an identity document."));
  }
  reasons.push(
    reading.mrz.length > 0
      ? makeReason("mrz_truncated", "The machine-readable zone is not complete.")
      : makeReason("mrz_missing", "No machine-readable zone could be read."),
  );
  for (const field of ["familyName", "givenName"] as const) {
    const place = findLabelledWords(
      { ...zone, labels: zone.labels.filter(({ isCommonWord }) => !isCommonWord) },
      field,
    );
    const words = place?.line.words.slice(place.from, place.to) ?? [];
    const name = words.map(({ text }) => text).join(" ");
    if (place !== undefined && NAME.test(name)) fields[field] = printedField(name, place.line, words, UNSURE);
  }
  for (const field of ["bornOn", "issuedOn", "expiresOn"] as const) {
    const shown = findLabelledDate(zone, field);
    const date = shown === undefined ? undefined : onlyDate(shown);
    if (shown === undefined || date === undefined) continue;
    if (field !== "expiresOn" && Temporal.PlainDate.compare(date, today) > 0) continue;
    fields[field] = printedField(date.toString(), shown.line, shown.line.words.slice(shown.from, shown.to), UNSURE);
    if (field === "expiresOn" && Temporal.PlainDate.compare(date, today) < 0) {
      reasons.push(makeReason("expired", "The document has expired.", field));
    }
  }
  return { fields, reasons, references: [], pages: reading.pageCount };
}

/** Undefined if it is ambiguous, or its century is not printed. */
function onlyDate({ readings }: PrintedDate): Temporal.PlainDate | undefined {
  const [reading] = readings;
  if (readings.length !== 1 || reading?.year === undefined) return undefined;
  return toPlainDate(reading.year, reading.month, reading.day);
}
