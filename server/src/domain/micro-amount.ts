import { z } from "zod";
import type { Micro } from "./money.ts";

/** The largest amount that the ledger can hold. */
const MAXIMUM_MICRO = 2n ** 63n - 1n;
const WHOLE_NUMBER = /^(0|[1-9][0-9]{0,18})$/;

/** A non-negative integer of micro-USDC. Undefined: it is not one. */
export function readMicro(text: string): Micro | undefined {
  if (!WHOLE_NUMBER.test(text)) return undefined;
  const amount = BigInt(text);
  return amount <= MAXIMUM_MICRO ? amount : undefined;
}

export const MicroAmount = z.string().refine((text) => readMicro(text) !== undefined, {
  message: "must be a whole number of micro-USDC in a string, such as 1500000 for 1.5 USDC",
});

/** Reads an amount that `MicroAmount` has validated. */
export function requireMicro(text: string): Micro {
  const amount = readMicro(text);
  if (amount === undefined) throw new Error("the schema has let a bad amount through");
  return amount;
}
