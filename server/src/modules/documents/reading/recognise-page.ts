import type { Box, Language } from "../scan.ts";
import { aroundBoxes } from "./boxes.ts";
import { chooseLanguages, isJapanese } from "./languages.ts";
import type { PageText, Word } from "./page.ts";
import { joinAmounts, toLines } from "./page-words.ts";
import { evenLight, inkRows, letterHeight } from "./prepare-page.ts";
import { crop, frame, type Raster, type Rectangle, scale } from "./raster.ts";
import { countLetters, joinPieces, meanConfidence, type Recognised, type Recognizer } from "./recognizer.ts";
import { findLie, type Lie, type Placement, straighten } from "./straighten.ts";

/** In pixels: letters of this height are recognised best; larger ones only take longer. */
const BEST_LETTER = 30;
const LEAST_SCALE = 0.25;
const MOST_SCALE = 4;
const MOST_RECOGNISED_PIXELS = 7_000_000;
/** Above this a page was read upright and in its own script. */
const SURE = 0.8;
/** By how much a sample must improve for the page to be read again that way. */
const CLEARLY_BETTER = 0.1;
/** A share of the page's height: a few lines. */
const SAMPLE_HEIGHT = 0.15;
const SAMPLE_LINES = 5;
const MOST_SAMPLED_WORDS = 300;

export interface RecognisedPage {
  text: PageText;
  /** Evenly lit and straight; the boxes of `text` are fractions of it. */
  straight: Raster;
  placement: Placement;
}

/**
 * Reads the text of a page's image in any orientation. `writings` are the languages with other letters than English
 * that the page may be in.
 */
export async function recognisePage(
  recognizer: Recognizer,
  given: Raster,
  page: number,
  writings: readonly Language[],
): Promise<RecognisedPage> {
  const best = await findBest(recognizer, given, writings);
  const completed = complete(recognizer, best);
  return {
    text: { page, source: "ocr", lines: toLines(completed.pieces).map(joinAmounts) },
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
  const layout = better.languages.length === 1 ? "page" : "block";
  const recognised = recognizer.recognise(turned.enlarged, better.languages, layout);
  const again = { ...turned, recognised, languages: better.languages };
  return better.languages.length === 1 ? readAgain(recognizer, again) : again;
}

const LEAST_CONFIDENCE = 0.4;
const MOST_ROWS = 60;

/** Adds isolated text, such as amounts far to the right, which layout analysis often misses. */
function complete(recognizer: Recognizer, attempted: Attempt): Recognised {
  const { enlarged, recognised, languages } = attempted;
  const { rest, rows } = findRest(attempted);
  const found = rows.flatMap((row) => {
    const part = crop(rest, row);
    if (part === undefined) return [];
    const layout = row.height > 2.5 * BEST_LETTER ? "block" : "line";
    const { pieces } = recognizer.recognise(frame(part, SAMPLE_MARGIN), languages, layout);
    return pieces.map((words) =>
      words
        .filter(({ confidence }) => confidence >= LEAST_CONFIDENCE)
        .map((word) => ({ ...word, box: boxOnPage(word.box, row, enlarged) })),
    );
  });
  return joinPieces([...recognised.pieces, ...found.filter((words) => words.length > 0)]);
}

/** Converts a box from fractions of a framed part of the page. */
function boxOnPage({ x, y, width, height }: Box, part: Rectangle, page: Raster): Box {
  const framed = { width: part.width + 2 * SAMPLE_MARGIN, height: part.height + 2 * SAMPLE_MARGIN };
  return {
    x: (x * framed.width - SAMPLE_MARGIN + part.left) / page.width,
    y: (y * framed.height - SAMPLE_MARGIN + part.top) / page.height,
    width: (width * framed.width) / page.width,
    height: (height * framed.height) / page.height,
  };
}

function whiten({ data, width, height }: Raster, box: Box): void {
  const margin = 2;
  const left = Math.max(0, Math.floor(box.x * width) - margin);
  const right = Math.min(width, Math.ceil((box.x + box.width) * width) + margin);
  const bottom = Math.min(height, Math.ceil((box.y + box.height) * height) + margin);
  for (let y = Math.max(0, Math.floor(box.y * height) - margin); y < bottom; y += 1) {
    data.fill(255, y * width + left, y * width + right);
  }
}

/** In its own language, and line by line if text was missed: layout analysis, used to find the orientation, loses isolated text. */
function readAgain(recognizer: Recognizer, attempted: Attempt): Attempt {
  const { enlarged, recognised } = attempted;
  const languages = chooseLanguages(recognised);
  if (languages.length === 1 && findRest(attempted).rows.length === 0) return attempted;
  const again = recognizer.recognise(enlarged, languages, "block");
  return isAsGood(again, recognised) ? { ...attempted, recognised: again, languages } : attempted;
}

const isAsGood = (one: Recognised, other: Recognised): boolean =>
  one.confidence > other.confidence - CLEARLY_BETTER && countLetters(one.words) >= 0.9 * countLetters(other.words);

/** The unrecognised parts of a page, in bands. */
function findRest({ enlarged, recognised }: Pick<Attempt, "enlarged" | "recognised">): {
  rest: Raster;
  rows: Rectangle[];
} {
  const rest = { ...enlarged, data: enlarged.data.slice() };
  for (const { box } of recognised.words) whiten(rest, box);
  return { rest, rows: inkRows(rest, 0.5 * BEST_LETTER).slice(0, MOST_ROWS) };
}

interface Way {
  isTurned: boolean;
  languages: readonly Language[];
}

/** Whether a few lines of the page read better upside down, or in another script; `undefined` if they do not. */
function tryOnSample(
  recognizer: Recognizer,
  { enlarged, recognised }: Attempt,
  writings: readonly Language[],
): Way | undefined {
  const telling = recognised.words.filter(({ text }) => text.length <= LONGEST_WORD && !FILLED.test(text));
  const words = densestWords(telling.length === 0 ? recognised.words : telling);
  const box = aroundBoxes(words.map((word) => word.box));
  const sample = box === undefined ? undefined : crop(enlarged, margined(box, enlarged));
  if (sample === undefined) return undefined;
  const ways = [true, false].flatMap((isTurned) =>
    [["eng" as const], ...writings.map((writing) => [writing, "eng"] as const)]
      .filter(([writing]) => isTurned || writing !== "eng")
      .map((languages) => ({ isTurned, languages })),
  );
  const tried = ways.map((way) => {
    const image = frame(way.isTurned ? upsideDown(sample) : sample, SAMPLE_MARGIN);
    const found = recognizer.recognise(image, way.languages, "block");
    const isEnglish = way.languages[0] === "eng";
    // Whole words in another script are no coincidence, while figures read equally well without it.
    const bonus = isEnglish ? 0 : isJapanese(found) ? WRITING_BONUS : -1;
    return { ...way, worth: found.confidence + bonus };
  });
  const [best] = tried.toSorted((one, other) => other.worth - one.worth);
  return best !== undefined && best.worth > meanConfidence(words) + CLEARLY_BETTER ? best : undefined;
}

/** From a machine-readable zone, whose fillers look the same upside down. */
const FILLED = /[<>«»‹›]{4}|[cCLKk<]{8}/u;
const SAMPLE_MARGIN = 16;
/** A longer word is a row of signs, such as of a machine-readable zone, which reads equally well either way. */
const LONGEST_WORD = 20;
const WRITING_BONUS = 0.15;

/** The words of the few lines with the most letters. */
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
    left: x * page.width - margin,
    top: y * page.height - margin,
    width: width * page.width + 2 * margin,
    height: height * page.height + 2 * margin,
  };
}

const upsideDown = ({ data, width, height }: Raster): Raster => ({ data: data.toReversed(), width, height });

interface Attempt {
  recognised: Recognised;
  languages: readonly Language[];
  straight: Raster;
  enlarged: Raster;
  placement: Placement;
}

type Prepared = Omit<Attempt, "recognised" | "languages">;

async function attempt(recognizer: Recognizer, given: Raster, { quarterTurns, tilt }: Lie): Promise<Attempt> {
  const prepared = await straightenFor(given, quarterTurns, tilt);
  return { ...prepared, recognised: recognizer.recognise(prepared.enlarged, ["eng"], "page"), languages: ["eng"] };
}

async function straightenFor(given: Raster, quarterTurns: number, tilt: number): Promise<Prepared> {
  const { raster, placement } = await straighten(given, quarterTurns, tilt);
  const straight = evenLight(raster);
  return { straight, enlarged: await scale(straight, chooseScale(straight)), placement };
}

function chooseScale(raster: Raster): number {
  const wanted = BEST_LETTER / (letterHeight(raster) ?? BEST_LETTER);
  const affordable = Math.sqrt(MOST_RECOGNISED_PIXELS / (raster.width * raster.height));
  const factor = Math.min(affordable, Math.max(LEAST_SCALE, Math.min(MOST_SCALE, wanted)));
  // A small scaling gains nothing, and each one blurs.
  return Math.abs(factor - 1) < 0.1 && affordable >= 1 ? 1 : factor;
}
