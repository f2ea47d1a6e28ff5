import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { currentTraceId } from "../../domain/trace.ts";
import { orderKey, type TripEntryKind, tripEntryKinds } from "../../kernel/contracts/trip-note.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { Environment } from "../../ports/identity.ts";
import type { NewTripEntry, TripEntry, TripOwner, TripRecordSummary } from "./trip-record.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "trip-record.tripRecords": TripRecords;
  }
}

const Kind = z.enum(tripEntryKinds);

/** The kinds of entries that summarise a trip in a few lines. */
const MILESTONES: readonly TripEntryKind[] = ["claim", "approval", "order", "ticket", "document"];

/**
 * Returns the statement that adds an entry to each trip that `trips` selects as `tenant_id`, `network` and `trip_id`. It may be
 * part of a larger statement.
 */
export function insertTripEntry(trips: RawBuilder<unknown>, entry: NewTripEntry): RawBuilder<unknown> {
  const { key, kind, text, details, userId, at } = entry;
  return sql`
    insert into trip_entry (tenant_id, network, trip_id, key, kind, text, details, user_id, at, trace_id)
    select trip.tenant_id, trip.network, trip.trip_id, ${key}, ${kind}, ${text}, ${JSON.stringify(details)}::jsonb,
      ${userId ?? null}, ${at.toString()}::timestamptz, ${currentTraceId() ?? null}::text
    from (${trips}) told join trip
      on trip.tenant_id = told.tenant_id and trip.network = told.network and trip.trip_id = lower(told.trip_id)
    on conflict (tenant_id, network, trip_id, key) do nothing returning 1`;
}

interface BookingOwner {
  tenantId: string;
  environment: Environment;
  bookingId: string;
}

/** Returns the statement that adds an entry to the trip of an escrow booking, as `insertTripEntry` does. */
export function insertEntryOfBooking(
  { tenantId, environment, bookingId }: BookingOwner,
  entry: NewTripEntry,
): RawBuilder<unknown> {
  const trips = sql`
    select tenant_id, network, trip_id from escrow_booking
    where tenant_id = ${tenantId} and network = ${environment} and booking_id = ${bookingId}`;
  return insertTripEntry(trips, entry);
}

const selected = ({ tenantId, environment, tripId }: TripOwner) =>
  sql`select ${tenantId}::text as tenant_id, ${environment}::text as network, ${tripId}::text as trip_id`;

/** Joins the caller's transaction when `db` is one. */
export function createTripRecords(db: Queryable) {
  return {
    async append(trip: TripOwner, entry: NewTripEntry): Promise<void> {
      await insertTripEntry(selected(trip), entry).execute(db);
    },

    /** Adds an entry to the trips whose record names the order. */
    async appendForOrder(
      { tenantId, environment, orderId }: { tenantId: string; environment: Environment; orderId: string },
      entry: NewTripEntry,
    ): Promise<void> {
      const trips = sql`
        select tenant_id, network, trip_id from trip_entry
        where tenant_id = ${tenantId} and network = ${environment} and key = ${orderKey(orderId)}`;
      await insertTripEntry(trips, entry).execute(db);
    },

    ...createReads(db),
  };
}

/** The append-only record of trips. A repeated entry is written once. A trip of another tenant has no record here. */
type TripRecords = ReturnType<typeof createTripRecords>;

function createReads(db: Queryable) {
  const selectEntries = ({ tenantId, environment, tripId }: TripOwner) =>
    db
      .selectFrom("tripEntry")
      .where("tenantId", "=", tenantId)
      .where("environment", "=", environment)
      .where("tripId", "=", tripId);

  return {
    /** Newest first, before the given position. */
    async list(
      trip: TripOwner,
      { limit, before }: { limit: number; before: bigint | undefined },
    ): Promise<readonly TripEntry[]> {
      const rows = await selectEntries(trip)
        .select(["position", "kind", "text", "details", "userId", "at"])
        .$if(before !== undefined, (query) => query.where("position", "<", before ?? 0n))
        .orderBy("position", "desc")
        .limit(limit)
        .execute();
      return rows.map((row): TripEntry => ({ ...withoutNulls(row), kind: Kind.parse(row.kind) }));
    },

    async summarize(trip: TripOwner, milestones: number): Promise<TripRecordSummary> {
      const counted = await selectEntries(trip)
        .select(["kind", sql<number>`count(*)::int`.as("count")])
        .groupBy("kind")
        .execute();
      const latest = await selectEntries(trip)
        .select(["text", "at"])
        .where("kind", "in", [...MILESTONES])
        .orderBy("position", "desc")
        .limit(milestones)
        .execute();
      return {
        counts: Object.fromEntries(counted.map(({ kind, count }) => [kind, count])),
        milestones: latest.toReversed(),
      };
    },
  };
}
