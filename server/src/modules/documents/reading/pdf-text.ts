import type { Box } from "../scan.ts";
import { aroundBoxes } from "./boxes.ts";
import type { Word } from "./page.ts";
import { cleanWord } from "./page-words.ts";
import type { PdfPage } from "./pdf.ts";
import { memoryView, type Pdfium, withMemory } from "./pdfium.ts";
import { crop, type Raster } from "./raster.ts";

/** Far more than a page of small print. */
const MOST_CHARACTERS = 60_000;
const BYTES_OF_RECTANGLE = 16;
/** In character heights: a wider gap ends a word, even without a space. */
const WIDEST_GAP = 0.28;
const SPACE = /^\s$/u;
const TOO_TILTED = 0.05;

export interface PdfText {
  words: Word[];
  /** The share of characters, from 0 to 1, without a Unicode value: the visible text differs from the text layer. */
  unmappedShare: number;
}

/**
 * The text layer of a page, in words with their boxes. Text that is not upright, such as in a margin, is left out, and
 * so is text that is invisible on paper: undrawn, under an image, or white on white.
 */
export async function readTextLayer(page: PdfPage): Promise<PdfText> {
  const { pdfium } = page;
  const text = pdfium._FPDFText_LoadPage(page.page);
  if (text === 0) return { words: [], unmappedShare: 0 };
  try {
    const { words, unmappedShare } = withMemory(pdfium, BYTES_OF_RECTANGLE, (rectangle) =>
      collect(page, text, rectangle),
    );
    if (words.length === 0) return { words, unmappedShare };
    const drawn = await page.draw(LOOK_DOTS_PER_INCH);
    return { words: words.filter(({ box }) => isSeen(drawn, box)), unmappedShare };
  } finally {
    pdfium._FPDFText_ClosePage(text);
  }
}

/** Enough to detect ink. */
const LOOK_DOTS_PER_INCH = 110;
const LEAST_CONTRAST = 30;

/** Whether there is light and dark in the word's box. */
function isSeen(page: Raster, box: Box): boolean {
  const part = crop(page, {
    left: box.x * page.width,
    top: box.y * page.height,
    width: Math.max(2, box.width * page.width),
    height: Math.max(2, box.height * page.height),
  });
  if (part === undefined) return false;
  let lightest = 0;
  let darkest = 255;
  for (const grey of part.data) {
    if (grey > lightest) lightest = grey;
    if (grey < darkest) darkest = grey;
  }
  return lightest - darkest >= LEAST_CONTRAST;
}

const INVISIBLE = 3;
const CLIPPED_ONLY = 7;

/** Text that is not drawn, as programs put it under the image of a scan. */
function isInvisible(pdfium: Pdfium, text: number, index: number): boolean {
  const object = pdfium._FPDFText_GetTextObject(text, index);
  const mode = object === 0 ? undefined : pdfium._FPDFTextObj_GetTextRenderMode(object);
  return mode === INVISIBLE || mode === CLIPPED_ONLY;
}

function collect(page: PdfPage, text: number, rectangle: number): PdfText {
  const { pdfium } = page;
  const words: Word[] = [];
  const count = Math.min(pdfium._FPDFText_CountChars(text), MOST_CHARACTERS);
  let unmapped = 0;
  let open: { text: string; box: Box } | undefined;
  const end = () => {
    const cleaned = open === undefined ? undefined : cleanWord(open.text);
    if (open !== undefined && cleaned !== undefined) words.push({ text: cleaned, confidence: 1, box: open.box });
    open = undefined;
  };
  for (let index = 0; index < count; index += 1) {
    const code = pdfium._FPDFText_GetUnicode(text, index);
    if (isUnmapped(pdfium, text, index, code)) unmapped += 1;
    const character = toCharacter(code);
    if (character === undefined || SPACE.test(character)) {
      end();
      continue;
    }
    const box = readBox(page, text, index, rectangle);
    if (box === undefined || isTilted(pdfium._FPDFText_GetCharAngle(text, index)) || isInvisible(pdfium, text, index))
      continue;
    if (open !== undefined && !continues(open.box, box, page)) end();
    open =
      open === undefined
        ? { text: character, box }
        : { text: open.text + character, box: aroundBoxes([open.box, box]) ?? box };
  }
  end();
  return { words, unmappedShare: count === 0 ? 0 : unmapped / count };
}

const isUnmapped = (pdfium: Pdfium, text: number, index: number, code: number): boolean =>
  code === 0 || code === 0xfffd || isPrivate(code) || pdfium._FPDFText_HasUnicodeMapError(text, index) === 1;

const isPrivate = (code: number): boolean => code >= 0xe000 && code <= 0xf8ff;

function toCharacter(code: number): string | undefined {
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  // PDFium's code for a hyphen at the end of a line.
  if (code === 0x02 || code === 0xfffe) return "-";
  return isCharacter ? String.fromCodePoint(code) : undefined;
}

const isTilted = (radians: number): boolean =>
  Math.min(Math.abs(radians), Math.abs(radians - 2 * Math.PI)) > TOO_TILTED;

/** In fractions of the displayed page, or `undefined` for a character outside it. */
function readBox(page: PdfPage, text: number, index: number, rectangle: number): Box | undefined {
  const { pdfium, width, height } = page;
  if (pdfium._FPDFText_GetLooseCharBox(text, index, rectangle) === 0) return undefined;
  const view = memoryView(pdfium);
  const [left = 0, top = 0, right = 0, bottom = 0] = [0, 4, 8, 12].map((offset) =>
    view.getFloat32(rectangle + offset, true),
  );
  const box = page.toFractions({ left, top, right, bottom });
  const isOnPage = width > 0 && height > 0 && box.x < 1 && box.y < 1 && box.x + box.width > 0 && box.y + box.height > 0;
  return isOnPage ? box : undefined;
}

function continues(word: Box, next: Box, page: PdfPage): boolean {
  const gap = (next.x - (word.x + word.width)) * page.width;
  const isLevel =
    Math.abs(next.y + next.height / 2 - (word.y + word.height / 2)) < 0.5 * Math.max(word.height, next.height);
  return isLevel && gap > -word.width * page.width && gap < WIDEST_GAP * word.height * page.height;
}
