import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { prepareZXingModule, type ReadResult, readBarcodes } from "zxing-wasm/reader";
import type { Box } from "../scan.ts";
import type { Barcode } from "./page.ts";
import { type Raster, scale, turn } from "./raster.ts";

const SYMBOLOGIES: ReadonlyMap<string, Barcode["symbology"]> = new Map([
  ["PDF417", "pdf417"],
  ["Aztec", "aztec"],
  ["QRCode", "qr"],
  ["DataMatrix", "data_matrix"],
]);

/** In this order: each angle examines every pixel, and most codes are found at the first. */
const ANGLES = [0, 3, -3, 6, -6, 10, -10, 45, 14, -14];
const SIDES = [1_600, 2_600, 1_000];
const MOST_ENLARGED = 3;
/** CPU time: by the clock a busy machine would find fewer codes. */
const MOST_MICROSECONDS = 8_000_000;
/** Opaque, and a step of grey, as one number. */
const OPAQUE = 0xff000000;
const GREY = 0x010101;
const MOST_CODES = 8;
/** The longest bar coded boarding pass, with airline data and a signature, is far shorter. */
const MOST_CHARACTERS = 2_000;
/** The beginning of a bar coded boarding pass: another code on the page, such as a URL, does not end the search. */
const BOARDING_PASS = /^[MS][1-4]/;

let isPrepared = false;

/**
 * Finds the two-dimensional codes of a page at several sizes and angles, until one may be a boarding pass. Boxes are
 * fractions of the raster.
 */
export async function findBarcodes(raster: Raster, page: number, tilt = 0): Promise<Barcode[]> {
  prepare();
  const begun = process.cpuUsage();
  const found = new Map<string, Barcode>();
  for (const angle of new Set([0, tilt, ...ANGLES])) {
    for (const factor of listFactors(raster)) {
      if (isSpent(begun)) return [...found.values()];
      const looked = await turn(await scale(raster, factor), angle);
      for (const result of await look(looked)) {
        const barcode = toBarcode(result, page, locateBox(result, looked, angle, raster, factor));
        if (barcode !== undefined) found.set(`${barcode.symbology} ${barcode.text}`, barcode);
      }
      if ([...found.values()].some(({ text }) => BOARDING_PASS.test(text))) return [...found.values()];
    }
  }
  return [...found.values()];
}

function isSpent(begun: NodeJS.CpuUsage): boolean {
  const { user, system } = process.cpuUsage(begun);
  return user + system > MOST_MICROSECONDS;
}

/** A small image is enlarged; beyond that a page shows nothing new. */
function listFactors({ width, height }: Raster): ReadonlySet<number> {
  return new Set(SIDES.map((side) => Math.min(MOST_ENLARGED, side / Math.max(width, height))));
}

function prepare(): void {
  if (isPrepared) return;
  isPrepared = true;
  const wasm = readFileSync(fileURLToPath(import.meta.resolve("zxing-wasm/reader/zxing_reader.wasm")));
  // Without its bytes it would download them from a public server.
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer } });
}

function look({ data, width, height }: Raster): Promise<ReadResult[]> {
  const words = new Uint32Array(width * height);
  for (let at = 0; at < data.length; at += 1) words[at] = OPAQUE + (data[at] ?? 0) * GREY;
  const pixels = new Uint8ClampedArray(words.buffer);
  return readBarcodes(
    { data: pixels, width, height, colorSpace: "srgb" },
    {
      formats: ["PDF417", "Aztec", "QRCode", "DataMatrix"],
      tryHarder: true,
      tryRotate: true,
      tryInvert: true,
      tryDownscale: true,
      maxNumberOfSymbols: MOST_CODES,
      textMode: "Plain",
    },
  );
}

function toBarcode({ symbology: found, text, isValid }: ReadResult, page: number, box: Box): Barcode | undefined {
  const symbology = SYMBOLOGIES.get(found);
  if (symbology === undefined || !isValid || text === "" || text.length > MOST_CHARACTERS) return undefined;
  return { symbology, text, page, box };
}

/** Back from the turned and scaled page, around both centres. */
function locateBox({ position }: ReadResult, looked: Raster, angle: number, raster: Raster, factor: number): Box {
  const radians = (-angle * Math.PI) / 180;
  const points = [position.topLeft, position.topRight, position.bottomRight, position.bottomLeft].map(({ x, y }) => {
    const across = x - looked.width / 2;
    const down = y - looked.height / 2;
    return [
      (across * Math.cos(radians) - down * Math.sin(radians)) / factor / raster.width + 0.5,
      (across * Math.sin(radians) + down * Math.cos(radians)) / factor / raster.height + 0.5,
    ] as const;
  });
  const clamp = (value: number) => Math.min(1, Math.max(0, value));
  const left = clamp(Math.min(...points.map(([x]) => x)));
  const top = clamp(Math.min(...points.map(([, y]) => y)));
  return {
    x: left,
    y: top,
    width: clamp(Math.max(...points.map(([x]) => x))) - left,
    height: clamp(Math.max(...points.map(([, y]) => y))) - top,
  };
}
