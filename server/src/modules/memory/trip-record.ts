import type { TripEntryKind, TripNote } from "../../kernel/contracts/trip-note.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "memory.tripRecords": TripRecords;
  }
}

export interface TripOwner {
  tenantId: string;
  environment: Environment;
  tripId: string;
}

export interface NewTripEntry extends TripNote {
  readonly key: string;
  /** Undefined: the service by itself, or somebody outside. */
  readonly userId: string | undefined;
  readonly at: Temporal.Instant;
}

export interface TripEntry {
  /** Later entries have higher ones. */
  position: bigint;
  kind: TripEntryKind;
  text: string;
  details: Readonly<Record<string, unknown>>;
  userId: string | undefined;
  at: Temporal.Instant;
}

/** What is known of trips. It is only added to: told twice, an entry is written once. A trip that is not the tenant's has no record. */
export interface TripRecords {
  append(trip: TripOwner, entry: NewTripEntry): Promise<void>;
  /** To the trip that a booking in escrow is of. */
  appendForBooking(
    booking: { tenantId: string; environment: Environment; bookingId: string },
    entry: NewTripEntry,
  ): Promise<void>;
  /** To the trips in whose record the order stands. */
  appendForOrder(
    order: { tenantId: string; environment: Environment; orderId: string },
    entry: NewTripEntry,
  ): Promise<void>;
  /** Newest first; those before a position. */
  list(trip: TripOwner, page: { limit: number; before: bigint | undefined }): Promise<readonly TripEntry[]>;
  summarize(trip: TripOwner, milestones: number): Promise<TripRecordSummary>;
}

export interface TripRecordSummary {
  /** How many entries there are of each kind. */
  counts: Readonly<Partial<Record<TripEntryKind, number>>>;
  /** The latest of what a trip is told by, oldest first. */
  milestones: readonly Pick<TripEntry, "text" | "at">[];
}
