import { z } from "zod";
import type { Hex } from "./tokens.ts";
import { tokenSymbols } from "./tokens.ts";

/**
 * Forms in which JSON stores what it has no type for, each as a codec that reads and writes it: amounts are decimal text, and what
 * is hexadecimal is in lower case.
 */

const AnyHex = z.templateLiteral(["0x", z.string()]);

function storedHex(digits: RegExp) {
  return z.codec(z.templateLiteral(["0x", z.string().regex(digits)]), AnyHex, {
    decode: (text): Hex => text,
    encode: (hex): Hex => `0x${hex.slice(2).toLowerCase()}`,
  });
}

export const StoredToken = z.enum(tokenSymbols);
/** An integer of any size that is not negative: an amount, an id, Unix seconds. */
export const StoredInteger = z.codec(z.string().regex(/^\d+$/), z.bigint(), { decode: BigInt, encode: String });
export const StoredAddress = storedHex(/^[0-9a-f]{40}$/);
export const StoredHash = storedHex(/^[0-9a-f]{64}$/);
/** Bytes of any length, and at least one. */
export const StoredBytes = storedHex(/^(?:[0-9a-f]{2})+$/);
export const StoredBasisPoints = z.int().min(0).max(10_000);
