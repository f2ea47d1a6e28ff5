import { DocumentRefused } from "../document-scanner.ts";
import type { Box } from "../scan.ts";
import { memoryView, openPdfium, type Pdfium, withMemory } from "./pdfium.ts";
import { openPixels, type Raster } from "./raster.ts";

/** More pages are a report rather than a receipt. */
const MOST_PDF_PAGES = 30;
/** In points, 1/72 of an inch: three times as long as A0. */
const LONGEST_SIDE = 10_000;
const MOST_RENDERED_PIXELS = 9_000_000;
const PASSWORD_NEEDED = 4;
const SECURITY_UNKNOWN = 5;
const BGRA = 4;
const RENDER_ANNOTATIONS = 0x01;
const WHITE = 0xffffffff;
const POINTS_PER_INCH = 72;
const IMAGE_OBJECT = 3;
const MOST_OBJECTS = 2_000;
/** A device fine enough to separate any two characters of a page. */
const DEVICE_SIDE = 1_000_000;

interface Corners {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** An open PDF. Its pages are counted from 1. */
export class PdfFile {
  readonly pdfium: Pdfium;
  readonly document: number;
  readonly pageCount: number;

  private constructor(pdfium: Pdfium, document: number) {
    this.pdfium = pdfium;
    this.document = document;
    this.pageCount = pdfium._FPDF_GetPageCount(document);
  }

  /** Throws `DocumentRefused` if it is encrypted, damaged, or has too many pages. It stays open for the life of the process. */
  static async open(bytes: Uint8Array): Promise<PdfFile> {
    const pdfium = await openPdfium();
    const memory = pdfium.wasmExports.malloc(bytes.length);
    pdfium.HEAPU8.set(bytes, memory);
    const document = pdfium._FPDF_LoadMemDocument(memory, bytes.length, 0);
    if (document === 0) throw toRefusal(pdfium._FPDF_GetLastError());
    const file = new PdfFile(pdfium, document);
    if (file.pageCount < 1) throw new DocumentRefused("document_damaged", "The PDF has no pages.");
    if (file.pageCount > MOST_PDF_PAGES) {
      throw new DocumentRefused(
        "document_too_large",
        `The PDF has ${file.pageCount} pages; at most ${MOST_PDF_PAGES} are read. Send the pages that matter.`,
      );
    }
    return file;
  }

  /** Lends a page. Throws `DocumentRefused` if it cannot be opened. */
  async withPage<Result>(number: number, use: (page: PdfPage) => Result): Promise<Awaited<Result>> {
    const page = this.pdfium._FPDF_LoadPage(this.document, number - 1);
    if (page === 0) throw new DocumentRefused("document_damaged", `Page ${number} of the PDF cannot be opened.`);
    try {
      return await use(new PdfPage(this.pdfium, page));
    } finally {
      this.pdfium._FPDF_ClosePage(page);
    }
  }
}

export class PdfPage {
  readonly pdfium: Pdfium;
  readonly page: number;
  /** In points, with the page's rotation applied. */
  readonly width: number;
  readonly height: number;

  constructor(pdfium: Pdfium, page: number) {
    this.pdfium = pdfium;
    this.page = page;
    this.width = pdfium._FPDF_GetPageWidth(page);
    this.height = pdfium._FPDF_GetPageHeight(page);
  }

  /** At this many pixels per inch, or fewer for a large page. */
  async draw(dotsPerInch: number): Promise<Raster> {
    const { pdfium, page } = this;
    const isSane = this.width > 0 && this.height > 0 && Math.max(this.width, this.height) <= LONGEST_SIDE;
    if (!isSane) {
      throw new DocumentRefused(
        "document_too_large",
        "A page of the PDF is larger than any paper. Print it to A4 first.",
      );
    }
    const most = Math.sqrt(MOST_RENDERED_PIXELS / (this.width * this.height));
    const scale = Math.min(dotsPerInch / POINTS_PER_INCH, most);
    const width = Math.max(1, Math.floor(this.width * scale));
    const height = Math.max(1, Math.floor(this.height * scale));
    const pixels = withMemory(pdfium, width * height * 4, (pointer) => {
      const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, BGRA, pointer, width * 4);
      pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
      pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, RENDER_ANNOTATIONS);
      pdfium._FPDFBitmap_Destroy(bitmap);
      return pdfium.HEAPU8.slice(pointer, pointer + width * height * 4);
    });
    swapRedAndBlue(pixels);
    return openPixels(pixels, width, height);
  }

  /** Converts page coordinates to fractions of the displayed page. */
  toFractions({ left, top, right, bottom }: Corners): Box {
    return withMemory(this.pdfium, 8, (pointer) => {
      const [oneX, oneY] = this.#toDevice(left, top, pointer);
      const [otherX, otherY] = this.#toDevice(right, bottom, pointer);
      return {
        x: Math.min(oneX, otherX) / DEVICE_SIDE,
        y: Math.min(oneY, otherY) / DEVICE_SIDE,
        width: Math.abs(otherX - oneX) / DEVICE_SIDE,
        height: Math.abs(otherY - oneY) / DEVICE_SIDE,
      };
    });
  }

  #toDevice(x: number, y: number, pointer: number): [x: number, y: number] {
    this.pdfium._FPDF_PageToDevice(this.page, 0, 0, DEVICE_SIDE, DEVICE_SIDE, 0, x, y, pointer, pointer + 4);
    const view = memoryView(this.pdfium);
    return [view.getInt32(pointer, true), view.getInt32(pointer + 4, true)];
  }

  /** The number of drawn objects, such as images, paths and texts. */
  get objectCount(): number {
    return this.pdfium._FPDFPage_CountObjects(this.page);
  }

  /** The share of the page, from 0 to 1, that its largest image covers. */
  largestImageShare(): number {
    const { pdfium, page } = this;
    const isImage = (object: number) => pdfium._FPDFPageObj_GetType(object) === IMAGE_OBJECT;
    let largest = 0;
    const count = Math.min(this.objectCount, MOST_OBJECTS);
    for (let index = 0; index < count; index += 1) {
      const object = pdfium._FPDFPage_GetObject(page, index);
      if (object !== 0 && isImage(object)) largest = Math.max(largest, this.#measureShare(object));
    }
    return largest;
  }

  #measureShare(object: number): number {
    return withMemory(this.pdfium, 16, (pointer) => {
      const at = [pointer, pointer + 4, pointer + 8, pointer + 12] as const;
      if (this.pdfium._FPDFPageObj_GetBounds(object, ...at) === 0) return 0;
      const view = memoryView(this.pdfium);
      const [left, bottom, right, top] = at.map((place) => view.getFloat32(place, true));
      const area = ((right ?? 0) - (left ?? 0)) * ((top ?? 0) - (bottom ?? 0));
      return Math.min(1, Math.abs(area) / (this.width * this.height));
    });
  }
}

function swapRedAndBlue(pixels: Uint8Array): void {
  for (let at = 0; at + 2 < pixels.length; at += 4) {
    const blue = pixels[at] ?? 0;
    pixels[at] = pixels[at + 2] ?? 0;
    pixels[at + 2] = blue;
  }
}

function toRefusal(error: number): DocumentRefused {
  if (error === PASSWORD_NEEDED) {
    return new DocumentRefused("document_encrypted", "The PDF needs a password. Save it without one and send that.");
  }
  if (error === SECURITY_UNKNOWN) {
    return new DocumentRefused(
      "document_encrypted",
      "The PDF is protected in a way that is not read. Print it to a new PDF.",
    );
  }
  return new DocumentRefused("document_damaged", "The PDF cannot be opened: it is damaged or not complete.");
}
