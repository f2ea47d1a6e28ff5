import { chooseLanguages } from "./languages.ts";
import type { PageText } from "./page.ts";
import { toLines } from "./page-words.ts";
import { evenLight, letterHeight } from "./prepare-page.ts";
import { type Raster, scale } from "./raster.ts";
import type { Recognised, Recognizer } from "./recognizer.ts";
import { findLie, type Placement, straighten } from "./straighten.ts";

/** In pixels: letters of this height are recognised best, and larger ones take longer for nothing. */
const BEST_LETTER = 23;
const LEAST_SCALE = 0.25;
const MOST_SCALE = 4;
const MOST_RECOGNISED_PIXELS = 7_000_000;
/** Below this a page is seldom read the right way up. */
const UNSURE = 0.7;

export interface RecognisedPage {
  text: PageText;
  /** Evenly lit and straight; the boxes of `text` are fractions of it. */
  straight: Raster;
  placement: Placement;
}

/** Reads the text of an image of a page, however it lies. */
export async function recognisePage(recognizer: Recognizer, given: Raster, page: number): Promise<RecognisedPage> {
  const lie = await findLie(given);
  let best = await attempt(recognizer, given, lie.quarterTurns, lie.tilt);
  if (best.recognised.confidence < UNSURE || best.recognised.words.length === 0) {
    // Upside down, or the other way round where columns looked like lines.
    for (const quarterTurns of [lie.quarterTurns + 2, lie.quarterTurns + 1, lie.quarterTurns + 3]) {
      const other = await attempt(
        recognizer,
        given,
        quarterTurns,
        quarterTurns % 2 === lie.quarterTurns ? lie.tilt : 0,
      );
      if (worth(other.recognised) > worth(best.recognised)) best = other;
      if (best.recognised.confidence >= UNSURE) break;
    }
  }
  const recognised = chooseLanguages(recognizer, best.enlarged, best.recognised);
  return {
    text: { page, source: "ocr", lines: toLines(recognised.words) },
    straight: best.straight,
    placement: best.placement,
  };
}

const worth = ({ words, confidence }: Recognised): number =>
  confidence ** 3 * Math.sqrt(words.reduce((sum, { text }) => sum + text.length, 0));

interface Attempt {
  recognised: Recognised;
  straight: Raster;
  enlarged: Raster;
  placement: Placement;
}

async function attempt(recognizer: Recognizer, given: Raster, quarterTurns: number, tilt: number): Promise<Attempt> {
  const { raster, placement } = await straighten(given, quarterTurns, tilt);
  const straight = evenLight(raster);
  const enlarged = await scale(straight, scaleOf(straight));
  return { recognised: recognizer.recognise(enlarged, ["eng"], "page"), straight, enlarged, placement };
}

function scaleOf(raster: Raster): number {
  const wanted = BEST_LETTER / (letterHeight(raster) ?? BEST_LETTER);
  const affordable = Math.sqrt(MOST_RECOGNISED_PIXELS / (raster.width * raster.height));
  const factor = Math.min(affordable, Math.max(LEAST_SCALE, Math.min(MOST_SCALE, wanted)));
  // Nothing is gained by little, and each scaling blurs.
  return Math.abs(factor - 1) < 0.1 && affordable >= 1 ? 1 : factor;
}
