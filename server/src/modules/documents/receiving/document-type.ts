import { DocumentRefused } from "../document-scanner.ts";

/** A document's type, by its first bytes. */
export type DocumentType = "png" | "jpeg" | "webp" | "tiff" | "heic" | "pdf";

const ACCEPTED = "PNG, JPEG, WebP, TIFF, HEIC and PDF";

/** Media types that callers use for each type; some programs use older names. */
const MEDIA_TYPES: Readonly<Record<DocumentType, readonly string[]>> = {
  png: ["image/png", "image/x-png", "image/apng", "image/vnd.mozilla.apng"],
  jpeg: ["image/jpeg", "image/jpg", "image/pjpeg"],
  webp: ["image/webp"],
  tiff: ["image/tiff", "image/tiff-fx", "image/tif"],
  heic: ["image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence"],
  pdf: ["application/pdf", "application/x-pdf"],
};

/** Tells nothing about the type, so it agrees with all. */
const UNSPECIFIC_MEDIA_TYPES: ReadonlySet<string> = new Set(["application/octet-stream", "binary/octet-stream"]);

/** HEVC in a HEIF container. Others, such as AVIF, are not supported. */
const HEIC_BRANDS: ReadonlySet<string> = new Set(["heic", "heix", "heim", "heis", "hevc", "hevx"]);
/** Tell only that it is a HEIF container: the compatible brands name the contents. */
const HEIF_BRANDS: ReadonlySet<string> = new Set(["mif1", "mif2", "msf1"]);
const MOST_BRANDS = 32;

/**
 * The type of a document by its first bytes alone: a file that is valid as two types counts as the one it begins with.
 * Throws `DocumentRefused` with `document_damaged` for an empty file, and `unsupported_document` for a type that is not
 * supported or differs from the `mediaType` given by the caller.
 */
export function detectDocumentType(bytes: Uint8Array, mediaType: string | undefined): DocumentType {
  if (bytes.length === 0) throw new DocumentRefused("document_damaged", "The document is empty.");
  const type = typeByMagic(bytes);
  if (type === undefined) throw new DocumentRefused("unsupported_document", describeUnsupported(bytes));
  const named = mediaType?.split(";")[0]?.trim().toLowerCase();
  const isAgreed = named === undefined || UNSPECIFIC_MEDIA_TYPES.has(named) || MEDIA_TYPES[type].includes(named);
  if (!isAgreed) {
    throw new DocumentRefused(
      "unsupported_document",
      `The document's first bytes are those of ${MEDIA_TYPES[type][0]}, which is not the given mediaType. Give the right one or none.`,
    );
  }
  return type;
}

function typeByMagic(bytes: Uint8Array): DocumentType | undefined {
  if (beginsWith(bytes, "\x89PNG\r\n\x1a\n")) return "png";
  if (beginsWith(bytes, "\xff\xd8\xff")) return "jpeg";
  if (beginsWith(bytes, "RIFF") && textAt(bytes, 8, 4) === "WEBP") return "webp";
  if (beginsWith(bytes, "II*\0") || beginsWith(bytes, "MM\0*")) return "tiff";
  if (beginsWith(bytes, "%PDF-")) return "pdf";
  return isHeic(bytes) ? "heic" : undefined;
}

function isHeic(bytes: Uint8Array): boolean {
  if (textAt(bytes, 4, 4) !== "ftyp") return false;
  const brand = textAt(bytes, 8, 4);
  if (HEIC_BRANDS.has(brand)) return true;
  if (!HEIF_BRANDS.has(brand)) return false;
  const end = Math.min(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0), 16 + 4 * MOST_BRANDS, bytes.length);
  for (let at = 16; at + 4 <= end; at += 4) if (HEIC_BRANDS.has(textAt(bytes, at, 4))) return true;
  return false;
}

function describeUnsupported(bytes: Uint8Array): string {
  const start = textAt(bytes, 0, 1_024).trimStart().toLowerCase();
  const accepted = `${ACCEPTED} are supported.`;
  if (start.startsWith("gif8")) return `GIF images are not supported. ${accepted} Convert the image.`;
  if (start.startsWith("<?xml") || start.startsWith("<svg") || start.startsWith("<!doctype svg"))
    return `SVG and other XML files are not supported. ${accepted} An XML e-invoice is read as an attachment of its PDF.`;
  if (textAt(bytes, 4, 8) === "ftypavif") return `AVIF images are not supported. ${accepted} Convert the image.`;
  if (start.includes("%pdf-")) return "There is other data before the header of the PDF. Send the PDF alone.";
  return `The file type is not supported. ${accepted}`;
}

const beginsWith = (bytes: Uint8Array, magic: string): boolean => textAt(bytes, 0, magic.length) === magic;

const textAt = (bytes: Uint8Array, from: number, length: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1", from, from + length);
