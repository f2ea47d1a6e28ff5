import type { DocumentKind } from "../document-kinds.ts";
import { DocumentRefused } from "../document-scanner.ts";
import type { DocumentType } from "../receiving/document-type.ts";
import type { ReviewReason } from "../scan.ts";
import { findEInvoice } from "./e-invoice-attachment.ts";
import { openHeic } from "./heic.ts";
import type { Reading } from "./page.ts";
import { PageReader, type ReadingOptions, type ReadPage } from "./page-reader.ts";
import { PdfFile } from "./pdf.ts";
import { openImage, toJpeg } from "./raster.ts";
import type { Placement } from "./straighten.ts";

export interface ReadDocument extends Reading {
  /** By page: maps the reading's boxes from straightened pages to the original ones. */
  placements: ReadonlyMap<number, Placement>;
  /** The parts of the document that were not read. */
  reasons: readonly ReviewReason[];
}

/** Images of pages for a vision model: grey JPEG files of at most 1,600 pixels per side and 1 MB. */
const MOST_IMAGES = 6;
const DRAWN_DOTS_PER_INCH = 150;

/**
 * Reads words, codes and machine-readable zones of a document. Throws `DocumentRefused`: `document_damaged`, `document_encrypted` or
 * `document_too_large`. One process reads one document.
 */
export async function readDocument(
  bytes: Uint8Array,
  type: DocumentType,
  kind: DocumentKind,
  options: ReadingOptions = {},
): Promise<ReadDocument> {
  const reader = new PageReader(kind, options);
  if (type === "pdf") return readPdf(await PdfFile.open(bytes), reader);
  const { raster, pageCount } = type === "heic" ? await openHeic(bytes) : await openImage(bytes);
  const page = await reader.readImage(raster, 1);
  return compose([page], pageCount, undefined);
}

async function readPdf(file: PdfFile, reader: PageReader): Promise<ReadDocument> {
  const eInvoice = findEInvoice(file);
  const pages: ReadPage[] = [];
  for (let number = 1; number <= file.pageCount; number += 1) {
    pages.push(await file.withPage(number, (page) => reader.readPdfPage(page, number)));
  }
  return compose(pages, file.pageCount, eInvoice);
}

function compose(pages: readonly ReadPage[], pageCount: number, eInvoice: string | undefined): ReadDocument {
  const left = pageCount - pages.length;
  return {
    pageCount,
    pages: pages.map(({ text }) => text),
    barcodes: pages.flatMap(({ barcodes }) => barcodes),
    mrz: pages.flatMap(({ mrz }) => mrz),
    eInvoice,
    placements: new Map(pages.map(({ text, placement }) => [text.page, placement])),
    reasons:
      left > 0 ? [{ code: "pages_not_read", message: `Only the first of ${pageCount} pages or frames was read.` }] : [],
  };
}

/** The pages as images, at most six. Throws like `readDocument`. */
export async function drawDocument(bytes: Uint8Array, type: DocumentType): Promise<Uint8Array[]> {
  if (type !== "pdf") {
    const { raster } = type === "heic" ? await openHeic(bytes) : await openImage(bytes);
    return [await toJpeg(raster)];
  }
  const file = await PdfFile.open(bytes);
  if (file.pageCount > MOST_IMAGES) {
    throw new DocumentRefused(
      "document_too_large",
      `The PDF has more than ${MOST_IMAGES} pages. Send those that matter.`,
    );
  }
  const images: Uint8Array[] = [];
  for (let number = 1; number <= file.pageCount; number += 1) {
    images.push(await file.withPage(number, async (page) => toJpeg(await page.draw(DRAWN_DOTS_PER_INCH))));
  }
  return images;
}
