import { z } from "zod";
import type { Hex } from "../../domain/tokens.ts";
import { readAddress } from "../treasury/index.ts";

/** What others write here is shown to everybody, agents among them: only what can be seen, and not much of it. */

const LONGEST_URI = 500;
const LONGEST_SEED = 200;
/** Control characters, halves of pairs, and what turns the direction of the text after it. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const URI = /^(?:https?|ipfs|urn):[\x21-\x7e]+$/i;
const HASH = /^0x[a-fA-F0-9]{64}$/;
/** The registries count in 256 bits. */
const AFTER_LAST_AGENT = 2n ** 256n;
const MOST_DIGITS = 78;

export const Tag = z
  .string()
  .min(1)
  .max(64)
  // One that is empty is complained about already.
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

/** Of trips and bookings in escrow. */
export const EscrowId = z
  .string()
  .refine((text) => HASH.test(text), { message: "must be 0x and 64 hexadecimal digits" });

export const RequestHash = z.string().regex(HASH, { message: "must be 0x and 64 hexadecimal digits" });

export const AgentId = z.string().regex(/^[0-9]+$/, { message: "must be decimal digits" });

function isUri(text: string): boolean {
  if (text.length > LONGEST_URI || !URI.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && url.username === "" && url.password === "";
}

/** What the schema of addresses has let through, in lower case. */
export function walletOf(text: string): Hex {
  const address = readAddress(text);
  if (address === undefined) throw new Error("the schema has let a bad value through");
  return address;
}

/** In lower case, as what the schemas above have let through is stored. */
export function readHash(text: string): Hex {
  if (!HASH.test(text)) throw new Error("the schema has let a bad value through");
  return `0x${text.slice(2).toLowerCase()}`;
}

/** Undefined: no agent can have this id. */
export function readAgentId(text: string): bigint | undefined {
  const digits = text.replace(/^0+/, "");
  if (digits === "" || digits.length > MOST_DIGITS) return undefined;
  const id = BigInt(digits);
  return id < AFTER_LAST_AGENT ? id : undefined;
}
