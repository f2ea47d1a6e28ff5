import { inflateSync } from "node:zlib";

interface Png {
  bytes: number;
  width: number;
  height: number;
  colorAt(x: number, y: number): readonly number[];
}

/** Reads a PNG with a palette and without filters, as ours are, by nothing of what wrote it. */
export async function readPng(url: string): Promise<Png> {
  return decodePng(Buffer.from(await (await fetch(url)).arrayBuffer()));
}

export function decodePng(file: Buffer): Png {
  if (file.subarray(0, 8).toString("latin1") !== "\x89PNG\r\n\x1a\n") throw new Error("not a PNG");
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    chunks.set(file.toString("latin1", at + 4, at + 8), file.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const [header, palette, data] = ["IHDR", "PLTE", "IDAT"].map((type) => chunks.get(type) ?? Buffer.alloc(0));
  if (header === undefined || palette === undefined || data === undefined) throw new Error("not a whole PNG");
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const rows = inflateSync(data);
  if (rows.length !== (width + 1) * height) throw new Error("rows of another length");
  return {
    bytes: file.length,
    width,
    height,
    colorAt(x, y) {
      const index = rows[y * (width + 1) + 1 + x] ?? 0;
      return [...palette.subarray(index * 3, index * 3 + 3)];
    },
  };
}
