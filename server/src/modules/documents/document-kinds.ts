import type { Language } from "./scan.ts";

/** In the order in which `scan_document` lists them. */
export const DOCUMENT_KINDS = ["invoice", "receipt", "boarding_pass", "id_document"] as const;

/** The kind of document, as the caller says. */
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** A kind of document. The code that interprets it is named in `interpreting/index.ts`: only the reading process loads it. */
interface KindTraits {
  /** Typical words, which tell it from other kinds. */
  words: string;
  /** Further languages in which its text is recognised. */
  languages: readonly Language[];
  /** Whether its pages are searched for barcodes. */
  hasBarcode: boolean;
  /** Whether its pages are searched for a machine-readable zone. */
  hasMachineReadableZone: boolean;
  /** The orders that it is matched with. */
  matches: "purchases" | "flights" | "nothing";
  /** Whether its number is hidden throughout the answer. */
  hidesNumber: boolean;
  /** Whether its holder is kept for `save_traveler`. */
  identifiesHolder: boolean;
}

const purchase: KindTraits = {
  words:
    "TOTAL SUBTOTAL VAT MWST TVA IVA INVOICE RECEIPT RECHNUNG QUITTUNG FACTURE FACTURA FATTURA FATURA RECIBO SUMME BETRAG TAX CASH CHANGE",
  languages: ["jpn"],
  hasBarcode: false,
  hasMachineReadableZone: false,
  matches: "purchases",
  hidesNumber: false,
  identifiesHolder: false,
};

export const KIND_TRAITS: Readonly<Record<DocumentKind, KindTraits>> = {
  invoice: purchase,
  receipt: purchase,
  boarding_pass: {
    words: "BOARDING GATE SEAT FLIGHT BORDKARTE EMBARQUEMENT EMBARQUE IMBARCO PUERTA SIEGE SITZ VUELO FLUG",
    // It always has Latin letters, as a passport has.
    languages: [],
    hasBarcode: true,
    hasMachineReadableZone: false,
    matches: "flights",
    hidesNumber: false,
    identifiesHolder: false,
  },
  id_document: {
    words:
      "PASSPORT PASSEPORT REISEPASS PASAPORTE PASSAPORTO PASSAPORTE NATIONALITY NATIONALITE STAATSANGEHORIGKEIT SURNAME PERSONALAUSWEIS",
    languages: [],
    hasBarcode: false,
    hasMachineReadableZone: true,
    matches: "nothing",
    hidesNumber: true,
    identifiesHolder: true,
  },
};
