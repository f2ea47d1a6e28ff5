import { keccak256, stringToHex } from "viem";
import { canonicalJson } from "../../../domain/canonical-json.ts";
import type { RandomBytes } from "../../../domain/ids.ts";
import type { Hex } from "../../../domain/tokens.ts";

const SALT_BYTES = 32;

export const newSalt = (random: RandomBytes): string => Buffer.from(random(SALT_BYTES)).toString("hex");

interface Bought {
  orderId: string;
  travelers: readonly object[];
  /** Set for a flight. */
  segments?: readonly object[];
  stay?: object;
  amount: string;
  currency: string;
}

/** Represents an order on a public chain: without the salt, which stays private, names cannot be guessed from it. */
export const hashItinerary = (bought: Bought, salt: string): Hex => hashJson({ ...bought, salt });

/** The same for proofs of issue: ticket numbers, or the accommodation's reference. */
export const hashTicketOrder = (issued: { orderId: string; proofs: readonly string[] }, salt: string): Hex =>
  hashJson({ ...issued, proofs: issued.proofs.toSorted(), salt });

/** Only the names, which everyone who knows the order knows. */
export const pickNames = (travelers: readonly { givenName: string; familyName: string }[]) =>
  travelers.map(({ givenName, familyName }) => ({ givenName, familyName }));

const hashJson = (value: object): Hex => keccak256(stringToHex(canonicalJson(value)));
