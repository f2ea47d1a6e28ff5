import type { Box } from "../scan.ts";

/** A word as it stands on a page. */
export interface Word {
  text: string;
  /** From 0 to 1; 1 for the text layer of a PDF. */
  confidence: number;
  box: Box;
}

/** Words side by side, from left to right. */
export interface TextLine {
  words: readonly Word[];
}

/** The text of one page, from top to bottom. */
export interface PageText {
  /** From 1. */
  page: number;
  source: "text" | "ocr" | "model";
  lines: readonly TextLine[];
}

export interface Barcode {
  symbology: "pdf417" | "aztec" | "qr" | "data_matrix";
  text: string;
  page: number;
  box: Box;
}

/** The lines of a machine-readable zone as text recognition read them, before anything was checked. */
export interface MrzLines {
  lines: readonly string[];
  /** From 0 to 1. */
  confidence: number;
  page: number;
  box: Box;
}

/** What the pages of a document hold, before anybody asks what it means. */
export interface Reading {
  pageCount: number;
  pages: readonly PageText[];
  barcodes: readonly Barcode[];
  /** Candidates, the best first. */
  mrz: readonly MrzLines[];
  /** XML of an e-invoice that a PDF holds as an attachment. */
  eInvoice: string | undefined;
}

/** What interpreting a reading needs to know beside it. */
export interface Interpreting {
  /** Today in UTC: dates without a year, and years without a century, are near it. */
  today: Temporal.PlainDate;
  /** The company of whoever asks: on an invoice it is the buyer. */
  companyName: string | undefined;
}
