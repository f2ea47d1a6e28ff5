import { containsCardNumber } from "../../../../domain/card-numbers.ts";
import type { Row } from "./rows.ts";

const MOST_REFERENCES = 50;
const LABEL =
  /(?:pnr|booking\s?(?:reference|ref|code|number|no)|reservation\s?(?:code|number|no)?|confirmation\s?(?:code|number|no)?|record locator|locator|buchungs?\s?-?(?:code|nummer|nr|referenz)|reservierungs?\s?-?(?:code|nummer|nr)|r[eé]f(?:[eé]rence)?(?: de)? (?:r[eé]servation|dossier)|dossier|localizador|c[oó]digo de reserva|reserva|c[oó]digo da reserva|予約番号|予約コード|確認番号|ref)[.\s:#]{0,4}(?:no\.?|nr\.?|n[°º])?[\s:#]{0,3}/giu;
const TOKEN = /(?<![A-Z0-9_])[A-Z0-9]{6}(?![A-Z0-9_])/g;
const OURS =
  /(?<![A-Za-z0-9_])(?:ord|bkg|trip|act)_[A-Za-z0-9]{10,40}(?![A-Za-z0-9_])|(?<![A-Z0-9-])(?:SANDBOX-)?[A-Z]{2,10}-\d{6,9}(?!\d)/g;

/** Words that occur in the place of a code. */
const NO_CODES: ReadonlySet<string> = new Set(["NUMBER", "NUMMER", "NUMERO"]);

/**
 * Possible references to our orders: order and booking ids, invoice numbers, and texts in the form of a booking
 * reference; labelled ones first.
 */
export function findReferences(texts: readonly Pick<Row, "text">[]): string[] {
  const ids = new Set<string>();
  const labelled = new Set<string>();
  const loose = new Set<string>();
  for (const { text } of texts) {
    for (const [id] of text.matchAll(OURS)) ids.add(id);
    for (const match of text.matchAll(LABEL)) {
      const rest = text.slice(match.index + match[0].length);
      // If a label were part of a longer word, the rest of the word would be taken for its code.
      const isWhole = /[\s:#.]$/.test(match[0]);
      const token =
        /^[A-Z0-9]{5,8}(?![A-Za-z0-9])/.exec(rest)?.[0] ??
        (isWhole ? /^[a-z0-9]{6}(?![A-Za-z0-9])/.exec(rest)?.[0].toUpperCase() : undefined);
      if (token !== undefined && !NO_CODES.has(token) && !containsCardNumber(token)) labelled.add(token);
    }
    for (const [token] of text.matchAll(TOKEN)) if (/[A-Z]/.test(token) && /\d/.test(token)) loose.add(token);
  }
  return [...new Set([...ids, ...labelled, ...loose])].slice(0, MOST_REFERENCES);
}
