import sharp from "sharp";
import { type Random, seededRandom } from "./random.ts";

interface Spoiling {
  /** The least and the most degrees by which the page is turned, to either side. */
  tilt: readonly [number, number];
  /** How far a corner may be from its place, as a share of the width. */
  skew: number;
  /** Pixels for a pixel. */
  resolution: number;
  /** Sigma in pixels. */
  blur: number;
  /** Standard deviation in levels of 255. */
  noise: number;
  /** Light that is lost in the darkest corner. */
  shadow: number;
  /** Light that is lost everywhere. */
  dim: number;
  /** The visible part of the table, as a share of the width. */
  margin: number;
  jpegQuality: number;
}

/** From a good scanner to a careless photo. */
const LEVELS = {
  scan: {
    tilt: [0, 0.8],
    skew: 0,
    resolution: 1,
    blur: 0.3,
    noise: 3,
    shadow: 0,
    dim: 0.03,
    margin: 0,
    jpegQuality: 88,
  },
  photo: {
    tilt: [0.5, 2.5],
    skew: 0.012,
    resolution: 1,
    blur: 0.8,
    noise: 7,
    shadow: 0.25,
    dim: 0.08,
    margin: 0.05,
    jpegQuality: 72,
  },
  dim: {
    tilt: [0, 1.5],
    skew: 0.006,
    resolution: 1,
    blur: 0.6,
    noise: 9,
    shadow: 0.4,
    dim: 0.22,
    margin: 0.04,
    jpegQuality: 70,
  },
  low: {
    tilt: [0, 1.5],
    skew: 0.004,
    resolution: 0.62,
    blur: 0.4,
    noise: 4,
    shadow: 0.12,
    dim: 0.05,
    margin: 0.03,
    jpegQuality: 66,
  },
  tilted: {
    tilt: [4, 10],
    skew: 0.008,
    resolution: 1,
    blur: 0.6,
    noise: 5,
    shadow: 0.15,
    dim: 0.05,
    margin: 0.08,
    jpegQuality: 75,
  },
} as const satisfies Readonly<Record<string, Spoiling>>;
export type SpoilLevel = keyof typeof LEVELS;

const TABLES = [
  [92, 74, 60],
  [58, 62, 68],
  [140, 126, 110],
] as const;

type Point = readonly [number, number];
interface Pixels {
  data: Uint8Array;
  width: number;
  height: number;
}

/** The image as a camera would have it, as JPEG. The same for the same seed. */
export async function spoilImage(image: Buffer, level: SpoilLevel, seed: number): Promise<Buffer> {
  const random = seededRandom(seed + 50_000);
  const spoiling: Spoiling = LEVELS[level];
  const { width = 0 } = await sharp(image).metadata();
  const resized = sharp(image)
    .flatten({ background: "#ffffff" })
    .resize({ width: Math.round(width * spoiling.resolution) });
  const { data, info } = await resized.blur(spoiling.blur).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const photo = photograph({ data, width: info.width, height: info.height }, spoiling, random);
  return await sharp(photo.data, { raw: { width: photo.width, height: photo.height, channels: 3 } })
    .jpeg({ quality: spoiling.jpegQuality })
    .toBuffer();
}

function photograph(page: Pixels, spoiling: Spoiling, random: Random): Pixels {
  const corners = placeCorners(page, spoiling, random);
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  const margin = page.width * spoiling.margin;
  const [left, top] = [Math.min(...xs) - margin, Math.min(...ys) - margin];
  const width = Math.round(Math.max(...xs) + margin - left);
  const height = Math.round(Math.max(...ys) + margin - top);
  const moved = corners.map(([x, y]): Point => [x - left, y - top]);
  const find = invertProjection(page, moved);
  const light = createLight(width, height, spoiling, random);
  // A scanner has a white lid, a camera sees the table.
  const [red, green, blue] = margin === 0 ? [250, 250, 250] : random.pick(TABLES);
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [sourceX, sourceY] = find(x + 0.5, y + 0.5);
      const noise = (random.fraction() + random.fraction() + random.fraction() - 1.5) * 2 * spoiling.noise;
      const at = (y * width + x) * 3;
      const strength = light(x, y);
      for (let channel = 0; channel < 3; channel += 1) {
        const table = channel === 0 ? red : channel === 1 ? green : blue;
        const level = sample(page, sourceX - 0.5, sourceY - 0.5, channel) ?? table;
        data[at + channel] = Math.max(0, Math.min(255, level * strength + noise));
      }
    }
  }
  return { data, width, height };
}

/** Where the corners come to lie: top left, top right, bottom right, bottom left. */
function placeCorners({ width, height }: Pixels, { tilt, skew }: Spoiling, random: Random): Point[] {
  const [least, most] = tilt;
  const degrees = (least + (most - least) * random.fraction()) * (random.chance(0.5) ? 1 : -1);
  const [sine, cosine] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  const shift = () => (random.fraction() * 2 - 1) * skew * width;
  return [
    [0, 0],
    [width, 0],
    [width, height],
    [0, height],
  ].map(([cornerX = 0, cornerY = 0]): Point => {
    const [x, y] = [cornerX - width / 2, cornerY - height / 2];
    return [x * cosine - y * sine + shift(), x * sine + y * cosine + shift()];
  });
}

/** From a point of the photo to the point of the page: the projection that takes the page to the four corners, inverted. */
function invertProjection({ width, height }: Pixels, corners: readonly Point[]): (x: number, y: number) => Point {
  const [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = requireFour(corners);
  const [sumX, sumY] = [x0 - x1 + x2 - x3, y0 - y1 + y2 - y3];
  const [dx1, dx2, dy1, dy2] = [x1 - x2, x3 - x2, y1 - y2, y3 - y2];
  const area = dx1 * dy2 - dx2 * dy1;
  const g = (sumX * dy2 - dx2 * sumY) / area;
  const h = (dx1 * sumY - sumX * dy1) / area;
  const [a, b, c] = [x1 - x0 + g * x1, x3 - x0 + h * x3, x0];
  const [d, e, f] = [y1 - y0 + g * y1, y3 - y0 + h * y3, y0];
  return (x, y) => {
    const u = (e - f * h) * x + (c * h - b) * y + (b * f - c * e);
    const v = (f * g - d) * x + (a - c * g) * y + (c * d - a * f);
    const w = (d * h - e * g) * x + (b * g - a * h) * y + (a * e - b * d);
    return [(u / w) * width, (v / w) * height];
  };
}

function requireFour(corners: readonly Point[]): readonly [Point, Point, Point, Point] {
  const [first, second, third, fourth] = corners;
  if (first === undefined || second === undefined || third === undefined || fourth === undefined) {
    throw new Error("A page has four corners.");
  }
  return [first, second, third, fourth];
}

/** Between the four pixels around; undefined beside the page. */
function sample({ data, width, height }: Pixels, x: number, y: number, channel: number): number | undefined {
  const [column, row] = [Math.floor(x), Math.floor(y)];
  if (column < 0 || row < 0 || column >= width - 1 || row >= height - 1) return;
  const at = (row * width + column) * 3 + channel;
  const [right, down] = [x - column, y - row];
  const above = (data[at] ?? 0) * (1 - right) + (data[at + 3] ?? 0) * right;
  const below = (data[at + width * 3] ?? 0) * (1 - right) + (data[at + width * 3 + 3] ?? 0) * right;
  return above * (1 - down) + below * down;
}

/** A soft shadow that falls from one side. */
function createLight(width: number, height: number, { shadow, dim }: Spoiling, random: Random) {
  const angle = random.fraction() * 2 * Math.PI;
  const [across, along] = [Math.cos(angle) / width, Math.sin(angle) / height];
  const edge = random.fraction() * 0.4 - 0.2;
  return (x: number, y: number): number => {
    const depth = (x - width / 2) * across + (y - height / 2) * along - edge;
    const share = Math.max(0, Math.min(1, depth / 0.6 + 0.5));
    return (1 - dim) * (1 - shadow * share * share * (3 - 2 * share));
  };
}
