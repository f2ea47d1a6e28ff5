import { keccak256, stringToHex } from "viem";
import { canonicalJson } from "../../../domain/canonical-json.ts";
import type { RandomBytes } from "../../../domain/ids.ts";
import type { Hex } from "../../../domain/tokens.ts";

const SALT_BYTES = 32;

export const newSalt = (random: RandomBytes): string => Buffer.from(random(SALT_BYTES)).toString("hex");

interface Bought {
  orderId: string;
  travelers: readonly object[];
  /** Of a flight. */
  segments?: readonly object[];
  stay?: object;
  amount: string;
  currency: string;
}

/** Stands for an order on a public chain: without the salt, which stays here, nobody can try names against it. */
export const itineraryHashOf = (bought: Bought, salt: string): Hex => hashOf({ ...bought, salt });

/** The same for what proves that it was issued: ticket numbers, or the accommodation's reference. */
export const ticketOrderHashOf = (issued: { orderId: string; proofs: readonly string[] }, salt: string): Hex =>
  hashOf({ ...issued, proofs: issued.proofs.toSorted(), salt });

/** Of a person only what anybody who knows the order knows of them. */
export const namesOf = (travelers: readonly { givenName: string; familyName: string }[]) =>
  travelers.map(({ givenName, familyName }) => ({ givenName, familyName }));

const hashOf = (value: object): Hex => keccak256(stringToHex(canonicalJson(value)));
