import type { Box } from "../scan.ts";

/** A word on a page. */
export interface Word {
  text: string;
  /** From 0 to 1; 1 for the text layer of a PDF. */
  confidence: number;
  box: Box;
}

/** Adjacent words, from left to right. */
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

/** The lines of a machine-readable zone as recognised, before any check. */
export interface MrzLines {
  lines: readonly string[];
  /** From 0 to 1. */
  confidence: number;
  page: number;
  box: Box;
}

/** The contents of a document's pages, before they are interpreted. */
export interface Reading {
  pageCount: number;
  pages: readonly PageText[];
  barcodes: readonly Barcode[];
  /** Candidates, best first. */
  mrz: readonly MrzLines[];
  /** XML of an e-invoice attached to a PDF. */
  eInvoice: string | undefined;
}

/** The context for interpreting a reading. */
export interface Interpreting {
  /** Today in UTC: dates without a year, and years without a century, are near it. */
  today: Temporal.PlainDate;
  /** The caller's company, which is the buyer on an invoice. */
  companyName: string | undefined;
}
