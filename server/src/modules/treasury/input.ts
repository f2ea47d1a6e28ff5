import { getAddress } from "viem";
import { z } from "zod";
import { parseDecimal } from "../../domain/money.ts";
import { type Hex, tokenSymbols } from "../../domain/tokens.ts";

/** The maximum that the ledger can store. */
const MAXIMUM_MICRO = 2n ** 63n - 1n;
const ADDRESS = /^0x[a-fA-F0-9]{40}$/;
const NOBODY: Hex = "0x0000000000000000000000000000000000000000";

const isAmount = (text: string): boolean => {
  const amount = parseDecimal(text);
  return amount !== undefined && amount > 0n && amount <= MAXIMUM_MICRO;
};

export const TokenAmount = z
  .string()
  .refine(isAmount, { message: "must be a positive decimal amount with at most 6 places, such as 12.5" })
  .describe("Decimal, at most 6 places");

export const Token = z.enum(tokenSymbols).default("USDC");

/** In lower case. Undefined: not an address, or the zero address. */
export function readAddress(text: string): Hex | undefined {
  if (!ADDRESS.test(text)) return undefined;
  const address: Hex = `0x${text.slice(2).toLowerCase()}`;
  return address === NOBODY ? undefined : address;
}

/** Reads an address that its schema has validated. */
export function requireAddress(text: string): Hex {
  const address = readAddress(text);
  if (address === undefined) throw new Error("the schema has let a bad address through");
  return address;
}

const FORM_MESSAGE = "must be 0x and 40 hexadecimal digits";
const NOBODY_MESSAGE = "must not be the zero address";
const isForm = (text: string): boolean => ADDRESS.test(text);
/** A malformed address is already refused by its pattern. */
const isSomebody = (text: string): boolean => !isForm(text) || readAddress(text) !== undefined;

const CHECKSUM_MESSAGE = "has a wrong checksum: copy it again";
/** Digits without capitals carry no checksum. */
const hasChecksum = (text: string): boolean => {
  const digits = text.slice(2);
  if (!isForm(text) || digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true;
  return getAddress(`0x${digits.toLowerCase()}`) === `0x${digits}`;
};

/** The JSON Schema has the pattern; the zero address and a wrong checksum are excluded by additional rules. */
export const Recipient = z
  .string()
  .regex(ADDRESS, { message: FORM_MESSAGE })
  .refine(isSomebody, { message: NOBODY_MESSAGE })
  .refine(hasChecksum, { message: CHECKSUM_MESSAGE });
export const FreeRecipient = z
  .string()
  .refine(isForm, { message: FORM_MESSAGE })
  .refine(isSomebody, { message: NOBODY_MESSAGE })
  .refine(hasChecksum, { message: CHECKSUM_MESSAGE });
