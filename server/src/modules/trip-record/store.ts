import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { currentTraceId } from "../../domain/trace.ts";
import { type TripEntryKind, tripEntryKinds } from "../../kernel/contracts/trip-note.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import { type Write, writeTogether } from "../../platform/database/write-together.ts";
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

/**
 * The same for entries that `told` selects as `tenant_id`, `network`, `trip_id`, `key`, `kind`, `text`, `details` and `at`, in their
 * order.
 */
export function insertTripEntries(told: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into trip_entry (tenant_id, network, trip_id, key, kind, text, details, user_id, at, trace_id)
    select trip.tenant_id, trip.network, trip.trip_id, told.key, told.kind, told.text, told.details, null, told.at,
      ${currentTraceId() ?? null}::text
    from (${told}) told join trip
      on trip.tenant_id = told.tenant_id and trip.network = told.network and trip.trip_id = lower(told.trip_id)
    on conflict (tenant_id, network, trip_id, key) do nothing returning 1`;
}

interface BookingOwner {
  tenantId: string;
  environment: Environment;
  bookingId: string;
}

/** Returns the statement that adds an entry to the trip of an escrow booking, as `insertTripEntry` does. */
export function insertEntryOfBooking({ tenantId, environment, bookingId }: BookingOwner, entry: NewTripEntry): Write {
  const trips = sql`
    select tenant_id, network, trip_id from escrow_booking
    where tenant_id = ${tenantId} and network = ${environment} and booking_id = ${bookingId}`;
  return insertTripEntry(trips, entry);
}

export const selectTrip = ({ tenantId, environment, tripId }: TripOwner) =>
  sql`select ${tenantId}::text as tenant_id, ${environment}::text as network, ${tripId}::text as trip_id`;

const prepareEntries = (trip: TripOwner, entries: readonly NewTripEntry[]): readonly Write[] =>
  entries.map((entry) => insertTripEntry(selectTrip(trip), entry));

/** Joins the caller's transaction when `db` is one. */
export function createTripRecords(db: Queryable) {
  return {
    async append(trip: TripOwner, ...entries: readonly NewTripEntry[]): Promise<void> {
      await writeTogether(db, prepareEntries(trip, entries));
    },

    prepare: (trip: TripOwner, ...entries: readonly NewTripEntry[]): readonly Write[] => prepareEntries(trip, entries),

    /** Sends prepared entries and other writes as one statement. */
    write: (writes: readonly Write[]): Promise<void> => writeTogether(db, writes),

    ...createReads(db),
  };
}

/** The append-only record of trips. A repeated entry is written once. A trip of another tenant has no record here. */
type TripRecords = ReturnType<typeof createTripRecords>;

/** As JSON gives the members of a record. */
const Moment = z.string().transform((text) => Temporal.Instant.from(text));
const Record = z.object({
  counts: z.partialRecord(Kind, z.number()),
  milestones: z.array(z.object({ text: z.string(), at: Moment })),
  entries: z.array(
    z.object({
      position: z.string().transform(BigInt),
      kind: Kind,
      text: z.string(),
      details: z.record(z.string(), z.unknown()),
      userId: z.string().nullable(),
      at: Moment,
    }),
  ),
});

function createReads(db: Queryable) {
  return {
    /** Entries newest first, before the given position, and the summary of all: its milestones oldest first. */
    async read(
      { tenantId, environment, tripId }: TripOwner,
      { limit, before, milestones }: { limit: number; before: bigint | undefined; milestones: number },
    ): Promise<{ entries: readonly TripEntry[]; summary: TripRecordSummary }> {
      const entries = sql`trip_entry where tenant_id = ${tenantId} and network = ${environment} and trip_id = ${tripId}`;
      const page = before === undefined ? sql`` : sql` and position < ${before}`;
      const { rows } = await sql`
        select
          (select coalesce(jsonb_object_agg(kind, count), '{}') from (
            select kind, count(*)::int as count from ${entries} group by kind
          ) counted) as counts,
          (select coalesce(jsonb_agg(jsonb_build_object('text', text, 'at', at) order by position), '[]') from (
            select text, at, position from ${entries} and kind = any (${[...MILESTONES]}::text[])
            order by position desc limit ${milestones}
          ) latest) as milestones,
          (select coalesce(jsonb_agg(jsonb_build_object('position', position::text, 'kind', kind, 'text', text,
            'details', details, 'userId', user_id, 'at', at) order by position desc), '[]') from (
            select position, kind, text, details, user_id, at from ${entries}${page} order by position desc limit ${limit}
          ) listed) as entries`.execute(db);
      const { counts, milestones: latest, entries: listed } = Record.parse(rows[0]);
      return { entries: listed.map(withoutNulls), summary: { counts, milestones: latest } };
    },
  };
}
