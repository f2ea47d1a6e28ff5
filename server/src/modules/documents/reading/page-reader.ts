import { type DocumentKind, KIND_TRAITS } from "../document-kinds.ts";
import { DocumentRefused } from "../document-scanner.ts";
import { findBarcodes } from "./barcodes.ts";
import { WHOLE_PAGE } from "./boxes.ts";
import { findMrz, mrzOfText } from "./mrz-zone.ts";
import type { Barcode, MrzLines, PageText } from "./page.ts";
import { cleanWord, toLines } from "./page-words.ts";
import type { PdfPage } from "./pdf.ts";
import { readTextLayer } from "./pdf-text.ts";
import type { Raster } from "./raster.ts";
import { recognisePage } from "./recognise-page.ts";
import { Recognizer } from "./recognizer.ts";
import { AS_GIVEN, type Placement } from "./straighten.ts";

export interface ReadingOptions {
  /** Lines of each page from a vision model: they replace text recognition. */
  transcripts?: readonly (readonly string[])[] | undefined;
  /** Reports each step to a waiting caller. */
  progress?: ((step: string) => void) | undefined;
}

export interface ReadPage {
  text: PageText;
  barcodes: readonly Barcode[];
  mrz: readonly MrzLines[];
  placement: Placement;
}

/** Recognising the text of a page takes a second or more. */
const MOST_RECOGNISED_PAGES = 6;
const MOST_PAGES_WITH_CODES = 6;
const DOTS_PER_INCH = 240;
/** With fewer visible words, a page covered by an image is a scan with a heading. */
const WORDS_OF_A_TEXT = 40;
const SHARE_OF_A_SCAN = 0.4;
const MOST_UNMAPPED = 0.1;
const TRANSCRIPT_CONFIDENCE = 0.8;
const MOST_TRANSCRIBED_LINES = 400;

/** Reads the pages of one document. */
export class PageReader {
  readonly #kind: (typeof KIND_TRAITS)[DocumentKind];
  readonly #options: ReadingOptions;
  #recognizer: Promise<Recognizer> | undefined;
  #recognised = 0;
  #searchedForCodes = 0;

  constructor(kind: DocumentKind, options: ReadingOptions) {
    this.#kind = KIND_TRAITS[kind];
    this.#options = options;
  }

  async readImage(raster: Raster, page: number): Promise<ReadPage> {
    const transcript = this.#options.transcripts?.[page - 1];
    const barcodes = await this.#findBarcodes(raster, page);
    if (transcript !== undefined && !this.#kind.hasMachineReadableZone) {
      return { text: toText(transcript, page), barcodes, mrz: [], placement: AS_GIVEN };
    }
    this.#recognised += 1;
    if (this.#recognised > MOST_RECOGNISED_PAGES) {
      throw new DocumentRefused(
        "document_too_large",
        `The document has more than ${MOST_RECOGNISED_PAGES} pages without text of their own, such as scans. Send the pages that matter.`,
      );
    }
    this.#options.progress?.(`recognising the text of page ${page}`);
    this.#recognizer ??= Recognizer.open();
    const recognizer = await this.#recognizer;
    const { text, straight, placement } = await recognisePage(recognizer, raster, page, this.#kind.languages);
    const mrz = this.#kind.hasMachineReadableZone ? await findMrz(recognizer, straight, text) : [];
    const straightCodes = barcodes.map((barcode) => ({ ...barcode, box: placement.fromGiven(barcode.box) }));
    if (transcript === undefined) return { text, barcodes: straightCodes, mrz, placement };
    const transcribed = toText(transcript, page);
    return { text: transcribed, barcodes: straightCodes, mrz: [...mrzOfText(transcribed), ...mrz], placement };
  }

  async readPdfPage(page: PdfPage, number: number): Promise<ReadPage> {
    const { words, unmappedShare } = await readTextLayer(page);
    const isScan = words.length < WORDS_OF_A_TEXT && page.largestImageShare() >= SHARE_OF_A_SCAN;
    const isUnreadable = unmappedShare > MOST_UNMAPPED || (words.length === 0 && page.objectCount > 0);
    const isTranscribed = this.#options.transcripts?.[number - 1] !== undefined;
    if (isScan || isUnreadable || (isTranscribed && words.length === 0)) {
      return this.readImage(await page.draw(DOTS_PER_INCH), number);
    }
    const text: PageText = { page: number, source: "text", lines: toLines(words.map((word) => [word])) };
    const wantsCodes = this.#kind.hasBarcode && page.objectCount > 0;
    const barcodes = wantsCodes ? await this.#findBarcodes(await page.draw(DOTS_PER_INCH), number) : [];
    return { text, barcodes, mrz: this.#kind.hasMachineReadableZone ? mrzOfText(text) : [], placement: AS_GIVEN };
  }

  async #findBarcodes(raster: Raster, page: number): Promise<Barcode[]> {
    if (!this.#kind.hasBarcode || this.#searchedForCodes >= MOST_PAGES_WITH_CODES) return [];
    this.#searchedForCodes += 1;
    this.#options.progress?.(`looking for codes on page ${page}`);
    return findBarcodes(raster, page);
  }
}

/** The positions of its words are unknown. */
function toText(transcript: readonly string[], page: number): PageText {
  const lines = transcript.slice(0, MOST_TRANSCRIBED_LINES).map((line) => ({
    words: line.split(/\s+/u).flatMap((word) => {
      const text = cleanWord(word);
      return text === undefined ? [] : [{ text, confidence: TRANSCRIPT_CONFIDENCE, box: WHOLE_PAGE }];
    }),
  }));
  return { page, source: "model", lines: lines.filter(({ words }) => words.length > 0) };
}
