import { crc32, deflateSync } from "node:zlib";

const DEFLATE_LEVEL = 7;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Encodes opaque four-byte pixels as a PNG with a palette: a third of the size of a true-color one. */
export function encodeIndexedPng(pixels: Uint8Array, width: number, height: number, mostColors: number): Uint8Array {
  const { palette, indexes } = indexColors(pixels, mostColors);
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row += 1) {
    rows.set(indexes.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits per pixel, indexed color.
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", palette),
    chunk("IDAT", deflateSync(rows, { level: DEFLATE_LEVEL })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const content = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(content.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(content, 4);
  framed.writeUInt32BE(crc32(content), content.length + 4);
  return framed;
}

/** Colors are distinguished by five bits per channel. */
const BUCKETS = 1 << 15;

/** Keeps the most frequent colors and maps every other one to the nearest of them. Kept colors stay exact. */
function indexColors(pixels: Uint8Array, mostColors: number): { palette: Uint8Array; indexes: Uint8Array } {
  const points = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);
  const counts = new Uint32Array(BUCKETS);
  // The first color of a bucket represents it, since large surfaces have a single color.
  const firsts = new Uint32Array(BUCKETS);
  for (let at = 0; at < points.length; at += 1) {
    const point = points[at] ?? 0;
    const bucket = bucketIndex(point);
    if (counts[bucket] === 0) firsts[bucket] = point;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  const used = [...counts.keys()].filter((bucket) => (counts[bucket] ?? 0) > 0);
  const chosen = used.toSorted((one, other) => (counts[other] ?? 0) - (counts[one] ?? 0)).slice(0, mostColors);
  const colors = chosen.map((bucket) => splitColor(firsts[bucket] ?? 0));
  const nearest = new Uint8Array(BUCKETS);
  for (const bucket of used) nearest[bucket] = findNearest(splitColor(firsts[bucket] ?? 0), colors);
  const indexes = new Uint8Array(points.length);
  for (let at = 0; at < points.length; at += 1) indexes[at] = nearest[bucketIndex(points[at] ?? 0)] ?? 0;
  return { palette: Uint8Array.from(colors.flat()), indexes };
}

/** Pixels are read little-endian, with red in the lowest byte. */
const bucketIndex = (point: number): number =>
  ((point & 0xf8) << 7) | ((point & 0xf800) >>> 6) | ((point & 0xf80000) >>> 19);
const splitColor = (point: number): readonly number[] => [point & 0xff, (point >>> 8) & 0xff, (point >>> 16) & 0xff];

function findNearest(
  [red = 0, green = 0, blue = 0]: readonly number[],
  colors: readonly (readonly number[])[],
): number {
  let [nearest, least] = [0, Number.POSITIVE_INFINITY];
  colors.forEach(([otherRed = 0, otherGreen = 0, otherBlue = 0], index) => {
    const distance = (red - otherRed) ** 2 + (green - otherGreen) ** 2 + (blue - otherBlue) ** 2;
    if (distance < least) [nearest, least] = [index, distance];
  });
  return nearest;
}
