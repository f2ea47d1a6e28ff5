import type { ReviewReason, ScannedField } from "../../scan.ts";
import type { FoundDate } from "./dates.ts";
import type { LanguageCode } from "./label-words.ts";
import { normalizeLabel } from "./labels.ts";
import { allPlaces, type Places } from "./place-hints.ts";
import { buildField, type Row, spanConfidence, spanText } from "./rows.ts";

type Meaning = "issued" | "due" | "supply" | "other" | "none";

/** Labels before or above a date. */
const MEANINGS: Readonly<Record<Exclude<Meaning, "none">, string>> = {
  due: "due date, payment due, due, due by, pay by, payable by, fallig, fallig am, zahlbar bis, zahlungsziel, falligkeitsdatum, bezahlen bis, echeance, date d echeance, a payer avant, date limite, vencimiento, fecha de vencimiento, vence, fecha vencimiento, vencimento, data de vencimento, data vencimento, 支払期限, お支払期限, 支払期日, 振込期限",
  supply:
    "delivery date, date of supply, supply date, service date, date of service, tax point, lieferdatum, leistungsdatum, leistungszeitpunkt, liefer leistungsdatum, date de livraison, date de prestation, date de la prestation, fecha de entrega, fecha de operacion, fecha operacion, fecha de servicio, data de entrega, data da prestacao, data do servico, 納品日, 取引日, 利用日, ご利用日",
  issued:
    "invoice date, date of issue, issue date, issued, issued on, date issued, receipt date, bill date, billing date, transaction date, purchase date, date, dated, rechnungsdatum, datum, belegdatum, ausstellungsdatum, kaufdatum, ausgestellt am, date de facture, date facture, date d emission, date de la facture, emis le, emise le, facture du, le, fecha, fecha de factura, fecha factura, fecha de emision, fecha emision, emitida, fecha de expedicion, data, data de emissao, data da fatura, data emissao, emitido em, emitida em, 発行日, 日付, 請求日, 領収日, 請求書発行日, 年月日, 発行年月日, ご請求日, datum der rechnung, ticket date, booking date, date of purchase, payment date, paid on, date paid",
  other:
    "arrival, departure, check in, check out, checkin, checkout, arr, dep, from, to, until, valid until, valid, expiry, expires, exp, period, date of birth, birth date, born, printed, print date, anreise, abreise, von, bis, ankunft, abfahrt, gultig bis, zeitraum, geburtsdatum, druckdatum, gedruckt, arrivee, depart, du, au, valable jusqu au, periode, sejour du, ne le, llegada, salida, entrada, desde, hasta, valido hasta, periodo, entrada em, chegada, partida, saida, de, ate, valido ate, チェックイン, チェックアウト, 到着, 出発, 有効期限, 期間, 搭乗日, 出発日, 宿泊日, flight, flug, vol, vuelo, voo, travel date, reisedatum, pickup, pick up, return, drop off, rental, stay, order date, bestelldatum, date de commande, fecha de pedido, since, seit, exchange rate, return by, returns until, offer valid",
};

const phrases = Object.entries(MEANINGS)
  .flatMap(([meaning, text]) => text.split(", ").map((words) => ({ meaning: toMeaning(meaning), words })))
  .toSorted((one, other) => other.words.length - one.words.length);

function toMeaning(text: string): Meaning {
  return (["issued", "due", "supply", "other"] as const).find((one) => one === text) ?? "none";
}

interface Judged extends FoundDate {
  meaning: Meaning;
  hasTime: boolean;
  hasAmount: boolean;
  rowIndex: number;
}

export interface DateFacts {
  rows: readonly Row[];
  dates: readonly FoundDate[];
  today: Temporal.PlainDate;
  language: LanguageCode | undefined;
  places: Places;
  currency: string | undefined;
  /** Rows with an item's amount: their dates are those of single nights or trips. */
  rowsOfAmounts: ReadonlySet<Row>;
}

/** `issuedOn`, `dueOn` and `supplyOn` with their reasons to review. */
export function chooseDates(facts: DateFacts): { fields: Record<string, ScannedField>; reasons: ReviewReason[] } {
  const judged = facts.dates.map((date) => judge(date, facts));
  const fields: Record<string, ScannedField> = {};
  const reasons: ReviewReason[] = [];
  const issued = pickIssued(judged);
  if (issued === undefined) {
    reasons.push({ code: "date_missing", field: "issuedOn", message: "No date of issue was found." });
  } else {
    settle("issuedOn", issued.date, facts, { fields, reasons, rivals: issued.rivals });
  }
  for (const [name, meaning] of [
    ["dueOn", "due"],
    ["supplyOn", "supply"],
  ] as const) {
    const date = judged.find((one) => one.meaning === meaning);
    if (date !== undefined) settle(name, date, facts, { fields, reasons, rivals: [] });
  }
  return { fields, reasons };
}

function judge(date: FoundDate, { rows, rowsOfAmounts }: DateFacts): Judged {
  const rowIndex = rows.indexOf(date.row);
  const { text, source } = date.row;
  const before = text.slice(Math.max(0, date.start - 60), date.start);
  const column = before.slice(before.lastIndexOf("\t", before.trimEnd().length - 1) + 1);
  const own = readMeaning(column, source !== "text");
  const wider = own === "none" ? readMeaning(before, source !== "text") : own;
  const above = wider === "none" && before.trim() === "" ? meaningAbove(date, rows[rowIndex - 1]) : wider;
  const rest = `${before} ${text.slice(date.end, date.end + 20)}`;
  return {
    ...date,
    meaning: above,
    hasTime: /\d{1,2}\s?[:h時]\s?\d{2}/u.test(rest),
    hasAmount: rowsOfAmounts.has(date.row),
    rowIndex,
  };
}

/** The last words before a date decide; a date after another one of a period is part of the period. */
function readMeaning(before: string, isRecognized: boolean): Meaning {
  const label = ` ${normalizeLabel(before.replaceAll(/\d+/g, " "), isRecognized)} `;
  let best: { meaning: Meaning; end: number; length: number } | undefined;
  for (const { meaning, words } of phrases) {
    const isLatin = /^[a-z]/.test(words);
    const at = label.lastIndexOf(isLatin ? ` ${words} ` : words);
    if (at < 0) continue;
    const end = at + words.length + (isLatin ? 1 : 0);
    if (best === undefined || end > best.end || (end === best.end && words.length > best.length))
      best = { meaning, end, length: words.length };
  }
  return best?.meaning ?? "none";
}

function meaningAbove(date: FoundDate, above: Row | undefined): Meaning {
  if (above === undefined || /\d/.test(above.text) || above.text.length > 80) return "none";
  const left = date.row.words.find((word) => word.end > date.start)?.box.x ?? 0;
  const words = above.words.filter((word) => word.box.x + word.box.width > left - 0.02 && word.box.x < left + 0.25);
  const [first] = words;
  const last = words.at(-1);
  return first === undefined || last === undefined
    ? "none"
    : readMeaning(above.text.slice(first.start, last.end), above.source !== "text");
}

function pickIssued(dates: readonly Judged[]): { date: Judged; rivals: readonly Judged[] } | undefined {
  const groups = [
    dates.filter(({ meaning, hasAmount }) => meaning === "issued" && !hasAmount),
    dates.filter(({ meaning, hasTime, hasAmount }) => meaning === "none" && hasTime && !hasAmount),
    dates.filter(({ meaning, hasAmount }) => meaning === "none" && !hasAmount),
    dates.filter(({ meaning }) => meaning === "issued"),
    dates.filter(({ meaning }) => meaning === "supply"),
    dates.filter(({ meaning }) => meaning === "none"),
  ];
  const group = groups.find((one) => one.length > 0);
  const [date] = group ?? [];
  return date === undefined ? undefined : { date, rivals: (group ?? []).slice(1) };
}

function settle(
  name: string,
  date: Judged,
  facts: DateFacts,
  out: { fields: Record<string, ScannedField>; reasons: ReviewReason[]; rivals: readonly Judged[] },
): void {
  const say = (code: ReviewReason["code"], message: string) => out.reasons.push({ code, field: name, message });
  const { day, isSure } = decide(date, facts);
  if (day === undefined) return;
  const printed = spanText(date);
  const others = out.rivals
    .map((rival) => decide(rival, facts).day)
    .filter((other) => other !== undefined && !other.equals(day));
  const isRead = date.row.source === "text" || spanConfidence(date) >= READ_WELL;
  if (!isSure) say("date_ambiguous", `It is not clear which part of ${printed} is the day and which the month.`);
  if (others.length > 0) say("date_ambiguous", "Several dates could be the date of issue.");
  if (date.isMended || !isRead) say("low_confidence", "The date was not read clearly.");
  if (date.weekday !== undefined && date.weekday !== day.dayOfWeek)
    say("date_ambiguous", "The weekday beside the date does not match it.");
  if (name !== "dueOn" && Temporal.PlainDate.compare(day, facts.today.add({ days: 1 })) > 0)
    say("date_in_the_future", "The date is in the future.");
  const isOld = Temporal.PlainDate.compare(day, facts.today.subtract({ years: 6 })) < 0;
  if (isOld) say("low_confidence", "The date is more than six years in the past.");
  const isDoubtful = !isSure || others.length > 0 || date.isMended || !isRead || isOld;
  out.fields[name] = buildField(day.toString(), date, isDoubtful ? 0.5 : date.meaning === "none" ? 0.9 : 0.97);
}

const READ_WELL = 0.75;

/** Chooses between the possible days of a date. */
function decide(date: FoundDate, facts: DateFacts): { day: Temporal.PlainDate | undefined; isSure: boolean } {
  const [first, second, third] = date.days;
  if (first === undefined || second === undefined) return { day: first, isSure: true };
  const byWeekday = date.days.filter((day) => day.dayOfWeek === date.weekday);
  if (byWeekday.length === 1) return { day: byWeekday[0], isSure: true };
  if (date.order !== "either") return decideYearFirst(date, facts);
  const isJapanese = facts.language === "jpn";
  if (isJapanese && third !== undefined) return { day: third, isSure: isNear(third, facts.today) };
  const order = findDateOrder(facts);
  if (order === "month_first") return { day: second, isSure: true };
  if (order === "day_first") return { day: first, isSure: true };
  const near = [first, second].filter((day) => isNear(day, facts.today));
  return near.length === 1 ? { day: near[0], isSure: true } : { day: near[0] ?? first, isSure: false };
}

/** `26/11/25` is a day of 2026 in Japan, and of 2025 elsewhere. */
function decideYearFirst(
  { days }: FoundDate,
  { language, today }: DateFacts,
): { day: Temporal.PlainDate | undefined; isSure: boolean } {
  const [usual, yearFirst] = days;
  if (language === "jpn") return { day: yearFirst, isSure: yearFirst !== undefined && isNear(yearFirst, today) };
  return { day: usual, isSure: usual !== undefined && isNear(usual, today) };
}

/** Within the last two years, and not in the future. */
const isNear = (day: Temporal.PlainDate, today: Temporal.PlainDate): boolean =>
  Temporal.PlainDate.compare(day, today.add({ days: 1 })) <= 0 &&
  Temporal.PlainDate.compare(day, today.subtract({ years: 2 })) > 0;

const MONTH_FIRST: ReadonlySet<string> = new Set(["US"]);
/** Countries that use both orders. */
const EITHER: ReadonlySet<string> = new Set(["CA", "PH", "KE", "ZA", "SG", "HK", "TW", "CN", "JP"]);
const DAY_FIRST_CURRENCIES: ReadonlySet<string> = new Set(
  "EUR GBP CHF AUD NZD INR BRL SEK NOK DKK PLN CZK MXN COP CLP ARS AED THB MYR IDR ILS".split(" "),
);

/** By the document's other dates, the country, the language, and last the currency. */
function findDateOrder({ dates, places, language, currency }: DateFacts): "day_first" | "month_first" | undefined {
  const isDayFirst = dates.some(({ order }) => order === "day_first");
  const isMonthFirst = dates.some(({ order }) => order === "month_first");
  if (isDayFirst !== isMonthFirst) return isDayFirst ? "day_first" : "month_first";
  if (isDayFirst) return undefined;
  const countries = allPlaces(places);
  const saysMonth = countries.some((country) => MONTH_FIRST.has(country));
  const saysDay = countries.some((country) => !MONTH_FIRST.has(country) && !EITHER.has(country));
  if (saysMonth !== saysDay)
    return countries.some((country) => EITHER.has(country)) ? undefined : saysMonth ? "month_first" : "day_first";
  if (saysMonth) return undefined;
  if (language !== undefined && language !== "eng" && language !== "jpn") return "day_first";
  if (countries.length > 0 || currency === undefined) return undefined;
  return DAY_FIRST_CURRENCIES.has(currency) ? "day_first" : undefined;
}
