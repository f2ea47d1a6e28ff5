import { z } from "zod";
import { DOCUMENT_KINDS } from "../document-kinds.ts";
import { isReasonCode, type ReasonCode } from "../reason-codes.ts";

/** The input of the process that reads a document: this as one line, then the document's bytes to the end. */
export const ScanOrder = z.strictObject({
  type: z.enum(["png", "jpeg", "webp", "tiff", "heic", "pdf"]),
  kind: z.enum(DOCUMENT_KINDS),
  /** YYYY-MM-DD */
  today: z.string(),
  companyName: z.string().optional(),
  transcripts: z.array(z.array(z.string())).optional(),
  wantsImages: z.boolean(),
});
export type ScanOrder = z.output<typeof ScanOrder>;

const Fraction = z.number().min(0).max(1);
const Box = z.strictObject({ x: Fraction, y: Fraction, width: Fraction, height: Fraction });
const Field = z.strictObject({
  value: z.string().max(400),
  confidence: Fraction,
  from: z.strictObject({
    source: z.enum(["barcode", "mrz", "text", "ocr", "e_invoice", "model"]),
    page: z.int().min(1).nullable(),
    box: Box.nullable(),
  }),
});
const Fields = z.record(z.string(), Field);
const Scan = z.strictObject({
  fields: Fields,
  lines: z.array(Fields).max(1_000).exactOptional(),
  taxes: z.array(Fields).max(100).exactOptional(),
  legs: z.array(Fields).max(100).exactOptional(),
  reasons: z
    .array(
      z.strictObject({
        code: z.custom<ReasonCode>((code) => typeof code === "string" && isReasonCode(code)),
        field: z.string().max(200).exactOptional(),
        message: z.string().max(2_000),
      }),
    )
    .max(1_000),
  references: z.array(z.string().max(400)).max(1_000),
  pages: z.int().min(0),
});

/** Its output, one per line: any number of steps, then one of the others. All of it is validated. */
export const ScanAnswer = z.union([
  z.strictObject({ step: z.string().max(200) }),
  z.strictObject({ scan: Scan, images: z.array(z.base64()).max(6) }),
  z.strictObject({
    refused: z.enum(["unsupported_document", "document_damaged", "document_encrypted", "document_too_large"]),
    detail: z.string().max(1_000).exactOptional(),
  }),
  /** An internal error: its name and where it was thrown, without its message, which may quote the document. */
  z.strictObject({ failed: z.string().max(4_000) }),
]);
export type ScanAnswer = z.input<typeof ScanAnswer>;

/** The maximum output in bytes: six images and a scan. */
export const MOST_ANSWERED_BYTES = 12_000_000;
/** Ends the process when it exceeds its memory limit. */
export const OUT_OF_MEMORY_SIGNAL = "SIGUSR2";
