import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import type { Language } from "../scan.ts";
import type { Word } from "./page.ts";
import { cleanWord } from "./page-words.ts";
import { type Raster, toGreyFile } from "./raster.ts";

/** The layout of the text to recognise. */
export type Layout = "page" | "block" | "line" | "sparse";

const PAGE_MODES: Readonly<Record<Layout, string>> = { page: "3", block: "6", line: "7", sparse: "11" };

/** The part of tesseract.js-core in use; the package has no types for it. */
interface TesseractCore {
  FS: { writeFile(path: string, data: Uint8Array): void; unlink(path: string): void };
  TessBaseAPI: new () => Tesseract;
}

interface Tesseract {
  Init(path: null, languages: string, engine: number): number;
  SetVariable(name: string, value: string): boolean;
  SetImageFile(orientation: number, radians: number): number;
  SetSourceResolution(dotsPerInch: number): void;
  Recognize(monitor: null): number;
  GetJSONText(): string;
  Clear(): void;
  End(): void;
}

const Box = z.object({ x0: z.number(), y0: z.number(), x1: z.number(), y1: z.number() });
const Found = z.object({
  blocks: z.array(
    z.object({
      paragraphs: z.array(
        z.object({
          lines: z.array(
            z.object({
              words: z.array(
                z.object({
                  text: z.string(),
                  confidence: z.number(),
                  bbox: Box,
                  symbols: z.array(z.object({ text: z.string(), confidence: z.number(), bbox: Box })),
                }),
              ),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** One build for all machines, so that all read the same: every processor supported by Node has these instructions. */
const CORE = "tesseract.js-core/tesseract-core-simd-lstm.js";
const requirePackage = createRequire(import.meta.url);
/** The Japanese data has the yen sign at its code in old Japanese character sets. */
const YEN = /^\\(?=[\d,.]+-?$)/;
const NEURAL_ENGINE = 1;
const IMAGE_FILE = "/input";
/** Letters are always passed at the height of a page in this resolution. */
const DOTS_PER_INCH = 300;

export interface Recognised {
  words: readonly Word[];
  /** The same words, grouped by line. */
  pieces: readonly (readonly Word[])[];
  /** The mean confidence of the words, weighted by length, from 0 to 1; 0 without words. */
  confidence: number;
  /** Whether most of the text is not upright; such text is left out of `words`. */
  isSideways: boolean;
}

export interface Character {
  text: string;
  /** From 0 to 1. */
  confidence: number;
  left: number;
  right: number;
}

/**
 * Recognises text with Tesseract, as WebAssembly in this thread: its code and data come with packages, so it makes no
 * request and writes nothing to disk. Used for one document only.
 */
export class Recognizer {
  readonly #core: TesseractCore;
  readonly #loaded = new Set<Language>();
  #tesseract: Tesseract | undefined;
  #languages = "";

  private constructor(core: TesseractCore) {
    this.#core = core;
  }

  static async open(): Promise<Recognizer> {
    const load: (options: object) => Promise<TesseractCore> = requirePackage(CORE);
    return new Recognizer(await load({ print: () => {}, printErr: () => {} }));
  }

  /** @param allowed restricts recognition to these characters */
  recognise(raster: Raster, languages: readonly Language[], layout: Layout, allowed = ""): Recognised {
    return toRecognised(this.#find(raster, languages, layout, allowed), raster);
  }

  /** The characters of one line, each with its confidence and its position in pixels. */
  recogniseCharacters(raster: Raster, allowed: string): Character[] {
    const words = listLines(this.#find(raster, ["eng"], "line", allowed)).flatMap((line) => line.words);
    return words.flatMap(({ symbols }) =>
      symbols.map(({ text, confidence, bbox }) => ({
        text,
        confidence: confidence / 100,
        left: bbox.x0,
        right: bbox.x1,
      })),
    );
  }

  #find(raster: Raster, languages: readonly Language[], layout: Layout, allowed: string): Found {
    const tesseract = this.#open(languages);
    tesseract.SetVariable("tessedit_pageseg_mode", PAGE_MODES[layout]);
    tesseract.SetVariable("tessedit_char_whitelist", allowed);
    this.#core.FS.writeFile(IMAGE_FILE, toGreyFile(raster));
    if (tesseract.SetImageFile(1, 0) === 1)
      throw new Error("The image could not be handed to the recognition of text.");
    tesseract.SetSourceResolution(DOTS_PER_INCH);
    tesseract.Recognize(null);
    const found = Found.parse(JSON.parse(tesseract.GetJSONText()));
    tesseract.Clear();
    this.#core.FS.unlink(IMAGE_FILE);
    return found;
  }

  #open(languages: readonly Language[]): Tesseract {
    const wanted = languages.join("+");
    if (this.#tesseract !== undefined && this.#languages === wanted) return this.#tesseract;
    for (const language of languages) this.#load(language);
    this.#tesseract?.End();
    const tesseract = new this.#core.TessBaseAPI();
    if (tesseract.Init(null, wanted, NEURAL_ENGINE) !== 0) throw new Error(`The data for ${wanted} cannot be used.`);
    this.#tesseract = tesseract;
    this.#languages = wanted;
    return tesseract;
  }

  #load(language: Language): void {
    if (this.#loaded.has(language)) return;
    const path = requirePackage.resolve(`@tesseract.js-data/${language}/4.0.0_best_int/${language}.traineddata.gz`);
    this.#core.FS.writeFile(`./${language}.traineddata`, gunzipSync(readFileSync(path)));
    this.#loaded.add(language);
  }
}

type Found = z.output<typeof Found>;

function listLines({ blocks }: Found) {
  return blocks.flatMap(({ paragraphs }) => paragraphs.flatMap(({ lines }) => lines));
}

function toRecognised(found: Found, { width, height }: Raster): Recognised {
  let sideways = 0;
  const pieces = listLines(found).map((line) =>
    line.words.flatMap(({ text, confidence, bbox }): Word[] => {
      const cleaned = cleanWord(text)?.replace(YEN, "¥");
      if (cleaned === undefined) return [];
      const box = {
        x: bbox.x0 / width,
        y: bbox.y0 / height,
        width: (bbox.x1 - bbox.x0) / width,
        height: (bbox.y1 - bbox.y0) / height,
      };
      const isUpright = cleaned.length < 3 || bbox.y1 - bbox.y0 < 1.2 * (bbox.x1 - bbox.x0);
      if (isUpright) return [{ text: cleaned, confidence: Math.min(1, Math.max(0, confidence / 100)), box }];
      sideways += cleaned.length;
      return [];
    }),
  );
  return { ...joinPieces(pieces), isSideways: sideways > countLetters(pieces.flat()) };
}

export function joinPieces(pieces: readonly (readonly Word[])[]): Recognised {
  const words = pieces.flat();
  return { words, pieces, confidence: meanConfidence(words), isSideways: false };
}

export const countLetters = (words: readonly Word[]): number => words.reduce((sum, { text }) => sum + text.length, 0);

/** Weighted by the length of the words. */
export function meanConfidence(words: readonly Word[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  return letters === 0 ? 0 : words.reduce((sum, word) => sum + word.text.length * word.confidence, 0) / letters;
}
