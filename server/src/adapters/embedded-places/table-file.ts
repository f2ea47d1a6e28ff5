import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

/** Named columns of bytes in a compressed file: a line of JSON with their lengths, followed by the columns. */

const ALIGNMENT = 8;

export function packTables(columns: Readonly<Record<string, Uint8Array>>): Buffer {
  const lengths = Object.fromEntries(Object.entries(columns).map(([name, bytes]) => [name, bytes.byteLength]));
  const head = Buffer.from(`${JSON.stringify(lengths)}\n`);
  const parts = [padded(head), ...Object.values(columns).map(padded)];
  return brotliCompressSync(Buffer.concat(parts), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
}

/** Throws if the file lacks a column. */
export function unpackTables(packed: Uint8Array): (name: string) => Buffer {
  const whole = brotliDecompressSync(packed);
  // Multi-byte numbers must be aligned.
  const isAligned = whole.byteOffset % ALIGNMENT === 0;
  const bytes = isAligned
    ? whole
    : Buffer.from(whole.buffer.slice(whole.byteOffset, whole.byteOffset + whole.byteLength));
  const end = bytes.indexOf("\n");
  const lengths: unknown = JSON.parse(bytes.toString("utf8", 0, end));
  if (typeof lengths !== "object" || lengths === null) throw new Error("the file of tables has no head");
  const columns = new Map<string, Buffer>();
  let at = align(end + 1);
  for (const [name, length] of Object.entries(lengths)) {
    if (typeof length !== "number") throw new Error(`the column ${name} has no length`);
    columns.set(name, bytes.subarray(at, at + length));
    at = align(at + length);
  }
  return (name) => {
    const column = columns.get(name);
    if (column === undefined) throw new Error(`the file of tables has no column ${name}; build it again`);
    return column;
  };
}

const align = (length: number): number => Math.ceil(length / ALIGNMENT) * ALIGNMENT;

function padded(bytes: Uint8Array): Buffer {
  const whole = Buffer.alloc(align(bytes.byteLength));
  whole.set(bytes);
  return whole;
}

/** A column of texts: their concatenation, and the start of each. */
export function packTexts(texts: readonly string[]): { bytes: Buffer; starts: Uint32Array } {
  const parts = texts.map((text) => Buffer.from(text));
  const starts = new Uint32Array(texts.length + 1);
  for (const [index, part] of parts.entries()) starts[index + 1] = (starts[index] ?? 0) + part.byteLength;
  return { bytes: Buffer.concat(parts), starts };
}

export const viewBytes = (numbers: ArrayBufferView): Uint8Array =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);

export const uint32s = (bytes: Buffer): Uint32Array =>
  new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
export const int32s = (bytes: Buffer): Int32Array =>
  new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
export const int16s = (bytes: Buffer): Int16Array =>
  new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
