import type { DocumentKind } from "../scan.ts";
import { listAtoms, type PrintedLine } from "./printed-text.ts";

/** Words typical of one kind of document. */
const WORDS = {
  receipt:
    "TOTAL SUBTOTAL VAT MWST TVA IVA INVOICE RECEIPT RECHNUNG QUITTUNG FACTURE FACTURA FATTURA FATURA RECIBO SUMME BETRAG TAX CASH CHANGE",
  boarding_pass: "BOARDING GATE SEAT FLIGHT BORDKARTE EMBARQUEMENT EMBARQUE IMBARCO PUERTA SIEGE SITZ VUELO FLUG",
  id_document:
    "PASSPORT PASSEPORT REISEPASS PASAPORTE PASSAPORTO PASSAPORTE NATIONALITY NATIONALITE STAATSANGEHORIGKEIT SURNAME PERSONALAUSWEIS",
} as const;

const vocabularies = new Map<string, ReadonlySet<string>>(
  Object.entries(WORDS).map(([kind, words]) => [kind, new Set(words.split(" "))] as const),
);
/** This many different words tell a kind, if the requested kind has fewer. */
const TELLING = 2;

/** Whether the words of a document indicate another kind than the requested one. */
export function looksLikeOther(lines: readonly PrintedLine[], asked: DocumentKind): boolean {
  const said = new Set(lines.flatMap(({ words }) => listAtoms(words).map(({ text }) => text)));
  const count = (kind: string) => [...(vocabularies.get(kind) ?? [])].filter((word) => said.has(word)).length;
  const own = count(asked);
  return [...vocabularies.keys()].some((kind) => kind !== asked && count(kind) >= TELLING && count(kind) > own);
}

/** Whether a document has any word typical of this kind. */
export function hasKindWord(lines: readonly PrintedLine[], kind: DocumentKind): boolean {
  const vocabulary = vocabularies.get(kind);
  return lines.some(({ words }) => listAtoms(words).some(({ text }) => vocabulary?.has(text)));
}
