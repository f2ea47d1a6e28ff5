import type { ReasonCode } from "./reason-codes.ts";

/** A language in which text is recognised. */
export type Language = "eng" | "deu" | "fra" | "spa" | "por" | "pol" | "jpn";

/** A rectangle of a page in fractions of its width and height, from the top left corner. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * The source of a value: a barcode, a machine-readable zone, the text layer of a PDF, text recognition, an embedded
 * e-invoice, or the operator's vision model.
 */
export type FieldSource = "barcode" | "mrz" | "text" | "ocr" | "e_invoice" | "model";

/** A value in its normal form: dates as YYYY-MM-DD, amounts as decimal strings, countries and currencies as ISO codes. */
export interface ScannedField {
  value: string;
  /** From 0 to 1. */
  confidence: number;
  from: {
    source: FieldSource;
    /** From 1; null if the source has no pages, such as an embedded e-invoice. */
    page: number | null;
    box: Box | null;
  };
}

export type Fields = Readonly<Record<string, ScannedField>>;

/** A reason for a person to look at the document. `field` names the field concerned; undefined means the whole document. */
export interface ReviewReason {
  code: ReasonCode;
  field?: string;
  message: string;
}

/** All values of a document. Never stored; only `scan-document.ts` decides which of them leave the service. */
export interface Scan {
  fields: Fields;
  /** Lines of an invoice or receipt. */
  lines?: readonly Fields[];
  /** Taxes of an invoice or receipt, one per rate. */
  taxes?: readonly Fields[];
  /** Legs of a boarding pass. */
  legs?: readonly Fields[];
  reasons: readonly ReviewReason[];
  /** Possible booking references, order ids and invoice numbers, for a look-up among the tenant's orders. */
  references: readonly string[];
  pages: number;
}
