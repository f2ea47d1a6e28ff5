import type { ReasonCode } from "./reason-codes.ts";

/** What a scan is about, as the caller says. */
export type DocumentKind = "invoice" | "receipt" | "boarding_pass" | "id_document";

/** A rectangle of a page in fractions of its width and height, from the top left corner. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Where a value was read: a barcode, a machine-readable zone, the text layer of a PDF, text recognition, an embedded e-invoice, or the operator's vision model. */
export type FieldSource = "barcode" | "mrz" | "text" | "ocr" | "e_invoice" | "model";

/** A value that was read, in its normal form: dates as YYYY-MM-DD, amounts as decimal strings, countries and currencies as ISO codes. */
export interface ScannedField {
  value: string;
  /** From 0 to 1. */
  confidence: number;
  from: {
    source: FieldSource;
    /** From 1; null where the source has no pages, as an embedded e-invoice has none. */
    page: number | null;
    box: Box | null;
  };
}

export type Fields = Readonly<Record<string, ScannedField>>;

/** Why a person should look at the document. `field` names what it is about; undefined: the whole document. */
export interface ReviewReason {
  code: ReasonCode;
  field?: string;
  message: string;
}

/** All that a document says. It is never stored; only `scan-document.ts` decides what of it leaves the service. */
export interface Scan {
  fields: Fields;
  /** Lines of an invoice or receipt. */
  lines?: readonly Fields[];
  /** Taxes of an invoice or receipt, one for each rate. */
  taxes?: readonly Fields[];
  /** Legs of a boarding pass. */
  legs?: readonly Fields[];
  reasons: readonly ReviewReason[];
  /** Booking references, order ids and invoice numbers that the text may hold, for a look-up among the tenant's orders. */
  references: readonly string[];
  pages: number;
}
