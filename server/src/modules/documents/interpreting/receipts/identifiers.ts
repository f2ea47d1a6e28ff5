import { containsCardNumber } from "../../../../domain/card-numbers.ts";
import type { ScannedField } from "../../scan.ts";
import { normalizeLabel } from "./labels.ts";
import { buildField, limitText, type Row, type Span } from "./rows.ts";

const MOST_ROWS = 400;

const INVOICE_LABEL =
  /(?:invoice|receipt|bill|folio|check|document|credit note|statement)\s?(?:no|nr|num(?:ber)?|#|id)\b\.?|\binv(?:oice)?\s?#|(?:rechnungs|beleg|bon|quittungs|gutschrift)(?:s)?\s?-?\s?(?:nr|nummer|no)\b\.?|\brechnung\s(?:nr|no)\b\.?|(?:facture|ticket|re[cç]u|avoir|note)\s(?:n\.?[°ºo]|num[eé]ro|no)\.?|num[eé]ro de (?:facture|re[cç]u)|(?:n\.?[°ºo]\.?|n[uú]m\.?|n[uú]mero)\s?(?:de\s)?(?:la\s)?(?:factura|recibo|ticket|fatura)|(?:factura|recibo|ticket|tal[aã]o|nota|cupom|folio|fatura(?:[ -]recibo)?)\s(?:n\.?[°ºo]\.?|n[uú]m(?:ero)?\.?|no\.?)|請求書番号|請求番号|領収番号|レシート\s?no\.?|領収書番号|領収書no\.?|請求書no\.?|伝票番号|レシート番号|レシートno\.?|インボイス番号|(?:ricevuta|fattura|scontrino)\s(?:n\.?[°ºo]?|num(?:ero)?|nr)\.?|(?:faktura|rachunek|paragon|kvitto|kvittering|bilag)s?\s?(?:nr|nummer|no)\b\.?|factuur\s?-?(?:nummer|nr)\b\.?|(?:fatura|fiş|makbuz)\s(?:no|numarası)\b\.?|(?<=^|\t)(?:invoice|receipt|bill|check|folio|rechnung|quittung|beleg|bon|facture|reçu|factura|recibo|fatura|cupom|ricevuta|fattura|scontrino|kvitto|kvittering|faktura|factuur|paragon)(?= [#:]? ?(?:[A-Z]{1,6}[-/ ]?)?\d{1,12}(?:[-/][A-Z0-9]{1,6})?(?:\t|$))|(?<!\p{L})(?:invoice|check|folio|tal[aã]o|nota|receipt|beleg|bon|quittung|ticket|re[cç]u|recibo|note|rechnung|facture|factura|fatura|fatura[ -]recibo|factura simplificada)(?=\s?[#:]?\s?[A-Z]{0,6}[-/ ]?\d{3})/giu;

/** The number beside its label. Without a label none is guessed. */
export function findInvoiceNumber(rows: readonly Row[]): ScannedField | undefined {
  for (const [index, row] of rows.slice(0, MOST_ROWS).entries()) {
    for (const match of row.text.matchAll(INVOICE_LABEL)) {
      const start = match.index + match[0].length;
      const found = readNumber(row, start) ?? readBelow(rows[index + 1], row, match.index);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

const NUMBER =
  /^[\s.:#°º№-]{0,6}([A-Z0-9][A-Z0-9/._-]{0,30}(?: (?=[A-Z0-9/-]*\d)[A-Z0-9][A-Z0-9/-]{1,20})?)(?![\p{L}])/iu;

function readNumber(row: Row, start: number): ScannedField | undefined {
  const match = NUMBER.exec(row.text.slice(start, start + 80));
  const [whole, number] = match ?? [];
  if (whole === undefined || number === undefined) return undefined;
  const one = number.includes(" ") && !/^[A-Z]{1,4} /.test(number) ? (number.split(" ")[0] ?? number) : number;
  const value = one.replace(/[._/-]+$/u, "");
  if (!/\d/.test(value) || /^\d{1,2}[./]\d{1,2}[./]\d{2,4}$|^\d{4}-\d\d-\d\d$/.test(value) || containsCardNumber(value))
    return undefined;
  const from = start + whole.indexOf(number);
  return buildField(value, { row, start: from, end: from + value.length }, 0.92);
}

/** In tables the label is above the number. */
function readBelow(below: Row | undefined, row: Row, at: number): ScannedField | undefined {
  const label = row.words.find((word) => word.end > at);
  if (below === undefined || label === undefined) return undefined;
  const word = below.words.find(({ box }) => Math.abs(box.x - label.box.x) < 0.03);
  return word === undefined ? undefined : readNumber({ ...below, text: below.text.slice(0, word.end) }, word.start);
}

interface TaxIdForm {
  pattern: RegExp;
  isValid: (id: string) => boolean;
}

const listDigits = (id: string): number[] => Array.from(id.replaceAll(/\D/g, ""), Number);
const weigh = (digits: readonly number[], weights: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * (digits[index] ?? 0), 0);

/** ISO 7064, mod 11,10, as in Germany. */
function isMod1110(digits: readonly number[]): boolean {
  let product = 10;
  for (const digit of digits.slice(0, -1)) {
    const sum = (digit + product) % 10 || 10;
    product = (2 * sum) % 11;
  }
  return (11 - product) % 10 === digits.at(-1);
}

function isSpanishId(id: string): boolean {
  const body = id.slice(2);
  const person = /^([XYZ]?)(\d{7,8})([A-Z])$/.exec(body);
  if (person !== null) {
    const lead = { X: "0", Y: "1", Z: "2" }[person[1] ?? ""] ?? "";
    return "TRWAGMYFPDXBNJZSQVHLCKE".charAt(Number(lead + (person[2] ?? "")) % 23) === person[3];
  }
  const digits = listDigits(body).slice(0, 7);
  const sum = digits.reduce((total, digit, index) => {
    const doubled = index % 2 === 0 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  const check = (10 - (sum % 10)) % 10;
  return body.endsWith(String(check)) || body.endsWith("JABCDEFGHI".charAt(check));
}

function isJapaneseId(id: string): boolean {
  const digits = listDigits(id);
  const sum = digits
    .slice(1)
    .toReversed()
    .reduce((total, digit, index) => total + digit * (index % 2 === 0 ? 1 : 2), 0);
  return 9 - (sum % 9) === digits[0];
}

function isBritishId(id: string): boolean {
  const digits = listDigits(id);
  const sum = weigh(digits, [8, 7, 6, 5, 4, 3, 2]) + Number(`${digits[7]}${digits[8]}`);
  return sum % 97 === 0 || (sum + 55) % 97 === 0;
}

function isAustralianId(id: string): boolean {
  const digits = listDigits(id);
  const [first = 0, ...rest] = digits;
  return weigh([first - 1, ...rest], [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) % 89 === 0;
}

const isFrenchId = (id: string): boolean => {
  const key = id.slice(2, 4);
  return !/^\d\d$/.test(key) || Number(key) === (12 + 3 * (Number(id.slice(4)) % 97)) % 97;
};
const isPortugueseId = (id: string): boolean => {
  const digits = listDigits(id);
  const rest = weigh(digits, [9, 8, 7, 6, 5, 4, 3, 2]) % 11;
  return digits[8] === (rest < 2 ? 0 : 11 - rest);
};
const isSwissId = (id: string): boolean => {
  const digits = listDigits(id);
  return (11 - (weigh(digits, [5, 4, 3, 2, 7, 6, 5, 4]) % 11)) % 11 === digits[8];
};

function isItalianId(id: string): boolean {
  const digits = listDigits(id);
  const sum = digits.reduce((total, digit, index) => {
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
const isPolishId = (id: string): boolean => {
  const digits = listDigits(id);
  return weigh(digits, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === digits[9];
};
const isBelgianId = (id: string): boolean => {
  const digits = id.replaceAll(/\D/g, "").padStart(10, "0");
  return 97 - (Number(digits.slice(0, 8)) % 97) === Number(digits.slice(8));
};

/** Forms of tax numbers with a known check digit, and some without any. */
const FORMS: readonly TaxIdForm[] = [
  { pattern: /(?<![A-Z0-9])DE ?\d{3} ?\d{3} ?\d{3}(?!\d)/g, isValid: (id) => isMod1110(listDigits(id)) },
  { pattern: /(?<![A-Z0-9])ATU ?\d{8}(?!\d)/g, isValid: () => true },
  { pattern: /(?<![A-Z0-9])FR ?[A-HJ-NP-Z\d]{2} ?\d{3} ?\d{3} ?\d{3}(?!\d)/g, isValid: isFrenchId },
  { pattern: /(?<![A-Z0-9])ES ?[A-Z]-?\d{7}[A-Z0-9](?![A-Z0-9])/g, isValid: isSpanishId },
  { pattern: /(?<![A-Z0-9])PT ?\d{3} ?\d{3} ?\d{3}(?!\d)/g, isValid: isPortugueseId },
  { pattern: /(?<![A-Z0-9])GB ?\d{3} ?\d{4} ?\d{2}(?!\d)/g, isValid: isBritishId },
  { pattern: /(?<![A-Z0-9])CHE-?\d{3}\.?\d{3}\.?\d{3}(?!\d)/g, isValid: isSwissId },
  {
    pattern:
      /(?<![A-Z0-9])(?:NL ?\d{9}B\d{2}|IE ?\d{7}[A-Z]{1,2}|LU ?\d{8}|DK ?\d{8}|SE ?\d{12}|FI ?\d{8}|EL ?\d{9}|CZ ?\d{8,10})(?![A-Z0-9])/g,
    isValid: () => true,
  },
  { pattern: /(?<![A-Z0-9])BE ?[01]?\d{9}(?!\d)/g, isValid: isBelgianId },
  { pattern: /(?<![A-Z0-9])IT ?\d{11}(?!\d)/g, isValid: isItalianId },
  {
    pattern: /(?<![A-Z0-9])PL ?\d{10}(?!\d)|(?<=NIP[ :.]{0,3})\d{3}-?\d{2,3}-?\d{2}-?\d{2,3}(?!\d)/g,
    isValid: isPolishId,
  },
  { pattern: /(?<=P\.? ?IVA[ :.]{0,3})\d{11}(?!\d)/gi, isValid: isItalianId },
  { pattern: /(?<![A-Z0-9])T\d{13}(?!\d)/g, isValid: isJapaneseId },
  { pattern: /(?<![A-Z0-9])\d{2}[A-Z]{5}\d{4}[A-Z][A-Z0-9]Z[A-Z0-9](?![A-Z0-9])/g, isValid: () => true },
  { pattern: /(?<=ABN[ :.]{0,3})\d{2} ?\d{3} ?\d{3} ?\d{3}(?!\d)/g, isValid: isAustralianId },
  {
    pattern: /(?<=(?:CIF|NIF)[ :.]{0,3})[A-Z]-?\d{7}[A-Z0-9](?![A-Z0-9])/g,
    isValid: (id) => isSpanishId(`ES${id.replace("-", "")}`),
  },
  {
    pattern: /(?<=(?:NIF|NIPC|Contribuinte)[ :.]{0,3}(?:n[.º°o]{0,2} ?)?)\d{9}(?!\d)/gi,
    isValid: (id) => isPortugueseId(id),
  },
  { pattern: /(?<=CNPJ[ :.]{0,3})\d{2}\.?\d{3}\.?\d{3}\/?\d{4}-?\d{2}/g, isValid: () => true },
];

/** The seller's tax number: one with a wrong check digit, or beside the buyer, is left out. */
export function findTaxId(rows: readonly Row[], buyerRows: ReadonlySet<Row>): ScannedField | undefined {
  const found: { value: string; span: Span }[] = [];
  for (const row of rows.slice(0, MOST_ROWS)) {
    if (buyerRows.has(row)) continue;
    for (const { pattern, isValid } of FORMS) {
      for (const match of row.text.matchAll(pattern)) {
        const value = match[0].replaceAll(/[ .]/g, "").toUpperCase();
        if (isValid(value.replaceAll("-", "")))
          found.push({
            value: limitText(value),
            span: { row, start: match.index, end: match.index + match[0].length },
          });
      }
    }
  }
  const [first] = found;
  return first === undefined ? undefined : buildField(first.value, first.span, 0.92);
}

const METHODS: readonly (readonly [string, RegExp])[] = [
  [
    "card",
    /\b(?:visa|mastercard|maestro|amex|american express|discover|girocard|ec cash|ec karte|credit card|debit card|kreditkarte|kartenzahlung|carte bancaire|carte bleue|cb|tarjeta|cartao|multibanco|mb way|debit card|eftpos|card payment|paid by card|contactless|sans contact|apple pay|google pay|card)\b|クレジット|カード払/u,
  ],
  ["cash", /\b(?:cash|bar|barzahlung|especes|efectivo|dinheiro|numerario|bargeld)\b|現金|お預/u],
  [
    "bank_transfer",
    /\b(?:bank transfer|wire transfer|uberweisung|virement|transferencia|transferencia bancaria)\b|振込/u,
  ],
];

/** `cash`, `card` or `bank_transfer`; left out if several are named, or an invoice only lists options. */
export function findPaymentMethod(rows: readonly Row[], rowsOfPayments: ReadonlySet<Row>): ScannedField | undefined {
  const found = new Map<string, ScannedField>();
  for (const row of rows.slice(0, MOST_ROWS)) {
    if (
      !rowsOfPayments.has(row) &&
      !MASKED.test(row.text) &&
      !/\b(?:paid|payment method|paiement|bezahlt mit|zahlungsart|forma de pago|forma de pagamento|pago con|regle par|payment)\b|支払方法|お支払/iu.test(
        row.text,
      )
    )
      continue;
    const text = normalizeLabel(row.text, row.source !== "text");
    for (const [method, pattern] of METHODS) {
      if (pattern.test(text) && !found.has(method))
        found.set(method, buildField(method, { row, start: 0, end: row.text.length }, 0.85));
    }
  }
  const [only] = found.values();
  return found.size === 1 ? only : undefined;
}

const MASKED = /(?:[*xX•●#.]{2,16}[ -]?){1,4}(\d{4})(?!\d)/u;
const WHOLE = /(?<![\dA-Z][ -]?)(?:\d{4}[ -]?){3}(\d{4})(?![ -]?\d)/u;
const CARD = /card|visa|master|amex|maestro|karte|carte|tarjeta|cart[aã]o|debit|カード|クレジット/iu;
const ENDING = /(?:ending(?: in)?|endet auf|finissant par|terminada en|terminado em|final)\s?:?\s?(\d{4})(?!\d)/iu;

/** Never returns more of a card number, whole or masked, than its last four digits. */
export function findCardLastFour(rows: readonly Row[]): ScannedField | undefined {
  for (const row of rows.slice(0, MOST_ROWS)) {
    const whole = WHOLE.exec(row.text);
    const match =
      MASKED.exec(row.text) ??
      ENDING.exec(row.text) ??
      (whole !== null && CARD.test(row.text) && containsCardNumber(whole[0]) ? whole : null);
    const digits = match?.[1];
    if (match === null || digits === undefined) continue;
    const end = match.index + match[0].length;
    return buildField(digits, { row, start: end - 4, end }, 0.92);
  }
  return undefined;
}
