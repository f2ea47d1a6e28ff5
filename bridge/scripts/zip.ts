import { crc32, deflateRawSync } from "node:zlib";

export interface ZipEntry {
  /** Path in the archive, with slashes. */
  name: string;
  bytes: Uint8Array;
}

const VERSION = 20;
const UTF8_NAMES = 0x0800;
const DEFLATED = 8;
/** 1980-01-01, the first day that the format knows: equal contents make equal archives. */
const NO_DATE = 0x0021;
/** A regular file that everyone may read, in the upper half of the attributes. */
const READABLE_FILE = 0o100644 * 0x10000;
const MADE_ON_UNIX = 3 * 0x100;

/** Packs files as a zip archive that depends on nothing but their names and contents. */
export function packZip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const nameBytes = Buffer.from(name);
    const packed = deflateRawSync(bytes, { level: 9 });
    const common = describeFile(bytes, packed.length, nameBytes.length);
    const local = Buffer.concat([writeNumbers([[0x04034b50, 4]]), common, nameBytes, packed]);
    directory.push(
      Buffer.concat([
        writeNumbers([
          [0x02014b50, 4],
          [MADE_ON_UNIX + VERSION, 2],
        ]),
        common,
        // No comment, one disk, binary contents.
        writeNumbers([
          [0, 2],
          [0, 2],
          [0, 2],
          [READABLE_FILE, 4],
          [offset, 4],
        ]),
        nameBytes,
      ]),
    );
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = writeNumbers([
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [entries.length, 2],
    [entries.length, 2],
    [central.length, 4],
    [offset, 4],
    [0, 2],
  ]);
  return Buffer.concat([...parts, central, end]);
}

/** The fields that a file has alike before its contents and in the directory. */
function describeFile(bytes: Uint8Array, packedLength: number, nameLength: number): Buffer {
  return writeNumbers([
    [VERSION, 2],
    [UTF8_NAMES, 2],
    [DEFLATED, 2],
    [0, 2],
    [NO_DATE, 2],
    [crc32(bytes), 4],
    [packedLength, 4],
    [bytes.length, 4],
    [nameLength, 2],
    [0, 2],
  ]);
}

/** Unsigned numbers of this many bytes each, the lowest byte first. */
function writeNumbers(numbers: readonly (readonly [value: number, bytes: 2 | 4])[]): Buffer {
  const buffer = Buffer.alloc(numbers.reduce((sum, [, bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [value, bytes] of numbers) at = buffer.writeUIntLE(value, at, bytes);
  return buffer;
}
