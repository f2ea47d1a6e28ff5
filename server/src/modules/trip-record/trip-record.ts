import type { TripEntryKind, TripNote } from "../../kernel/contracts/trip-note.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "trip-record.tripRecords": TripRecords;
  }
}

export interface TripOwner {
  tenantId: string;
  environment: Environment;
  tripId: string;
}

export interface NewTripEntry extends TripNote {
  readonly key: string;
  /** Undefined: the service itself or an outside party. */
  readonly userId: string | undefined;
  readonly at: Temporal.Instant;
}

export interface TripEntry {
  /** Increases with each entry. */
  position: bigint;
  kind: TripEntryKind;
  text: string;
  details: Readonly<Record<string, unknown>>;
  userId: string | undefined;
  at: Temporal.Instant;
}

/** The append-only record of trips. A repeated entry is written once. A trip of another tenant has no record here. */
export interface TripRecords {
  append(trip: TripOwner, entry: NewTripEntry): Promise<void>;
  /** Adds an entry to the trip of an escrow booking. */
  appendForBooking(
    booking: { tenantId: string; environment: Environment; bookingId: string },
    entry: NewTripEntry,
  ): Promise<void>;
  /** Adds an entry to the trips whose record names the order. */
  appendForOrder(
    order: { tenantId: string; environment: Environment; orderId: string },
    entry: NewTripEntry,
  ): Promise<void>;
  /** Newest first, before the given position. */
  list(trip: TripOwner, page: { limit: number; before: bigint | undefined }): Promise<readonly TripEntry[]>;
  summarize(trip: TripOwner, milestones: number): Promise<TripRecordSummary>;
}

export interface TripRecordSummary {
  /** The number of entries of each kind. */
  counts: Readonly<Partial<Record<TripEntryKind, number>>>;
  /** The latest milestones, oldest first. */
  milestones: readonly Pick<TripEntry, "text" | "at">[];
}
