import { formatDecimal, type Micro } from "../../../../domain/money.ts";
import type { Interpreting, Reading } from "../../reading/page.ts";
import type { Fields, ReviewReason, Scan, ScannedField } from "../../scan.ts";
import {
  type Amount,
  findDecimalSign,
  findNumbers,
  firstValue,
  type NumberStyle,
  type RawNumber,
  toAmount,
} from "./amounts.ts";
import { linesWithCharges } from "./charges.ts";
import { chooseDates } from "./choose-dates.ts";
import { type Choice, chooseTotal } from "./choose-total.ts";
import { type FoundCurrency, findCurrencies } from "./currency.ts";
import { currencyPlaces } from "./currency-marks.ts";
import { type FoundDate, findDates } from "./dates.ts";
import { readEInvoice } from "./e-invoice-xml.ts";
import { type NumberedRow, readEntries, taxOnNet } from "./entries.ts";
import { isForeignDocument } from "./foreign-documents.ts";
import { findCardLastFour, findInvoiceNumber, findPaymentMethod, findTaxId } from "./identifiers.ts";
import { describeLines } from "./items.ts";
import type { LanguageCode } from "./label-words.ts";
import { guessLanguage } from "./labels.ts";
import { type Ledger, netOfRates, type Problem, type Verdict, withRole } from "./ledger.ts";
import { findParties } from "./parties.ts";
import { findPlaces, type Places } from "./place-hints.ts";
import { findReferences } from "./references.ts";
import { buildField, type Row, spanConfidence, toRows } from "./rows.ts";
import { whyIncomplete } from "./whole-amounts.ts";

/**
 * Interprets a receipt. A total needs no review only if the other amounts add up to it, or if its label and characters
 * are clear and nothing contradicts it.
 */
export function interpretReceipt(reading: Reading, about: Interpreting): Scan {
  return interpret(reading, about, false);
}

/** Interprets an invoice like `interpretReceipt`, with its buyer. An embedded e-invoice takes precedence over the print. */
export function interpretInvoice(reading: Reading, about: Interpreting): Scan {
  return interpret(reading, about, true);
}

function interpret(reading: Reading, about: Interpreting, isInvoice: boolean): Scan {
  const printed = interpretPages(reading, about, isInvoice);
  if (reading.eInvoice === undefined) return printed;
  return readEInvoice(reading.eInvoice, printed) ?? printed;
}

/** The facts about a document before its amounts are added up. */
interface Facts {
  rows: readonly Row[];
  dates: readonly FoundDate[];
  numberedRows: readonly NumberedRow[];
  style: NumberStyle;
  language: LanguageCode | undefined;
  places: Places;
  currency: FoundCurrency;
}

function interpretPages(reading: Reading, about: Interpreting, isInvoice: boolean): Scan {
  const { rows, isCut } = toRows(reading);
  const pages = reading.pageCount;
  const nothing = (code: ReviewReason["code"], message: string): Scan => ({
    fields: {},
    reasons: [{ code, message }],
    references: [],
    pages,
  });
  if (rows.every(({ text }) => !/[\p{L}\d]{2}/u.test(text))) return nothing("unreadable", "No text could be read.");
  const { facts, ledger, choice } = addUp(rows, about.today);
  if (isForeignDocument(reading, rows, choice?.isLabelled === true)) {
    return nothing("wrong_kind", "The document is not a receipt or invoice.");
  }
  const reasons: ReviewReason[] = [];
  const amounts = amountFields(choice, facts, reasons);
  const currency = currencyField(facts.currency, reasons);
  if (hasOtherTotal(facts))
    reasons.push({
      code: "currency_ambiguous",
      field: "currency",
      message: "There is also a total in another currency, and nothing says that it is only the equivalent.",
    });
  const rowsOfAmounts = new Set(withRole(ledger.entries, "item").map(({ amount }) => amount.row));
  const dates = chooseDates({
    rows,
    dates: facts.dates,
    today: about.today,
    language: facts.language,
    places: facts.places,
    currency: facts.currency.code,
    rowsOfAmounts,
  });
  reasons.push(...dates.reasons);
  if (isCut || reading.pages.length < pages)
    reasons.push({ code: "pages_not_read", message: "Not all of the document was read." });
  const lines = choice === undefined ? [] : lineFields(choice, facts, reasons);
  const taxes = taxFields(ledger, choice?.verdict, facts.style, reasons);
  return {
    fields: {
      ...amounts,
      ...currency,
      ...dates.fields,
      ...nameFields({ ...facts, rowsOfAmounts }, ledger, about, { isInvoice, reasons }),
    },
    ...(lines.length === 0 ? {} : { lines }),
    ...(taxes.length === 0 ? {} : { taxes }),
    reasons,
    references: findReferences(rows),
    pages,
  };
}

/**
 * A receipt may state its total in a second currency, too, and `2 450,00` may be one number or two: the interpretation
 * whose sums agree is used.
 */
function addUp(rows: readonly Row[], today: Temporal.PlainDate): Way {
  const dates = findDates(rows, today);
  const numbersOfRows = rows.map((row) => {
    const own = dates.filter((date) => date.row === row);
    return findNumbers(row).filter(({ start, end }) => own.every((date) => end <= date.start || start >= date.end));
  });
  const numbers = numbersOfRows.flat();
  const language = guessLanguage(rows);
  const places = findPlaces(rows);
  const hasSpaces = numbers.some(({ joined }) => joined?.isNarrow === true);
  const currencies = findCurrencies({ rows, numbers, places, language });
  const attempts = currencies.flatMap((currency) => {
    const style = detectStyle(numbers, currency.code ?? (language === "jpn" ? "JPY" : undefined));
    const apart = { ...style, groupsWithSpaces: false };
    const usesSpaces = language === "fra" || SPACED.has(currency.code ?? "");
    return (hasSpaces && !usesSpaces ? [style, apart] : [style]).map((one) => ({ currency, style: one }));
  });
  const ways = attempts.map(({ currency, style }) => {
    const numberedRows = rows.map((row, index) => ({
      row,
      amounts: (numbersOfRows[index] ?? []).map((number) => toAmount(number, style)),
    }));
    const facts: Facts = { rows, dates, numberedRows, style, language, places, currency };
    const ledger = toLedger(facts);
    return { facts, ledger, choice: chooseTotal(ledger) };
  });
  const [best] = ways.toSorted((one, other) => (other.choice?.score ?? -9) - (one.choice?.score ?? -9));
  if (best === undefined) throw new Error("no currency was tried");
  return withRivals(best, ways);
}

interface Way {
  facts: Facts;
  ledger: Ledger;
  choice: Choice | undefined;
}

/** Adds doubts if another interpretation agrees equally well. */
function withRivals(best: Way, ways: readonly Way[]): Way {
  const { facts, choice } = best;
  if (choice === undefined) return best;
  // Adjacent numbers are more often one than two: if they agree only as two, one of them may be misread.
  const joined = ways.find((way) => way.facts.style.groupsWithSpaces)?.choice?.verdict;
  const isApart = !facts.style.groupsWithSpaces && joined !== undefined && joined.value !== choice.verdict.value;
  const rivals = ways.flatMap((way) => (way.choice?.score === choice.score ? [{ ...way, choice: way.choice }] : []));
  const otherCurrency = rivals.some((way) => way.facts.currency.code !== facts.currency.code);
  const otherTotals = rivals
    .filter((way) => way.choice.verdict.value !== choice.verdict.value)
    .map((way) => way.choice.verdict.total);
  if (isApart) otherTotals.push(joined.total);
  return {
    ...best,
    choice: { ...choice, rivals: [...choice.rivals, ...(otherCurrency ? [] : otherTotals)] },
    facts:
      otherCurrency && facts.currency.problem === undefined
        ? { ...facts, currency: { ...facts.currency, certainty: 0.5, problem: "currency_ambiguous" } }
        : facts,
  };
}

/** Currencies whose thousands are separated by spaces. */
const SPACED: ReadonlySet<string> = new Set(["SEK", "NOK", "PLN", "CZK", "HUF", "RUB", "UAH", "ZAR"]);

function detectStyle(numbers: readonly RawNumber[], code: string | undefined): NumberStyle {
  const marked = numbers.filter((number) => number.currency !== undefined && /^\d+$/.test(number.digits));
  return {
    decimalSign: findDecimalSign(numbers),
    places: code === undefined ? guessPlaces(numbers) : currencyPlaces(code),
    groupsWithSpaces: true,
    marksWholeAmounts: marked.length > 1,
  };
}

/** Without a known currency the amounts tell whether they have cents. */
function guessPlaces(numbers: readonly RawNumber[]): number {
  const withCents = numbers.filter(({ digits, isPercent }) => !isPercent && /[.,]\d{2}$/.test(digits)).length;
  const withMark = numbers.filter(
    ({ digits, currency }) => currency !== undefined && !/[.,]\d{2}$/.test(digits),
  ).length;
  return withMark > withCents ? 0 : 2;
}

/** Amounts in another currency, such as the total in euros, are no part of the sum. */
function toLedger({ numberedRows, style, currency }: Facts): Ledger {
  const { entries, taxRows } = readEntries(numberedRows, style);
  const { code } = currency;
  const isOurs = ({ currency: mark }: Amount) => mark === undefined || code === undefined || mark.codes.includes(code);
  return { entries: entries.filter(({ amount }) => isOurs(amount)), taxRows, style };
}

const EQUIVALENT =
  /≈|~|\(|equivalent|approx|\bca\b|gegenwert|entspricht|umgerechnet|[ée]quivalen|contre-?valeur|contravalor|controvalore|converted|conversion|exchange rate|kurs\b|taux de change|tipo de cambio|taxa de c[aâ]mbio|cambio|換算|相当/iu;

/** Whether there is a total in a second currency that may be the amount paid. */
function hasOtherTotal({ numberedRows, style, currency: { code } }: Facts): boolean {
  if (code === undefined || numberedRows.some(({ row }) => EQUIVALENT_RATE.test(row.text))) return false;
  return withRole(readEntries(numberedRows, style).entries, "total", "due").some(
    ({ amount }) =>
      amount.currency !== undefined &&
      !amount.currency.codes.includes(code) &&
      firstValue(amount) !== 0n &&
      !EQUIVALENT.test(amount.row.text),
  );
}

/** An exchange rate makes the other total an equivalent. */
const EQUIVALENT_RATE =
  /exchange rate|\bkurs\b|wechselkurs|umrechnungskurs|taux de change|tipo de cambio|taxa de c[aâ]mbio|為替/iu;

const CONFIRMED = 0.97;
const READ_WELL = 0.9;
/** Sufficient if the same amount appears again. */
const READ_FAIRLY = 0.8;

const messages: Readonly<Record<Problem, string>> = {
  lines_disagree: "The lines do not add up to the total.",
  totals_disagree: "Net amount, taxes, payments and total are inconsistent.",
  taxes_disagree: "The taxes do not match their rates or the total.",
  several_totals: "Several amounts could be the total.",
};

function amountFields(choice: Choice | undefined, { style, numberedRows }: Facts, reasons: ReviewReason[]): Fields {
  if (choice === undefined) {
    reasons.push({ code: "total_missing", field: "totalAmount", message: "No total was found." });
    return {};
  }
  const { verdict, isLabelled, rivals, ledger } = choice;
  const say = (code: ReviewReason["code"], field: string, message: string) => reasons.push({ code, field, message });
  for (const problem of verdict.problems) {
    say(
      problem,
      problem === "lines_disagree" ? "lines" : problem === "taxes_disagree" ? "taxAmount" : "totalAmount",
      messages[problem],
    );
  }
  if (rivals.length > 0 && !verdict.problems.has("several_totals"))
    say("several_totals", "totalAmount", messages.several_totals);
  if (isDoubtful(choice)) say("low_confidence", "totalAmount", describeDoubt(choice));
  const incomplete = whyIncomplete(choice, numberedRows, style);
  if (incomplete !== undefined) say("low_confidence", "totalAmount", incomplete);
  const isSound = verdict.problems.size === 0 && incomplete === undefined;
  const isConfirmed = verdict.confirmations > 0 && isSound && rivals.length === 0;
  const certainty = isConfirmed ? CONFIRMED : !isSound || !isLabelled ? 0.5 : READ_WELL;
  const field = (value: Micro, amount: Amount, isSure = isConfirmed): ScannedField => {
    const read = buildField(formatDecimal(value, style.places), amount, certainty);
    return isSure ? { ...read, confidence: Math.max(read.confidence, CONFIRMED) } : read;
  };
  const tips = withRole(ledger.entries, "tip").filter(({ amount }) => firstValue(amount) !== 0n);
  const [tip] = tips;
  const [taxAmount] = verdict.tax?.amounts ?? [];
  const rates = netOfRates(ledger, verdict.value);
  const net = verdict.net ?? rates?.amounts[0];
  const netValue = verdict.net === undefined ? rates?.value : firstValue(verdict.net);
  const isProven = verdict.tax?.isProven === true;
  return {
    totalAmount: field(verdict.value, verdict.total.amount),
    ...(net === undefined || netValue === undefined ? {} : { netAmount: field(netValue, net) }),
    ...(verdict.tax === undefined || taxAmount === undefined || !(isProven || isWellRead(taxAmount))
      ? {}
      : { taxAmount: field(verdict.tax.value, taxAmount, isConfirmed && isProven) }),
    ...(tip === undefined || tips.length > 1 ? {} : { tipAmount: field(firstValue(tip.amount), tip.amount) }),
  };
}

const isWellRead = (amount: Amount): boolean => amount.row.source === "text" || spanConfidence(amount) >= READ_WELL;

function describeDoubt({ verdict: { confirmations }, isLabelled }: Choice): string {
  if (confirmations === 0) return "No other amount confirms the total.";
  return isLabelled ? "The total is hard to read." : "No known word says which amount is the total.";
}

/** A total supported only by its label must be well read. */
function isDoubtful({ verdict: { total, confirmations, isOnlyRepeated }, isLabelled }: Choice): boolean {
  // Without a label, the amount paid must be the sum of other amounts.
  if (!isLabelled) return confirmations < 2 || isOnlyRepeated;
  if (confirmations > 0)
    return isOnlyRepeated && total.amount.row.source !== "text" && spanConfidence(total.amount) < READ_FAIRLY;
  return !total.amount.isClean || total.role === "vague_total" || !isWellRead(total.amount);
}

function currencyField({ code, where, certainty, problem }: FoundCurrency, reasons: ReviewReason[]): Fields {
  if (problem === "currency_missing")
    reasons.push({ code: problem, field: "currency", message: "No currency was found beside the amounts." });
  if (problem === "currency_ambiguous") {
    reasons.push({
      code: problem,
      field: "currency",
      message: "Several currencies use this sign, and nothing says which one is meant.",
    });
  }
  return code === undefined || where === undefined ? {} : { currency: buildField(code, where, certainty) };
}

function lineFields(choice: Choice, { numberedRows, style }: Facts, reasons: ReviewReason[]): Fields[] {
  const { lines, addUp } = linesWithCharges(choice);
  if (!addUp && !choice.verdict.problems.has("lines_disagree"))
    reasons.push({ code: "lines_disagree", field: "lines", message: messages.lines_disagree });
  return describeLines(lines, numberedRows, style.places, addUp && choice.verdict.linesAgree ? CONFIRMED : 0.5);
}

/** One per printed tax rate; without rates one for the whole tax. */
function taxFields(
  { taxRows }: Ledger,
  verdict: Verdict | undefined,
  { places }: NumberStyle,
  reasons: ReviewReason[],
): Fields[] {
  const doubtful = reasons.some(({ code }) => code === "taxes_disagree" || code === "totals_disagree");
  const certainty = doubtful ? 0.5 : CONFIRMED;
  const amountField = (amount: Amount) => buildField(formatDecimal(firstValue(amount), places), amount, certainty);
  const rated = taxRows.filter(({ rate, tax }) => rate !== undefined && tax !== undefined);
  const [whole, ...others] = verdict?.tax?.amounts ?? [];
  if (rated.length === 0)
    return whole === undefined || others.length > 0 || firstValue(whole) === 0n
      ? []
      : [{ taxAmount: amountField(whole) }];
  return rated.flatMap(({ rate, rateAt, net, tax }) => {
    if (rate === undefined || rateAt === undefined || tax === undefined) return [];
    // A single rate applies to the net amount.
    const base =
      net ??
      (rated.length === 1 && verdict?.net !== undefined && fitsRate(verdict.net, rate, tax) ? verdict.net : undefined);
    return [
      {
        ratePercent: buildField(formatDecimal(rate, 0), rateAt, certainty),
        ...(base === undefined ? {} : { netAmount: amountField(base) }),
        taxAmount: amountField(tax),
      },
    ];
  });
}

const fitsRate = (net: Amount, rate: Micro, tax: Amount): boolean => {
  const difference = taxOnNet(firstValue(net), rate) - firstValue(tax);
  return difference < 20_000n && difference > -20_000n;
};

/** Texts below it are left out, as nothing confirms a name or a number. */
const LEAST_CONFIDENCE = 0.7;

function nameFields(
  { rows, rowsOfAmounts }: Pick<Facts, "rows"> & { rowsOfAmounts: ReadonlySet<Row> },
  { entries }: Ledger,
  { companyName, today }: Interpreting,
  { isInvoice, reasons }: { isInvoice: boolean; reasons: ReviewReason[] },
): Fields {
  const found = findParties({ rows, rowsOfAmounts, companyName, today }, isInvoice);
  const parties = found.names;
  if (found.isOfOthers)
    reasons.push({
      code: "parts_disagree",
      field: "buyerName",
      message: "The invoice is made out to another company.",
    });
  const buyerBox = parties.buyerName?.from.box;
  const buyerRows = rows.filter(({ box, page }) => {
    if (buyerBox === undefined || buyerBox === null || page !== parties.buyerName?.from.page) return false;
    return box.y > buyerBox.y - 0.01 && box.y < buyerBox.y + 0.12 && Math.abs(box.x - buyerBox.x) < 0.02;
  });
  const payments = new Set(withRole(entries, "cash", "card").map(({ amount }) => amount.row));
  const texts: Readonly<Record<string, ScannedField | undefined>> = {
    ...parties,
    invoiceNumber: findInvoiceNumber(rows),
    taxId: findTaxId(rows, new Set(buyerRows)),
    paymentMethod: findPaymentMethod(rows, payments),
    cardLastFour: findCardLastFour(rows),
  };
  const fields: Record<string, ScannedField> = {};
  for (const [name, field] of Object.entries(texts)) {
    if (field !== undefined && field.value !== "" && field.confidence >= LEAST_CONFIDENCE) fields[name] = field;
  }
  return fields;
}
