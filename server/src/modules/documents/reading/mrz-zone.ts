import type { Box } from "../scan.ts";
import { aroundBoxes } from "./boxes.ts";
import type { MrzLines, PageText, Word } from "./page.ts";
import { toLines } from "./page-words.ts";
import { crop, frame, type Raster, scale, turn } from "./raster.ts";
import type { Recognizer } from "./recognizer.ts";
import { findLie } from "./straighten.ts";
import { cutZoneLines, type Span } from "./zone-lines.ts";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const CHARACTERS = `${LETTERS}<`;
/** Characters per line and lines per zone: passports, visas and cards of two lines, cards of three. */
const FORMS = [
  { length: 44, lines: 2 },
  { length: 36, lines: 2 },
  { length: 30, lines: 3 },
] as const;
/** A line may be read with additional or missing characters. */
const SHORTEST = 20;
const MOST_CANDIDATES = 16;
/** In pixels: the letter height of a zone for recognition. */
const LETTER_HEIGHT = 36;
/** Thresholds of ink on white paper: faint print needs a higher one, blurred print a lower one. */
const INKS = [150, 190, 110];
const MARGIN = 24;
const CREDIBLE = 0.6;
/** Thresholds that read fillers as letters are tried last. */
const TEXT_PENALTY = 0.4;
/** In letter heights: an additional line above or below may belong to the zone. */
const BAND_MARGIN = 3.5;

/** A band of the page that may hold a zone, with the height of its letters, both in fractions of the page. */
interface Band {
  box: Box;
  letter: number | undefined;
}

/** In line heights: a slight tilt extends above and below the lines. */
const TIGHT_MARGIN = 0.15;

/** The lowest part of the page, where zones are. */
const FOOT: Band = { box: { x: 0, y: 0.6, width: 1, height: 0.4 }, letter: undefined };

/**
 * Candidates for the lines of a machine-readable zone, best first: bands that `text` suggests are cut out of the page
 * and recognised again at several sizes, restricted to the zone's characters. Boxes are fractions of the page.
 */
export async function findMrz(recognizer: Recognizer, straight: Raster, text: PageText): Promise<MrzLines[]> {
  const found = new Map<string, MrzLines & { score: number }>();
  for (const band of [...findBands(text), FOOT]) {
    // Only if no other band was a zone.
    if (band === FOOT && [...found.values()].some(({ confidence }) => confidence > CREDIBLE)) continue;
    const image = await cutBand(straight, band);
    if (image === undefined) continue;
    const readings = [...INKS.map((ink) => readByCells(recognizer, image, ink)), readAsText(recognizer, image)];
    for (const [index, zone] of readings.flatMap((reading, at) =>
      findZones(reading).map((one) => [at, one] as const),
    )) {
      const key = zone.lines.join("\n");
      const known = found.get(key);
      // A reading that repeats is more likely.
      const own = zone.score - (index < INKS.length ? 0 : TEXT_PENALTY);
      const score = Math.max(own, known?.score ?? 0) + (known === undefined ? 0 : 0.05);
      const box = band === FOOT ? tightBox(band.box, zone.rows, image.height) : band.box;
      found.set(key, { ...zone, page: text.page, box, score });
    }
  }
  return [...found.values()]
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MOST_CANDIDATES)
    .map(({ lines, confidence, page, box }) => ({ lines, confidence, page, box }));
}

/**
 * In a band chosen without evidence, only the area of its lines: dates are also printed at the foot of a page, and
 * everything within the box counts as the zone.
 */
function tightBox(box: Box, rows: Span | undefined, height: number): Box {
  if (rows === undefined) return box;
  const margin = TIGHT_MARGIN * (rows.to - rows.from);
  const from = Math.max(0, rows.from - margin) / height;
  const to = Math.min(height, rows.to + margin) / height;
  return { ...box, y: box.y + from * box.height, height: (to - from) * box.height };
}

/** The zones that a text has as its own lines. */
export function mrzOfText({ page, lines }: PageText): MrzLines[] {
  const long = lines.filter(({ words }) => /^[A-Z0-9<]{20,}$/.test(words.map(({ text }) => text).join("")));
  const box = aroundBoxes(long.flatMap(({ words }) => words.map((word) => word.box))) ?? FOOT.box;
  return findZones(long.map(({ words }) => toZoneLine(words)))
    .toSorted((one, other) => other.score - one.score)
    .map((zone) => ({ lines: zone.lines, confidence: zone.confidence, page, box }));
}

/** Characters that general recognition reads in zones, above all for fillers. */
const ZONE_TEXT = /^[A-Z0-9<«‹‐–—_\-({[KCcLlEeSs£€&*.,:;'"/\\|]+$/;
const FILLERS = /[<«‹]/g;

function findBands({ lines }: PageText): Band[] {
  const bands: { words: Word[]; bottom: number }[] = [];
  for (const { words } of lines) {
    const long = words.filter(({ text }) => text.length >= 5 || FILLERS.test(text));
    const joined = words.map(({ text }) => text).join("");
    if (joined.length < SHORTEST || !isLikeZone(joined)) continue;
    const box = aroundBoxes(long.map((word) => word.box)) ?? aroundBoxes(words.map((word) => word.box));
    if (box === undefined) continue;
    const last = bands.at(-1);
    const isNext = last !== undefined && box.y - last.bottom < 2 * box.height;
    if (isNext) {
      last.words.push(...words);
      last.bottom = box.y + box.height;
    } else bands.push({ words: [...words], bottom: box.y + box.height });
  }
  return bands.map(({ words }) => toBand(words));
}

function isLikeZone(text: string): boolean {
  const fillers = text.match(FILLERS)?.length ?? 0;
  const ordinary = Array.from(text).filter((character) => !ZONE_TEXT.test(character)).length;
  const digits = text.match(/\d/g)?.length ?? 0;
  return ordinary <= 0.12 * text.length && (fillers >= 3 || digits >= 10 || /[KCL<]{6}/.test(text));
}

function toBand(words: readonly Word[]): Band {
  const heights = words.map(({ box }) => box.height).toSorted((one, other) => one - other);
  const letter = heights[Math.floor(heights.length / 2)] ?? 0.02;
  const { x, y, width, height } = aroundBoxes(words.map(({ box }) => box)) ?? FOOT.box;
  const left = Math.max(0, x - 0.03);
  const top = Math.max(0, y - BAND_MARGIN * letter);
  return {
    box: {
      x: left,
      y: top,
      width: Math.min(1, x + width + 0.03) - left,
      height: Math.min(1, y + height + BAND_MARGIN * letter) - top,
    },
    letter,
  };
}

async function cutBand(straight: Raster, { box, letter }: Band): Promise<Raster | undefined> {
  const { width, height } = straight;
  const cut = crop(straight, {
    left: box.x * width,
    top: box.y * height,
    width: box.width * width,
    height: box.height * height,
  });
  if (cut === undefined) return undefined;
  const factor = letter === undefined ? 1 : Math.min(5, Math.max(0.25, LETTER_HEIGHT / (letter * height)));
  const scaled = await scale(cut, factor);
  // A photo may be tilted more at its foot than elsewhere.
  const { quarterTurns, tilt } = await findLie(scaled);
  return quarterTurns === 0 && Math.abs(tilt) < MOST_REMAINING_TILT ? turn(scaled, tilt) : scaled;
}

const MOST_REMAINING_TILT = 3;

/** Recognises fillers by their shape, and the other characters by recognition. */
function readByCells(recognizer: Recognizer, image: Raster, ink: number): ZoneLine[] {
  return cutZoneLines(image, ink).map(({ letters, cells, pitch, rows }) => {
    const found = recognizer.recogniseCharacters(frame(letters, MARGIN), LETTERS);
    const read = cells.map(({ left, right, isFiller }) => {
      if (isFiller) return { text: "<", confidence: 0.97 };
      const middle = (left + right) / 2 + MARGIN;
      const [nearest] = found.toSorted((one, other) => distance(one, middle) - distance(other, middle));
      const isThere = nearest !== undefined && distance(nearest, middle) < pitch / 2;
      // An unrecognised character must not be guessed.
      return isThere ? nearest : { text: "<", confidence: 0 };
    });
    return {
      rows,
      text: read.map(({ text }) => text).join(""),
      confidence: read.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, read.length),
    };
  });
}

const distance = ({ left, right }: { left: number; right: number }, to: number): number =>
  Math.abs((left + right) / 2 - to);

function readAsText(recognizer: Recognizer, image: Raster): ZoneLine[] {
  const { pieces } = recognizer.recognise(frame(image, MARGIN), ["eng"], "block", CHARACTERS);
  const row = (at: number) => at * (image.height + 2 * MARGIN) - MARGIN;
  return toLines(pieces).map(({ words }) => {
    const { y = 0, height = 1 } = aroundBoxes(words.map(({ box }) => box)) ?? {};
    return { ...toZoneLine(words), rows: { from: row(y), to: row(y + height) } };
  });
}

interface ZoneLine {
  text: string;
  confidence: number;
  /** In pixels of the band's image. */
  rows?: Span;
}

const toZoneLine = (words: readonly Word[]): ZoneLine => ({
  text: words.map(({ text }) => text).join(""),
  confidence: words.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, words.length),
});

/** Every grouping of successive lines into a zone. */
function findZones(
  lines: readonly ZoneLine[],
): { lines: string[]; rows: Span | undefined; confidence: number; score: number }[] {
  const long = lines.filter(({ text }) => text.length >= SHORTEST);
  return FORMS.flatMap(({ length, lines: count }) =>
    long.slice(0, Math.max(0, long.length - count + 1)).flatMap((_, from) => {
      const chosen = long.slice(from, from + count);
      const off = chosen.reduce((sum, { text }) => sum + Math.abs(text.length - length), 0);
      if (off > 3 * count) return [];
      const confidence = Math.min(...chosen.map((line) => line.confidence));
      const found = chosen.flatMap(({ rows }) => rows ?? []);
      const rows =
        found.length === 0
          ? undefined
          : { from: Math.min(...found.map(({ from: first }) => first)), to: Math.max(...found.map(({ to }) => to)) };
      return [{ lines: chosen.map(({ text }) => text), rows, confidence, score: confidence - 0.06 * off }];
    }),
  );
}
