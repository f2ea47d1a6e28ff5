import type { Box } from "../scan.ts";
import { aroundBoxes } from "./boxes.ts";
import { chooseLanguage, isJapanese } from "./languages.ts";
import type { PageText, Word } from "./page.ts";
import { toLines } from "./page-words.ts";
import { evenLight, letterHeight } from "./prepare-page.ts";
import { crop, frame, type Raster, scale } from "./raster.ts";
import { type Language, meanConfidence, type Recognised, type Recognizer } from "./recognizer.ts";
import { findLie, type Lie, type Placement, straighten } from "./straighten.ts";

/** In pixels: letters of this height are recognised best, and larger ones take longer for nothing. */
const BEST_LETTER = 23;
const LEAST_SCALE = 0.25;
const MOST_SCALE = 4;
const MOST_RECOGNISED_PIXELS = 7_000_000;
/** Above this a page was read the right way up and in its own writing. */
const SURE = 0.8;
/** How much better a sample must be read for the page to be read again like that. */
const CLEARLY_BETTER = 0.1;
/** Of the page's height: a few lines. */
const SAMPLE_HEIGHT = 0.15;
const SAMPLE_LINES = 2.5;
const MOST_SAMPLED_WORDS = 300;

export interface RecognisedPage {
  text: PageText;
  /** Evenly lit and straight; the boxes of `text` are fractions of it. */
  straight: Raster;
  placement: Placement;
}

/**
 * Reads the text of an image of a page, however it lies. `writings` are the languages, beside English and what is written with its
 * letters, that the page may be in.
 */
export async function recognisePage(
  recognizer: Recognizer,
  given: Raster,
  page: number,
  writings: readonly Language[],
): Promise<RecognisedPage> {
  const best = await findBest(recognizer, given, writings);
  return {
    text: { page, source: "ocr", lines: toLines(best.recognised.words) },
    straight: best.straight,
    placement: best.placement,
  };
}

async function findBest(recognizer: Recognizer, given: Raster, writings: readonly Language[]): Promise<Attempt> {
  const seen = await findLie(given);
  const tried = await attempt(recognizer, given, seen);
  const other = seen.quarterTurns === 0 ? 1 : 0;
  const lie = tried.recognised.isSideways ? await findLie(given, other) : seen;
  const first = lie === seen ? tried : await attempt(recognizer, given, lie);
  const { confidence, words } = first.recognised;
  if (confidence >= SURE) return readAgain(recognizer, first);
  const better = words.length === 0 ? undefined : tryOnSample(recognizer, first, writings);
  if (better === undefined) return readAgain(recognizer, first);
  const turned = better.isTurned ? await straightenFor(given, lie.quarterTurns + 2, lie.tilt) : first;
  const recognised = recognizer.recognise(turned.enlarged, better.languages, "page");
  const again = { ...turned, recognised };
  return better.languages[0] === "eng" ? readAgain(recognizer, again) : again;
}

/** In its own language. */
function readAgain(recognizer: Recognizer, attempted: Attempt): Attempt {
  return { ...attempted, recognised: chooseLanguage(recognizer, attempted.enlarged, attempted.recognised) };
}

interface Way {
  isTurned: boolean;
  languages: readonly Language[];
}

/** Whether a few lines of the page are read better upside down, or in another writing; `undefined` when they are not. */
function tryOnSample(
  recognizer: Recognizer,
  { enlarged, recognised }: Attempt,
  writings: readonly Language[],
): Way | undefined {
  const words = densestWords(recognised.words);
  const box = aroundBoxes(words.map((word) => word.box));
  const sample = box === undefined ? undefined : crop(enlarged, margined(box, enlarged));
  if (sample === undefined) return undefined;
  const ways = [true, false].flatMap((isTurned) =>
    [["eng"] as const, ...writings.map((writing) => [writing, "eng"] as const)]
      .filter(([writing]) => isTurned || writing !== "eng")
      .map((languages) => ({ isTurned, languages })),
  );
  const tried = ways.map((way) => {
    const image = frame(way.isTurned ? upsideDown(sample) : sample, SAMPLE_MARGIN);
    const found = recognizer.recognise(image, way.languages, "block");
    const isEnglish = way.languages[0] === "eng";
    // Whole words of another writing are no chance, and figures are read as well without it.
    const bonus = isEnglish ? 0 : isJapanese(found) ? WRITING_BONUS : -1;
    return { ...way, worth: found.confidence + bonus };
  });
  const [best] = tried.toSorted((one, other) => other.worth - one.worth);
  return best !== undefined && best.worth > meanConfidence(words) + CLEARLY_BETTER ? best : undefined;
}

const SAMPLE_MARGIN = 16;
const WRITING_BONUS = 0.15;

/** Those of a few lines that have the most letters. */
function densestWords(words: readonly Word[]): Word[] {
  const height = Math.max(SAMPLE_HEIGHT, SAMPLE_LINES * Math.max(...words.map(({ box }) => box.height)));
  const isWithin = ({ box }: Word, top: number) => box.y >= top && box.y + box.height <= top + height;
  const lettersFrom = (top: number) =>
    words.reduce((sum, word) => (isWithin(word, top) ? sum + word.text.length : sum), 0);
  const tops = words.slice(0, MOST_SAMPLED_WORDS).map(({ box }) => box.y);
  const [top = 0] = tops.toSorted((one, other) => lettersFrom(other) - lettersFrom(one));
  return words.filter((word) => isWithin(word, top));
}

function margined({ x, y, width, height }: Box, page: Raster) {
  const margin = 0.3 * BEST_LETTER;
  return {
    ...{ left: x * page.width - margin, top: y * page.height - margin },
    ...{ width: width * page.width + 2 * margin, height: height * page.height + 2 * margin },
  };
}

const upsideDown = ({ data, width, height }: Raster): Raster => ({ data: data.toReversed(), width, height });

interface Attempt {
  recognised: Recognised;
  straight: Raster;
  enlarged: Raster;
  placement: Placement;
}

type Prepared = Omit<Attempt, "recognised">;

async function attempt(recognizer: Recognizer, given: Raster, { quarterTurns, tilt }: Lie): Promise<Attempt> {
  const prepared = await straightenFor(given, quarterTurns, tilt);
  return { ...prepared, recognised: recognizer.recognise(prepared.enlarged, ["eng"], "page") };
}

async function straightenFor(given: Raster, quarterTurns: number, tilt: number): Promise<Prepared> {
  const { raster, placement } = await straighten(given, quarterTurns, tilt);
  const straight = evenLight(raster);
  return { straight, enlarged: await scale(straight, scaleOf(straight)), placement };
}

function scaleOf(raster: Raster): number {
  const wanted = BEST_LETTER / (letterHeight(raster) ?? BEST_LETTER);
  const affordable = Math.sqrt(MOST_RECOGNISED_PIXELS / (raster.width * raster.height));
  const factor = Math.min(affordable, Math.max(LEAST_SCALE, Math.min(MOST_SCALE, wanted)));
  // Nothing is gained by little, and each scaling blurs.
  return Math.abs(factor - 1) < 0.1 && affordable >= 1 ? 1 : factor;
}
