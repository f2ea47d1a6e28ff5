import { encodeIndexedPng } from "../../src/modules/maps/drawing/indexed-png.ts";

const PIXELS = 256;

/** A tile of one color, as a server of map tiles would send it. Red, green and blue are the lowest three bytes. */
export function tilePng(color = 0xff_c8_fa_cc): Uint8Array {
  const points = new Uint32Array(PIXELS * PIXELS).fill(color);
  return encodeIndexedPng(new Uint8Array(points.buffer), PIXELS, PIXELS, 2);
}
