import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";

/** What a funder signs; the trip's id is the hash of these, the contract and the chain. */
export interface TripTerms {
  /** Pays the budget, and gets back what is not spent, and the markups. */
  funder: Hex;
  budget: Micro;
  /** Unix seconds. From then on nothing new is reserved or committed, and what is free goes back. */
  expiresAt: bigint;
  /** Whose signature lets a guest claim the trip. */
  claimSigner: Hex;
  metadataHash: Hex;
  /** Tells trips of equal terms apart. */
  salt: Hex;
}

export interface TripOnChain {
  funder: Hex;
  expiresAt: bigint;
  /** Undefined: nobody has claimed it. */
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

/** Reads reject with Failure `chain_unavailable`, as everything of `Chain`. */
export interface EscrowContract {
  readonly address: Hex;
  /** The books hold what moves after this block; what it had then was booked as a whole. */
  readonly sinceBlock: bigint;
  /** How long after a trip's expiry only the operator moves what is held. */
  readonly graceSeconds: bigint;
  /** Whether a reservation can go back to its trip: contracts that were deployed earlier can only give it to the funder. */
  readonly returnsToTrip: boolean;
  /** As the contract computes it. */
  tripId(terms: TripTerms): Hex;
  /** Undefined: there is no such trip. */
  trip(tripId: Hex): Promise<TripOnChain | undefined>;
  booking(tripId: Hex, bookingId: Hex): Promise<BookingOnChain>;
  /** What a payment that could not be made left for this account to withdraw. */
  withdrawable(account: Hex): Promise<Micro>;
}
