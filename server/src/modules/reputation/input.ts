import { z } from "zod";
import type { Hex } from "../../domain/tokens.ts";
import { readAddress } from "../treasury/index.ts";

/** Third-party text is shown to everyone, including agents: only visible characters, and a limited length. */

const LONGEST_URI = 500;
const LONGEST_SEED = 200;
/** Control characters, lone surrogates, and characters that change the text direction. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const URI = /^(?:https?|ipfs|urn):[\x21-\x7e]+$/i;
const HASH = /^0x[a-fA-F0-9]{64}$/;
/** Agent ids have 256 bits. */
const AFTER_LAST_AGENT = 2n ** 256n;
const MOST_DIGITS = 78;

export const Tag = z
  .string()
  .min(1)
  .max(64)
  // An empty text is already refused elsewhere.
  .refine((text) => text === "" || (text.trim() !== "" && !UNSEEN.test(text)), {
    message: "must be visible text without control characters",
  });

export const EvidenceUri = z
  .string()
  .refine(isUri, {
    message: `must be an http, https, ipfs or urn URI of at most ${LONGEST_URI} characters, without a password`,
  })
  .describe("http(s), ipfs or urn");

export const Seed = z
  .string()
  .refine((text) => text.length <= LONGEST_SEED, { message: `must not be longer than ${LONGEST_SEED} characters` });

/** The id of a trip or booking in escrow. */
export { Hash as EscrowId } from "../../domain/schemas.ts";

export const RequestHash = z.string().regex(HASH, { message: "must be 0x and 64 hexadecimal digits" });

export const AgentId = z.string().regex(/^[0-9]+$/, { message: "must be decimal digits" });

function isUri(text: string): boolean {
  if (text.length > LONGEST_URI || !URI.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && url.username === "" && url.password === "";
}

/** Reads an address that its schema has validated, in lower case. */
export function requireWallet(text: string): Hex {
  const address = readAddress(text);
  if (address === undefined) throw new Error("the schema has let a bad value through");
  return address;
}

/** Reads a hash that a schema above has validated, in lower case as it is stored. */
export function readHash(text: string): Hex {
  if (!HASH.test(text)) throw new Error("the schema has let a bad value through");
  return `0x${text.slice(2).toLowerCase()}`;
}

/** Undefined: the id is impossible. */
export function readAgentId(text: string): bigint | undefined {
  const digits = text.replace(/^0+(?=.)/, "");
  if (digits.length > MOST_DIGITS) return undefined;
  const id = BigInt(digits);
  return id < AFTER_LAST_AGENT ? id : undefined;
}
