import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Write } from "../../platform/database/write-together.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Environment } from "../../ports/identity.ts";
import type { EscrowBooking } from "./escrow-bookings.ts";
import type { StepTransaction } from "./step-transaction.ts";

declare module "../../kernel/contracts/call-plan.ts" {
  interface CallPlan {
    /** The trip in escrow that it belongs to, if known. */
    tripId?: Hex | undefined;
  }
  /** In the escrow contract: the free budget of a trip, and the reservation of a booking. */
  interface Holdings {
    readonly trip_budget: true;
    readonly booking_reservation: true;
  }
}

/** The trip takes no more money: waiting runs that have reserved nothing end. */
export const TRIP_CLOSED = "trip_closed";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "trips.trips": Trips;
  }
}

/**
 * funding: its budget is on the way · funded: it is in the escrow · closed: no new reservations · failed: it was never funded.
 */
type TripState = "funding" | "funded" | "closed" | "failed";

/**
 * none: no address, or no mail server · pending: to be sent, or unconfirmed by the server · failed: given up · kept: shown to
 * the buyer, not delivered.
 */
type MailState = "none" | "pending" | "sent" | "failed" | "kept";

/** The buyer's details of the trip; untrusted free text. */
export interface TripDetails {
  metadataCid?: string;
  metadataHash?: Hex;
  agentTokenId?: string;
  guestName?: string;
  buyerName?: string;
  tripSummary?: string;
  /** The origin of the guest link. */
  linkOrigin: string;
}

/** The part that is fixed when a trip is funded. */
interface TripTerms extends ChainKey {
  /** As computed by the escrow contract. */
  tripId: Hex;
  tenantId: string;
  /** The requesting user. */
  userId: string;
  escrow: Hex;
  funder: Hex;
  /** By confirmed transactions: budget = free + held + everything paid and refunded. */
  budget: Micro;
  expiresAt: Temporal.Instant;
  codeNonce: Hex;
  requiresCode: boolean;
  details: TripDetails;
  guestEmail: string | undefined;
}

/** The part that steps of the escrow and mails change. */
interface TripProgress {
  state: TripState;
  free: Micro;
  held: Micro;
  /** The part of `free` that pending transactions use. */
  promised: Micro;
  vendorPaid: Micro;
  markupPaid: Micro;
  serviceFeePaid: Micro;
  actionFeePaid: Micro;
  refunded: Micro;
  guestWallet: Hex | undefined;
  claimedAt: Temporal.Instant | undefined;
  /** A pending step of the whole trip that excludes others of its kind. */
  pending: { step: string; transactionId: string } | undefined;
  mail: MailState;
}

export interface Trip extends TripTerms, TripProgress {
  /** Since the last correct code or the last unlocking. */
  wrongCodes: number;
  /** Prefunded with a guest's name or address: the guest who claims it travels, unless somebody else is named. */
  forGuest: boolean;
  transactions: readonly StepTransaction[];
  createdAt: Temporal.Instant;
  updatedAt: Temporal.Instant;
}

export interface BookedTrip {
  trip: Trip;
  booking: EscrowBooking;
}

export type NewTrip = TripTerms & Pick<TripProgress, "mail">;

export type TripChange = Partial<TripProgress> & { transaction?: Omit<StepTransaction, "at"> };

export interface AgentAction {
  actionId: Hex;
  actionType: string;
  fee: Micro;
  transactionHash: Hex;
  at: Temporal.Instant;
}

/** This many wrong codes lock the claim until the buyer unlocks it. */
export const MOST_WRONG_CODES = 5;

/** The last trip of the previous page. */
export type TripPosition<Time extends "createdAt" | "expiresAt"> = Pick<Trip, "tripId" | Time>;

export interface Trips {
  /** Inserts it as `funding`. */
  insert(trip: NewTrip): Promise<Trip>;
  /** Finds the request of any tenant. */
  get(environment: Environment, tripId: Hex): Promise<Trip | undefined>;
  /** Finds the tenant's own trip. */
  find(tenantId: string, environment: Environment, tripId: Hex): Promise<Trip | undefined>;
  /**
   * Locks the trip and its bookings until the end of the transaction: any change of them requires this lock. Lock several trips
   * in the order of their ids. With a tenant, another tenant's trip is neither found nor waited for.
   */
  lock(environment: Environment, tripId: Hex, tenantId?: string): Promise<Trip | undefined>;
  /** Finds the tenant's booking with its trip. */
  findOfBooking(tenantId: string, environment: Environment, bookingId: Hex): Promise<BookedTrip | undefined>;
  /**
   * Locks the trip of the tenant's booking in the same way. Undefined also if the booking was replaced by one of another trip
   * before the lock was there.
   */
  lockOfBooking(tenantId: string, environment: Environment, bookingId: Hex): Promise<BookedTrip | undefined>;
  /** Locks the trip in the same way, of any tenant, and finds its booking. */
  lockWithBooking(environment: Environment, tripId: Hex, bookingId: Hex): Promise<BookedTrip | undefined>;
  /** Requires `lock`. Sets the members that are present, even if undefined, and returns the changed trip. */
  change(environment: Environment, tripId: Hex, change: TripChange): Promise<Trip>;
  /** The same as a write, for a change without a transaction. */
  prepareChange(environment: Environment, tripId: Hex, change: Omit<TripChange, "transaction">): Write;
  /** Counts a wrong code unless there are `atMost` already (undefined). Returns the count. */
  countWrongCode(environment: Environment, tripId: Hex, atMost: number): Promise<number | undefined>;
  /** False: the tenant has no such trip. */
  unlock(tenantId: string, environment: Environment, tripId: Hex): Promise<boolean>;
  recordAction(environment: Environment, tripId: Hex, action: Omit<AgentAction, "at">): Promise<void>;
  /** The same as `find`, with the latest actions, newest first. */
  findWithActions(
    tenantId: string,
    environment: Environment,
    tripId: Hex,
    limit: number,
  ): Promise<{ trip: Trip; actions: readonly AgentAction[] } | undefined>;
  /** Deletes the addresses of the tenant's guests that `isNamedIn` accepts, except those of unsent mails. */
  forgetGuests(tenantId: string, environment: Environment, isNamedIn: (address: string) => boolean): Promise<void>;
  /** The tenant's own trips, newest first. */
  list(
    tenantId: string,
    environment: Environment,
    page: { limit: number; after: TripPosition<"createdAt"> | undefined },
  ): Promise<readonly Trip[]>;
  /** The chain's funded or closed trips with money in them that expired before that, oldest first. */
  listExpired(
    chain: ChainKey,
    before: Temporal.Instant,
    page: { limit: number; after: TripPosition<"expiresAt"> | undefined },
  ): Promise<readonly Trip[]>;
}
