import type { PdfFile } from "./pdf.ts";
import { memoryView, withMemory } from "./pdfium.ts";

const MOST_ATTACHMENTS = 50;
const MOST_NAME_BYTES = 512;
const MOST_XML_BYTES = 2_000_000;
/** The invoice's names in PDFs of Factur-X, ZUGFeRD, XRechnung and Order-X. */
const NAMES: ReadonlySet<string> = new Set([
  ...["factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml", "order-x.xml", "zugferd_2p0.xml", "fx.xml"],
]);
/** The root of an invoice in one of the two syntaxes of the European norm. */
const ROOT = /<(?:[\w.-]+:)?(?:CrossIndustryInvoice|CrossIndustryDocument|Invoice|CreditNote)[\s>]/;
const LOOKED_AT = 4_000;

/** Returns the XML of an e-invoice attached to the PDF, as text; other attachments are ignored. */
export function findEInvoice({ pdfium, document }: PdfFile): string | undefined {
  const count = Math.min(pdfium._FPDFDoc_GetAttachmentCount(document), MOST_ATTACHMENTS);
  const attachments = Array.from({ length: count }, (_, index) => pdfium._FPDFDoc_GetAttachment(document, index));
  const named = attachments
    .filter((attachment) => attachment !== 0)
    .map((attachment) => ({ attachment, name: readName(attachment) }));
  // The right name first, as other XML may be attached.
  const ordered = named.toSorted((one, other) => Number(NAMES.has(other.name)) - Number(NAMES.has(one.name)));
  for (const { attachment, name } of ordered) {
    if (!name.endsWith(".xml")) continue;
    const xml = readContent(attachment);
    if (xml !== undefined && ROOT.test(xml.slice(0, LOOKED_AT))) return xml;
  }
  return undefined;

  function readName(attachment: number): string {
    return withMemory(pdfium, MOST_NAME_BYTES, (pointer) => {
      const length = Math.min(pdfium._FPDFAttachment_GetName(attachment, pointer, MOST_NAME_BYTES), MOST_NAME_BYTES);
      const bytes = Buffer.from(pdfium.HEAPU8.subarray(pointer, pointer + Math.max(0, length - 2)));
      return bytes.toString("utf16le").trim().toLowerCase();
    });
  }

  function readContent(attachment: number): string | undefined {
    const size = withMemory(pdfium, 4, (written) => {
      pdfium._FPDFAttachment_GetFile(attachment, 0, 0, written);
      return memoryView(pdfium).getUint32(written, true);
    });
    if (size === 0 || size > MOST_XML_BYTES) return undefined;
    return withMemory(pdfium, size + 4, (pointer) => {
      const isRead = pdfium._FPDFAttachment_GetFile(attachment, pointer + 4, size, pointer) !== 0;
      return isRead ? decode(pdfium.HEAPU8.slice(pointer + 4, pointer + 4 + size)) : undefined;
    });
  }
}

/** UTF-8, or UTF-16 with a byte order mark. `undefined` for other encodings. */
function decode(bytes: Uint8Array): string | undefined {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
