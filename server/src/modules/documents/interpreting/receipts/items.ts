import { formatDecimal, MICRO_PER_UNIT, type Micro } from "../../../../domain/money.ts";
import type { Fields } from "../../scan.ts";
import { type Amount, firstValue } from "./amounts.ts";
import type { Entry, NumberedRow } from "./entries.ts";
import { buildField, limitText, type Row } from "./rows.ts";

const MOST_LINES = 200;
/** Before a description: a position, a quantity or a day. */
const LEAD =
  /^(?:\d{1,4}\s?[.)]?\s?(?:[x×*]\s?)?\s|\d{4}-\d\d-\d\d\s|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})\s|\d{1,2}[./]\d{1,2}\.?\s)/u;

/** `2 nights`: the number belongs to the word. */
const COUNTED =
  /^(?:nights?|nuits?|nächte?|noches?|noites?|notti|notte|nachten|days?|tage?|jours?|días?|dias?|giorni|hours?|stunden|heures?|horas?|persons?|people|adults?|pax|km|泊)(?![\p{L}])/iu;

/** The purchased items, with quantity and price if they fit the amount. */
export function describeLines(
  lines: readonly Entry[],
  rows: readonly NumberedRow[],
  places: number,
  certainty: number,
): Fields[] {
  return lines.slice(0, MOST_LINES).map((entry) => {
    const { amount } = entry;
    const amounts = rows[entry.at]?.amounts.filter((one) => one.end <= amount.start) ?? [];
    const split = findQuantity(amounts, firstValue(amount));
    const description = describe(amount.row, split?.first ?? amount, rows[entry.at - 1]);
    return {
      ...(description === undefined ? {} : { description: buildField(description.text, description.span, 0.9) }),
      ...(split === undefined
        ? {}
        : {
            quantity: buildField(formatDecimal(firstValue(split.quantity), 0), split.quantity, certainty),
            unitAmount: buildField(formatDecimal(firstValue(split.unit), places), split.unit, certainty),
          }),
      amount: buildField(formatDecimal(firstValue(amount), places), amount, certainty),
    };
  });
}

/** A quantity and a price whose product is the amount. */
function findQuantity(amounts: readonly Amount[], total: Micro) {
  for (const quantity of amounts.toReversed()) {
    for (const unit of amounts) {
      if (quantity === unit || quantity.isPercent || unit.isPercent || quantity.currency !== undefined) continue;
      const isInOrder = quantity.start < unit.start;
      const product = (firstValue(quantity) * firstValue(unit)) / MICRO_PER_UNIT;
      const difference = product - total;
      const isExact = difference === 0n || (difference < 10_000n && difference > -10_000n && quantity.places > 0);
      if (isExact && isInOrder && firstValue(quantity) !== 0n)
        return { quantity, unit, first: quantity.start < unit.start ? quantity : unit };
    }
  }
  return undefined;
}

function describe(row: Row, first: Amount, above: NumberedRow | undefined) {
  const lead = LEAD.exec(row.text)?.[0].length ?? 0;
  const start = first.start > lead && !COUNTED.test(row.text.slice(lead, lead + 20)) ? lead : 0;
  const own = clean(withoutMark(clean(row.text.slice(start, first.start)), first));
  if (hasLetters(own)) return { text: own, span: { row, start, end: first.start } };
  // `2 Coffee 3.50 7.00`: the quantity comes first.
  const rest = clean(
    row.text
      .slice(first.end)
      .replaceAll(/[\d.,'\s€$£¥]+$/gu, "")
      .replace(/\s[\d.,' \t€$£¥x@]+$/u, ""),
  );
  if (hasLetters(rest)) return { text: rest, span: { row, start: first.end, end: row.text.length } };
  const text = above === undefined || above.amounts.length > 0 ? "" : clean(above.row.text);
  return above !== undefined && hasLetters(text)
    ? { text, span: { row: above.row, start: 0, end: above.row.text.length } }
    : undefined;
}

/** Without the currency, which belongs to the following amount. */
function withoutMark(text: string, { currency }: Amount): string {
  const mark = currency?.text ?? "";
  if (mark === "" || !text.toLowerCase().endsWith(mark.toLowerCase())) return text;
  const rest = text.slice(0, -mark.length);
  return /[\p{L}\d]$/u.test(rest) && /^\p{L}/u.test(mark) ? text : rest;
}

const hasLetters = (text: string): boolean => /\p{L}{2}/u.test(text);

const clean = (text: string): string =>
  limitText(text.replaceAll("\t", " "))
    .replace(/[\s:;,.*-]{1,20}$/u, "")
    .replace(/^[\s:;,.*-]{1,20}/u, "");
