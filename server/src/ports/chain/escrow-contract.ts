import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";

/** The accounts that move the money of an escrow, as its owner has set them. */
export interface EscrowRoles {
  operator: Hex;
  serviceFeeRecipient: Hex;
}

/** The terms that a funder signs; the trip's id is their hash, with the contract and the chain. */
export interface TripTerms {
  /** Pays the budget; unspent money and markups return to it. */
  funder: Hex;
  budget: Micro;
  /** Unix seconds. From then on nothing new is reserved or committed, and the free budget is returned. */
  expiresAt: bigint;
  /** The account whose signature lets a guest claim the trip. */
  claimSigner: Hex;
  metadataHash: Hex;
  /** Distinguishes trips of equal terms. */
  salt: Hex;
}

export interface TripOnChain {
  funder: Hex;
  expiresAt: bigint;
  /** Undefined: the trip is unclaimed. */
  guest: Hex | undefined;
  isClosed: boolean;
  free: Micro;
  held: Micro;
}

export type BookingStateOnChain = "none" | "reserved" | "committed" | "confirmed" | "settled" | "cancelled";

export interface BookingOnChain {
  state: BookingStateOnChain;
  vendor: Hex | undefined;
  reserved: Micro;
  vendorAmount: Micro;
  markup: Micro;
  serviceFee: Micro;
}

/** The facts about an escrow contract that a probe finds, with the block from which the ledger follows it. */
export interface EscrowFacts {
  readonly address: Hex;
  /** The ledger tracks movements after this block; the earlier balance was entered as a whole. */
  readonly sinceBlock: bigint;
  /** For this time after a trip's expiry, only the operator moves what is held. */
  readonly graceSeconds: bigint;
  /** Whether a reservation can return to its trip: older contracts can only give it to the funder. */
  readonly returnsToTrip: boolean;
}

/** Reads reject with Failure `chain_unavailable`, like those of `Chain`. */
export interface EscrowContract extends EscrowFacts {
  /** As computed by the contract. */
  tripId(terms: TripTerms): Hex;
  /** Undefined: there is no such trip. */
  trip(tripId: Hex): Promise<TripOnChain | undefined>;
  booking(tripId: Hex, bookingId: Hex): Promise<BookingOnChain>;
  /** Money from failed payments that this account can withdraw. */
  withdrawable(account: Hex): Promise<Micro>;
}
