import sharp, { type Sharp } from "sharp";
import { DocumentRefused } from "../document-scanner.ts";

/** A page in grey: one byte per pixel, 0 is black, row by row. */
export interface Raster {
  data: Uint8Array;
  width: number;
  height: number;
}

/** The maximum of a page. Decoding needs six bytes per pixel. */
const MOST_PIXELS = 50_000_000;
/** Enough to read a page; every later step takes longer with each pixel. */
const MOST_KEPT_PIXELS = 12_000_000;

// Allows only these loaders of libvips: no other decoder ever sees a document, whatever type it claims.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: [
    ...[
      "VipsForeignLoadPngBuffer",
      "VipsForeignLoadJpegBuffer",
      "VipsForeignLoadWebpBuffer",
      "VipsForeignLoadTiffBuffer",
    ],
  ],
});
sharp.cache(false);
sharp.concurrency(1);

export interface OpenedImage {
  raster: Raster;
  /** Pages or frames of the file. Only the first one is read. */
  pageCount: number;
}

/** Throws `DocumentRefused` if the image is too large or cannot be decoded to its last row. */
export async function openImage(bytes: Uint8Array): Promise<OpenedImage> {
  const options = { limitInputPixels: MOST_PIXELS, failOn: "error", sequentialRead: true } as const;
  const {
    width,
    height,
    pages = 1,
  } = await decode(() => sharp(bytes, { ...options, limitInputPixels: false }).metadata());
  refuseTooLarge(width, height);
  const image = sharp(bytes, { ...options, page: 0, pages: 1 })
    .autoOrient()
    .flatten({ background: "white" });
  return { raster: await decode(() => toRaster(image.resize(keptSize(width, height)))), pageCount: pages };
}

/** Wraps the pixels of another decoder. */
export function openPixels(pixels: Uint8Array, width: number, height: number): Promise<Raster> {
  const image = sharp(pixels, { raw: { width, height, channels: 4 }, limitInputPixels: MOST_PIXELS });
  return decode(() => toRaster(image.flatten({ background: "white" }).resize(keptSize(width, height))));
}

export function refuseTooLarge(width: number, height: number): void {
  if (width * height <= MOST_PIXELS) return;
  throw new DocumentRefused(
    "document_too_large",
    `The image has ${width} × ${height} pixels; at most ${MOST_PIXELS / 1_000_000} million are read. Send it smaller: 2,000 pixels across the page are enough.`,
  );
}

/** Bounds both sides, as it is not yet known whether the image will be turned. */
function keptSize(width: number, height: number) {
  const scale = Math.min(1, Math.sqrt(MOST_KEPT_PIXELS / (width * height)));
  const side = Math.max(1, Math.round(Math.max(width, height) * scale));
  return { width: side, height: side, fit: "inside", withoutEnlargement: true } as const;
}

async function decode<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DocumentRefused) throw error;
    // Messages of libvips may quote the file.
    throw new DocumentRefused(
      "document_damaged",
      "The image cannot be decoded. Send it again, or save it in another format.",
    );
  }
}

async function toRaster(image: Sharp): Promise<Raster> {
  const { data, info } = await image
    .greyscale()
    .toColourspace("b-w")
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  return { data: firstChannel(data, info.channels), width: info.width, height: info.height };
}

/** libvips may keep an alpha channel beside the grey. */
function firstChannel(data: Uint8Array, channels: number): Uint8Array {
  if (channels === 1) return data;
  const grey = new Uint8Array(data.length / channels);
  for (let at = 0; at < grey.length; at += 1) grey[at] = data[at * channels] ?? 0;
  return grey;
}

const toSharp = ({ data, width, height }: Raster): Sharp =>
  sharp(data, { raw: { width, height, channels: 1 }, limitInputPixels: false });

export interface Rectangle {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A part of the page, or `undefined` if it is outside the page. */
export function crop(raster: Raster, part: Rectangle): Raster | undefined {
  const left = Math.max(0, Math.round(part.left));
  const top = Math.max(0, Math.round(part.top));
  const width = Math.min(raster.width, Math.round(part.left + part.width)) - left;
  const height = Math.min(raster.height, Math.round(part.top + part.height)) - top;
  if (width < 1 || height < 1) return undefined;
  const data = new Uint8Array(width * height);
  for (let row = 0; row < height; row += 1) {
    const from = (top + row) * raster.width + left;
    data.set(raster.data.subarray(from, from + width), row * width);
  }
  return { data, width, height };
}

export async function scale(raster: Raster, factor: number): Promise<Raster> {
  if (factor === 1) return raster;
  const width = Math.max(1, Math.round(raster.width * factor));
  const height = Math.max(1, Math.round(raster.height * factor));
  return toRaster(toSharp(raster).resize({ width, height, fit: "fill", kernel: factor > 1 ? "cubic" : "lanczos3" }));
}

/** Turns clockwise by any angle; the page grows to keep all of it, with white added. */
export async function turn(raster: Raster, degrees: number): Promise<Raster> {
  if (degrees === 0) return raster;
  return toRaster(toSharp(raster).rotate(degrees, { background: "white" }));
}

/** Adds a white frame of this many pixels: letters at the edge of an image are rarely recognised. */
export function frame({ data, width, height }: Raster, pixels: number): Raster {
  const framed = new Uint8Array((width + 2 * pixels) * (height + 2 * pixels)).fill(255);
  for (let row = 0; row < height; row += 1) {
    framed.set(data.subarray(row * width, (row + 1) * width), (row + pixels) * (width + 2 * pixels) + pixels);
  }
  return { data: framed, width: width + 2 * pixels, height: height + 2 * pixels };
}

const JPEG_SIDE = 1_600;
const MOST_JPEG_BYTES = 1_000_000;

/** For a vision model: at most 1,600 pixels per side and 1 MB. */
export async function toJpeg(raster: Raster): Promise<Uint8Array> {
  const image = toSharp(raster).resize({
    width: JPEG_SIDE,
    height: JPEG_SIDE,
    fit: "inside",
    withoutEnlargement: true,
  });
  for (const quality of [85, 60]) {
    const jpeg = await image.clone().jpeg({ quality }).toBuffer();
    if (jpeg.length <= MOST_JPEG_BYTES) return jpeg;
  }
  return image.jpeg({ quality: 30 }).toBuffer();
}

/** An uncompressed file for text recognition: a PGM header before the pixels. */
export function toGreyFile({ data, width, height }: Raster): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), data]);
}
