import { createHash } from "node:crypto";

/** The largest signed transaction that Ethereum nodes pass on to each other. */
export const TRANSACTION_LIMIT_BYTES = 128 * 1024;

const HEX = /^0x(?:[0-9a-fA-F]{2})+$/;
const LIST_FROM = 0xc0;
const LONG_LIST_FROM = 0xf7;
const STRING_FROM = 0x80;
const LONG_STRING_FROM = 0xb7;
/** Where the gas limit stands among the fields, by the transaction's type. */
const GAS_FIELD: Readonly<Record<number, number>> = { 1: 3, 2: 4, 3: 4, 4: 4 };
const GAS_FIELD_LEGACY = 2;
const LONGEST_NUMBER_BYTES = 6;

interface Item {
  start: number;
  end: number;
}

/** The content of the RLP item that begins at this offset. */
const itemAt = (bytes: Buffer, offset: number): Item | undefined => {
  const first = bytes[offset];
  if (first === undefined) return undefined;
  if (first < STRING_FROM) return { start: offset, end: offset + 1 };
  const isList = first >= LIST_FROM;
  const longFrom = isList ? LONG_LIST_FROM : LONG_STRING_FROM;
  if (first <= longFrom) {
    const start = offset + 1;
    return { start, end: start + first - (isList ? LIST_FROM : STRING_FROM) };
  }
  const lengthBytes = first - longFrom;
  const start = offset + 1 + lengthBytes;
  if (lengthBytes > LONGEST_NUMBER_BYTES || start > bytes.length) return undefined;
  return { start, end: start + bytes.readUIntBE(offset + 1, lengthBytes) };
};

/** Undefined: not the hexadecimal form of some bytes. */
export const parseBytes = (value: unknown): Buffer | undefined =>
  typeof value === "string" && HEX.test(value) ? Buffer.from(value.slice(2), "hex") : undefined;

/**
 * How much gas a signed transaction may use, which decides how many fit into a block. Undefined where it cannot be read: whether
 * such a thing is a transaction at all, the node says.
 */
export const readGasLimit = (raw: Buffer): number | undefined => {
  const type = raw[0] ?? 0;
  const isLegacy = type >= LIST_FROM;
  const fields = itemAt(raw, isLegacy ? 0 : 1);
  let left = isLegacy ? GAS_FIELD_LEGACY : GAS_FIELD[type];
  let item = fields && itemAt(raw, fields.start);
  while (item && left !== undefined && left > 0) {
    left -= 1;
    item = itemAt(raw, item.end);
  }
  if (left === undefined || item === undefined || item.end > raw.length) return undefined;
  const length = item.end - item.start;
  if (length === 0) return 0;
  return length > LONGEST_NUMBER_BYTES ? undefined : raw.readUIntBE(item.start, length);
};

export const hashTransaction = (raw: Buffer): string => `0x${createHash("keccak-256").update(raw).digest("hex")}`;
