import type { TripEntryKind, TripNote } from "../../kernel/contracts/trip-note.ts";
import type { Environment } from "../../ports/identity.ts";

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

export interface TripRecordSummary {
  /** The number of entries of each kind. */
  counts: Readonly<Partial<Record<TripEntryKind, number>>>;
  /** The latest milestones, oldest first. */
  milestones: readonly Pick<TripEntry, "text" | "at">[];
}
