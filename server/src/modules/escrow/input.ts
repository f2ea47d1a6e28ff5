import { z } from "zod";
import type { RandomBytes } from "../../domain/ids.ts";
import { type Micro, parseDecimal } from "../../domain/money.ts";
import { Hash as HashText } from "../../domain/schemas.ts";
import type { Hex } from "../../domain/tokens.ts";

const HASH = /^0x[0-9a-fA-F]{64}$/;

/** The maximum that the ledger can store. */
const MAXIMUM_MICRO = 2n ** 63n - 1n;

/** In lower case. Undefined if it is not 32 bytes, so that it cannot be an id. */
export function readHash(text: string): Hex | undefined {
  return HASH.test(text) ? `0x${text.slice(2).toLowerCase()}` : undefined;
}

export const Hash = HashText.describe("0x and 64 hex digits");

/** For a text validated by `Hash`. */
export function requireHash(text: string): Hex {
  const hash = readHash(text);
  if (hash === undefined) throw new Error("the schema has let a bad hash through");
  return hash;
}

export function randomHash(random: RandomBytes): Hex {
  return `0x${Buffer.from(random(32)).toString("hex")}`;
}

export const FreeAmount = z
  .string()
  .refine(
    (text) => {
      const amount = parseDecimal(text);
      return amount !== undefined && amount <= MAXIMUM_MICRO;
    },
    { message: "must be a decimal amount with at most 6 places, such as 0.5, and not negative" },
  )
  .describe("Decimal, at most 6 places");

/** For a text validated by an amount's schema. */
export function requireAmount(text: string): Micro {
  const amount = parseDecimal(text);
  if (amount === undefined) throw new Error("the schema has let a bad amount through");
  return amount;
}

export const EscrowAddress = z.string().optional().describe("Default: the trip's");
