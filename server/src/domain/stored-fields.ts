import { z } from "zod";
import type { Hex } from "./tokens.ts";
import { tokenSymbols } from "./tokens.ts";

/** Codecs for values that JSON has no type for: amounts are decimal text, and hexadecimal values are in lower case. */

const AnyHex = z.templateLiteral(["0x", z.string()]);

function storedHex(digits: RegExp) {
  return z.codec(z.templateLiteral(["0x", z.string().regex(digits)]), AnyHex, {
    decode: (text): Hex => text,
    encode: (hex): Hex => `0x${hex.slice(2).toLowerCase()}`,
  });
}

export const StoredToken = z.enum(tokenSymbols);
/** A non-negative integer of any size: an amount, an id, Unix seconds. */
export const StoredInteger = z.codec(z.string().regex(/^\d+$/), z.bigint(), { decode: BigInt, encode: String });
export const StoredAddress = storedHex(/^[0-9a-f]{40}$/);
export const StoredHash = storedHex(/^[0-9a-f]{64}$/);
/** Bytes of any length, at least one. */
export const StoredBytes = storedHex(/^(?:[0-9a-f]{2})+$/);
export const StoredBasisPoints = z.int().min(0).max(10_000);
