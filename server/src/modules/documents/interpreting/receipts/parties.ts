import type { ScannedField } from "../../scan.ts";
import { findDates } from "./dates.ts";
import { normalizeLabel, readLabel } from "./labels.ts";
import { buildField, type Row, type Span, spanText, splitColumns } from "./rows.ts";

const BUYER =
  /^(?:bill(?:ed)? to|invoice to|invoiced to|sold to|customer|client|buyer|guest company|company|attn|rechnungsempfanger|rechnung an|kunde|kundin|an|empfanger|rechnungsadresse|auftraggeber|besteller|kaufer|facture a|facturer a|adresse de facturation|acheteur|destinataire|facturado a|facturar a|comprador|datos del cliente|destinatario|faturado a|faturar a|adquirente|dados do cliente|cliente|klant|factuuradres|nabywca|alici|musteri|kund|kunde|fakturaadress|fakturaadresse|spettabile|spett le|intestatario|destinatario|αγοραστης|покупатель|請求先|お客様|御中|宛先|ご請求先)(?!\p{L})/u;
const SELLER =
  /^(?:from|seller|vendor|supplier|issued by|sold by|billed by|rechnungssteller|verkaufer|lieferant|absender|von|aussteller|emetteur|vendeur|fournisseur|emis par|vendedor|emisor|proveedor|emitido por|fornecedor|emitente|verkoper|leverancier|sprzedawca|saljare|selger|saelger|fornitore|cedente|satici|請求元|発行元|販売者|発行者)(?!\p{L})/u;
/** Headings and other texts at the top of a receipt that are no names. */
const NO_NAME =
  /^(?:(?:tax |sales |guest |cash |card |simplified |customer |hotel |original |pro forma |vat |official |taxi |e )*(?:receipt|invoice|bill|folio|check|statement|copy|welcome|original|duplicate|refund|credit note|ticket|itinerary)|rechnung|quittung|kassenbon|kassenbeleg|beleg|bewirtungsbeleg|bewirtungsrechnung|gutschrift|taxiquittung|kundenbeleg|willkommen|handlerbeleg|facture|ticket|ticket de caisse|recu|note|avoir|duplicata|bienvenue|addition|factura|factura simplificada|recibo|ticket de compra|nota|bienvenido|fatura|fatura recibo|fatura simplificada|nota fiscal|cupom fiscal|bem vindo|領収書|領収証|レシート|請求書|明細書|御請求書|ご利用明細|適格請求書|適格簡易請求書|レシ|ート|レシー|シート|航空券|乗車券|cupom|talao|talao de venda|sales receipt|cliente|copia cliente|copia do cliente|customer copy|exemplaire client|kundenkopie|ticket client|kopie|copie|page|seite|thank you|vielen dank|merci|gracias|obrigado|date|datum|fecha|data|leistungsdatum|lieferdatum|rechnungsdatum|faktura|tel|phone|fax|www|http|to|no|nr|number|boarding|server|table|order|cashier)(?:\s(?:number|no|nr|n|#|de|du|for|fur|pour|recibo|simplificada|\d+).*)?$/u;
/** Thanks and farewells, distinguished from names such as "Gracias Madre" by the next word. */
const COURTESY =
  /^(?:thank(?:s| you) (?:for|and|very|again)|vielen dank (?:fur|und)|danke (?:fur|und)|merci (?:de|d|pour|et|beaucoup)|(?:muchas )?gracias (?:por|y)|(?:muito )?obrigad[oa] (?:pel[oa]|por|e)|please (?:come|visit)|come again|see you (?:again|soon)|auf wiedersehen|bis bald|au revoir|a bientot|hasta (?:pronto|luego)|vuelva pronto|volte sempre|ate (?:breve|logo))\b|ありがとう|またのご来店/u;
const ADDRESS =
  /\b(?:street|str|strasse|avenue|ave|road|rd|rue|calle|boulevard|blvd|platz|plaza \d|suite|floor|tel|phone|fax|www|http|e?mail|vat|ust|tva|nif|cif|siret|gstin|abn|tax id|steuer)\b|@|〒|\d{4,}|^\d+[ ,]|丁目|番号|[市区町村郡].{0,12}\d|^(?:東京|京都|大阪|北海道)/u;
const LEGAL_FORM =
  /\b(?:gmbh|ag|inc|llc|ltd|limited|corp|co|kg|ohg|sarl|sas|sa|s l|sl|s a|lda|ltda|plc|bv|b v|pty|oy|ab|as|aps|srl|s r l|gbr|ug|se|unipessoal)\b|株式会社|有限会社|合同会社/u;

const TOP_ROWS = 14;
const BLOCK_ROWS = 4;

export interface Parties {
  names: { merchantName?: ScannedField; buyerName?: ScannedField };
  /** The company of the caller is not the buyer. */
  isOfOthers: boolean;
}

export interface PartyFacts {
  rows: readonly Row[];
  /** Names of goods are no names of companies. */
  rowsOfAmounts: ReadonlySet<Row>;
  companyName: string | undefined;
  today: Temporal.PlainDate;
}

/**
 * Finds the seller and the buyer. An ambiguous name is left out. The printed buyer takes precedence over the caller's
 * company, which is the buyer only if it is printed and is not the seller.
 */
export function findParties({ rows, rowsOfAmounts, companyName, today }: PartyFacts, wantsBuyer: boolean): Parties {
  const own = findOwn(rows, companyName);
  const printed = findUnder(rows, BUYER, today);
  const labelledSeller = findUnder(rows, SELLER, today);
  const named = rows.filter((row) => !rowsOfAmounts.has(row));
  const isOwn = (named: Named | undefined) => named !== undefined && own !== undefined && names(named, companyName);
  const buyer = printed ?? (isOwn(labelledSeller) ? undefined : own);
  const other = printed === undefined || isOwn(printed) ? companyName : undefined;
  const seller = labelledSeller ?? findTop(named, buyer, other, today);
  // If nobody else is named, it is the seller.
  const onlyOwn = seller === undefined && printed === undefined ? own : undefined;
  const isBuyer = buyer !== undefined && buyer !== onlyOwn && wantsBuyer;
  const merchant = seller ?? onlyOwn;
  const isAsked = companyName !== undefined && plain(companyName).length >= LEAST_NAME;
  return {
    names: {
      ...(merchant === undefined ? {} : { merchantName: toField(merchant) }),
      ...(isBuyer ? { buyerName: toField(buyer) } : {}),
    },
    isOfOthers: isAsked && wantsBuyer && (isOwn(merchant) || (printed !== undefined && !names(printed, companyName))),
  };
}

const toField = ({ span, certainty }: Named): ScannedField => buildField(cleanName(spanText(span)), span, certainty);

/** Whether one name is part of the other: "Globex" and "Globex Ltd", and a page may break a long name. */
function names({ span }: Named, companyName = ""): boolean {
  const [printed, wanted] = [bareName(spanText(span)), bareName(companyName)];
  if (printed.length < LEAST_NAME || wanted.length < LEAST_NAME) return false;
  return ` ${printed} `.includes(` ${wanted} `) || ` ${wanted} `.includes(` ${printed} `);
}

const LEAST_NAME = 3;

/** Without the legal form, which has several spellings. */
const bareName = (text: string): string => plain(text).replace(LEGAL_FORM, " ").replaceAll(/\s+/gu, " ").trim();

interface Named {
  span: Span;
  certainty: number;
}

const plain = (text: string): string => normalizeLabel(text, false);

/** A speck between Japanese characters that was recognized as a small letter. */
const SPECK =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])\s[a-z]\s(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/gu;

const cleanName = (text: string): string =>
  text
    .replaceAll("\t", " ")
    .replaceAll(SPECK, "")
    .replace(/^[\s*=:#-]{1,20}/u, "")
    .replace(/[\s*=:#-]{1,20}$/u, "")
    .replace(/\s?(?:御中|様|殿)$/u, "");

/** The caller's company, anywhere on the page. */
function findOwn(rows: readonly Row[], companyName: string | undefined): Named | undefined {
  const wanted = companyName === undefined ? "" : plain(companyName);
  if (wanted.length < LEAST_NAME) return undefined;
  for (const row of rows) {
    for (const span of splitColumns(row)) {
      const text = plain(spanText(span));
      if (!` ${text} `.includes(` ${wanted} `)) continue;
      // "Bill to: Globex Ltd" has the label and the name.
      const at = spanText(span)
        .toLowerCase()
        .indexOf((companyName ?? "").toLowerCase());
      return { span: at < 0 ? span : { ...span, start: span.start + at }, certainty: 0.97 };
    }
  }
  return undefined;
}

/** The name in the row of a label, or below it in the same column. */
function findUnder(rows: readonly Row[], label: RegExp, today: Temporal.PlainDate): Named | undefined {
  for (const [index, row] of rows.slice(0, 80).entries()) {
    for (const span of splitColumns(row)) {
      const text = spanText(span);
      if (text.length > 80 || !label.test(plain(text))) continue;
      const colon = row.text.indexOf(":", span.start);
      const rest = colon < 0 || colon > span.start + 40 ? undefined : { row, start: colon + 1, end: span.end };
      if (rest !== undefined && isName(rest, today)) return { span: rest, certainty: 0.9 };
      if (
        plain(text)
          .replace(label, "")
          .replaceAll(/[^\p{L}]/gu, "").length > 3
      )
        continue;
      const below = rows
        .slice(index + 1, index + 3)
        .map((next) => columnBelow(next, span))
        .find((next) => next !== undefined && isName(next, today));
      if (below !== undefined) return { span: below, certainty: 0.85 };
    }
  }
  return undefined;
}

function columnBelow(row: Row, above: Span): Span | undefined {
  const left = leftEdge(above);
  return splitColumns(row).find((span) => Math.abs(leftEdge(span) - left) < 0.06);
}

const leftEdge = ({ row, start }: Span): number => row.words.find((word) => word.end > start)?.box.x ?? row.box.x;

function isName(span: Span, today: Temporal.PlainDate): boolean {
  const text = spanText(span);
  const label = plain(text);
  if (text.length > 90 || label.replaceAll(/[^\p{L}]/gu, "").length < 2) return false;
  if (NO_NAME.test(label) || COURTESY.test(label) || (ADDRESS.test(label) && !LEGAL_FORM.test(label))) return false;
  if (/\d+[.,]\d\d(?:\s|$)/.test(text)) return false;
  if (/[年月]\s?\d{1,2}\s?[月日]/u.test(text)) return false;
  return findDates([{ ...span.row, text }], today).length === 0;
}

/** The first name at the top of the first page, preferring a company's name or large letters. */
function findTop(
  rows: readonly Row[],
  buyer: Named | undefined,
  companyName: string | undefined,
  today: Temporal.PlainDate,
): Named | undefined {
  const own = companyName === undefined ? "" : plain(companyName);
  const first = rows.at(0)?.page;
  const spans = rows
    .slice(0, TOP_ROWS)
    .filter(({ page }) => page === first)
    .flatMap((row) => splitColumns(row))
    .filter(
      (span) =>
        isName(span, today) && !/:\s*\S/u.test(spanText(span)) && readLabel(spanText(span), false)?.role === undefined,
    )
    .filter((span) => buyer === undefined || (!isSame(span, buyer.span) && !isBelowBuyer(span, buyer)))
    .filter((span) => !BUYER.test(plain(spanText(span))) && (own === "" || !plain(spanText(span)).includes(own)));
  const [top] = spans;
  if (top === undefined) return undefined;
  const heights = spans.map(({ row }) => rowHeight(row)).toSorted((one, other) => one - other);
  const usual = heights[Math.floor(heights.length / 2)] ?? 0;
  const large = spans.find(({ row }) => rowHeight(row) > 1.4 * usual && usual > 0);
  const legal = spans.slice(0, BLOCK_ROWS + 2).find((span) => LEGAL_FORM.test(plain(spanText(span))));
  return { span: large ?? (rows.indexOf(top.row) < 3 ? top : (legal ?? top)), certainty: 0.8 };
}

const isSame = (one: Span, other: Span): boolean =>
  one.row === other.row && one.start <= other.end && other.start <= one.end;

const rowHeight = (row: Row): number => Math.max(...row.words.map(({ box }) => box.height));

function isBelowBuyer(span: Span, buyer: Named): boolean {
  const distance = span.row.box.y - buyer.span.row.box.y;
  return (
    span.row.page === buyer.span.row.page &&
    distance > 0 &&
    distance < 0.08 &&
    Math.abs(leftEdge(span) - leftEdge(buyer.span)) < 0.06
  );
}
