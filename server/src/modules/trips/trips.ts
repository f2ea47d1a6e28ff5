import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "trips.trips": Trips;
  }
}

/** funding: its budget is on the way · funded: it is in the escrow · closed: nothing new is reserved · failed: it never was funded. */
type TripState = "funding" | "funded" | "closed" | "failed";

/** none: no address, or no mail server · pending: to be sent, or sent without a word of the server yet · failed: given up · kept: shown to the buyer, not delivered. */
type MailState = "none" | "pending" | "sent" | "failed" | "kept";

/** A step that was taken, by its stored name. */
export interface StepTransaction {
  step: string;
  transactionHash: Hex;
  at: Temporal.Instant;
}

/** What the buyer said of the trip; free text of others, never to be trusted. */
export interface TripDetails {
  metadataCid?: string;
  metadataHash?: Hex;
  agentTokenId?: string;
  guestName?: string;
  buyerName?: string;
  tripSummary?: string;
  /** Where the guest link leads. */
  linkOrigin: string;
}

export interface Trip {
  /** As the escrow contract computes it. */
  tripId: Hex;
  environment: Environment;
  tenantId: string;
  /** Who asked for it. */
  userId: string;
  escrow: Hex;
  funder: Hex;
  state: TripState;
  /** As far as transactions are confirmed: budget = free + held + everything paid and refunded. */
  budget: Micro;
  free: Micro;
  held: Micro;
  /** Of `free`, what transactions under way take out of it. */
  promised: Micro;
  vendorPaid: Micro;
  markupPaid: Micro;
  serviceFeePaid: Micro;
  actionFeePaid: Micro;
  refunded: Micro;
  expiresAt: Temporal.Instant;
  codeNonce: Hex;
  requiresCode: boolean;
  /** Since the last right one, or since it was unlocked. */
  wrongCodes: number;
  guestWallet: Hex | undefined;
  claimedAt: Temporal.Instant | undefined;
  /** A step of the whole trip that excludes others of its kind, while it is under way. */
  pending: { step: string; transactionId: string } | undefined;
  /** Prefunded with a guest's name or address: the guest who claims it travels, unless somebody else is named. */
  forGuest: boolean;
  details: TripDetails;
  guestEmail: string | undefined;
  mail: MailState;
  transactions: readonly StepTransaction[];
  createdAt: Temporal.Instant;
  updatedAt: Temporal.Instant;
}

export type NewTrip = Pick<
  Trip,
  | "tripId"
  | "environment"
  | "tenantId"
  | "userId"
  | "escrow"
  | "funder"
  | "budget"
  | "expiresAt"
  | "codeNonce"
  | "requiresCode"
  | "details"
  | "guestEmail"
  | "mail"
>;

export type TripChange = Partial<
  Pick<
    Trip,
    | "state"
    | "free"
    | "held"
    | "promised"
    | "vendorPaid"
    | "markupPaid"
    | "serviceFeePaid"
    | "actionFeePaid"
    | "refunded"
    | "guestWallet"
    | "claimedAt"
    | "pending"
    | "mail"
  >
> & { transaction?: Omit<StepTransaction, "at"> };

export interface AgentAction {
  actionId: Hex;
  actionType: string;
  fee: Micro;
  transactionHash: Hex;
  at: Temporal.Instant;
}

/** So many wrong codes lock the claim, until the buyer unlocks it. */
export const MOST_WRONG_CODES = 5;

/** Where a page of trips begins: behind this one. */
export type TripPosition<Time extends "createdAt" | "expiresAt"> = Pick<Trip, "tripId" | Time>;

export interface Trips {
  /** As `funding`. */
  insert(trip: NewTrip): Promise<Trip>;
  /** Whosever it is. */
  get(environment: Environment, tripId: Hex): Promise<Trip | undefined>;
  /** The tenant's own. */
  find(tenantId: string, environment: Environment, tripId: Hex): Promise<Trip | undefined>;
  /**
   * Locks the trip, with everything of it, until the end of the transaction: whoever changes a trip or one of its bookings holds
   * this lock. Of several trips in one transaction, in the order of their ids.
   */
  lock(environment: Environment, tripId: Hex): Promise<Trip | undefined>;
  /** Under `lock`. Members that are there are set, also to undefined. */
  change(environment: Environment, tripId: Hex, change: TripChange): Promise<void>;
  /** Counts one wrong code more, unless it is `atMost` already; undefined: it was. Answers the count. */
  countWrongCode(environment: Environment, tripId: Hex, atMost: number): Promise<number | undefined>;
  /** False: the tenant has no such trip. */
  unlock(tenantId: string, environment: Environment, tripId: Hex): Promise<boolean>;
  recordAction(environment: Environment, tripId: Hex, action: Omit<AgentAction, "at">): Promise<void>;
  /** Newest first. */
  listActions(environment: Environment, tripId: Hex, limit: number): Promise<readonly AgentAction[]>;
  /** Forgets the addresses of the tenant's guests that this is true of, but of mails that have yet to be sent. */
  forgetGuests(tenantId: string, environment: Environment, isNamedIn: (address: string) => boolean): Promise<void>;
  /** The tenant's own, newest first. */
  list(
    tenantId: string,
    environment: Environment,
    page: { limit: number; after: TripPosition<"createdAt"> | undefined },
  ): Promise<readonly Trip[]>;
  /** Funded or closed ones with money in them that expired before that, oldest first. */
  listExpired(
    environment: Environment,
    before: Temporal.Instant,
    page: { limit: number; after: TripPosition<"expiresAt"> | undefined },
  ): Promise<readonly Trip[]>;
}
