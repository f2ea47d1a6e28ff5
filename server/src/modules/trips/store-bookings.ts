import { type InferResult, type QueryCreator, sql } from "kysely";
import { z } from "zod";
import type { Hex } from "../../domain/tokens.ts";
import { currentTraceId } from "../../domain/trace.ts";
import type { Database, Queryable } from "../../platform/database/database.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import { toWrite, type Write } from "../../platform/database/write-together.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EscrowBooking, EscrowBookingChange, EscrowBookings } from "./escrow-bookings.ts";

const Details = z.object({
  itineraryCid: z.string().exactOptional(),
  cancelReason: z.string().exactOptional(),
  pricing: z.record(z.string(), z.unknown()).exactOptional(),
});

const Pending = z.object({ step: z.string(), transactionId: z.string(), details: Details });

const Steps = z.array(
  z.object({
    step: z.string(),
    transactionHash: z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]*$/)]),
    at: z.string().transform((text) => Temporal.Instant.from(text)),
  }),
);

/** Oldest first. */
export const stepsOfBooking = sql<unknown>`(
  select coalesce(jsonb_agg(jsonb_build_object('step', step, 'transactionHash', transaction_hash, 'at', at) order by id), '[]')
  from escrow_step
  where escrow_step.network = escrow_booking.network and escrow_step.trip_id = escrow_booking.trip_id
    and escrow_step.booking_id = escrow_booking.booking_id
)`;

const columns = [
  "bookingId",
  "tripId",
  "environment",
  "chain",
  "tenantId",
  "state",
  "pending",
  "reservedMicro as reserved",
  "vendor",
  "vendorAmountMicro as vendorAmount",
  "markupMicro as markup",
  "serviceFeeMicro as serviceFee",
  "itineraryHash",
  "ticketHash",
  "details",
  "vendorPaidMicro as vendorPaid",
  "feePaidMicro as feePaid",
  "refundedMicro as refunded",
  "returnedMicro as returned",
  "waitingMicro as waiting",
  "createdAt",
  "updatedAt",
] as const;

const selectBookings = (db: Queryable) =>
  db.selectFrom("escrowBooking").select(columns).select(stepsOfBooking.as("transactions"));

/** Joins the caller's transaction when `db` is one. */
export function createEscrowBookings(db: Queryable, clock: Clock): EscrowBookings {
  const now = (): string => clock.now().toString();
  return {
    async insert({ bookingId, tripId, environment, chain, tenantId, reserved, pending }) {
      const at = now();
      const fresh = {
        tripId,
        chain,
        pending: JSON.stringify(pending),
        reservedMicro: reserved,
        createdAt: at,
        updatedAt: at,
        traceId: currentTraceId(),
      };
      const row = await db
        .insertInto("escrowBooking")
        .values({ environment, tenantId, bookingId, ...fresh })
        .onConflict((conflict) =>
          conflict
            .columns(["tenantId", "environment", "bookingId"])
            // A failed one was never on the chain: nothing else of it is set.
            .doUpdateSet({ ...fresh, state: "reserving" })
            .where("escrowBooking.state", "=", "failed"),
        )
        .returning(columns)
        .executeTakeFirst();
      return row === undefined ? undefined : toBooking({ ...row, transactions: [] });
    },

    async find(tenantId, environment, bookingId) {
      const row = await selectBookings(db)
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("bookingId", "=", bookingId)
        .executeTakeFirst();
      return row === undefined ? undefined : toBooking(row);
    },

    async change({ tenantId, environment, bookingId }, change) {
      const at = now();
      const { transaction } = change;
      const update = (creator: QueryCreator<Database>) =>
        creator
          .updateTable("escrowBooking")
          .set({ ...toColumns(change), updatedAt: at })
          .where("tenantId", "=", tenantId)
          .where("environment", "=", environment)
          .where("bookingId", "=", bookingId)
          .returning(columns)
          .returning(stepsOfBooking.as("transactions"));
      if (transaction === undefined) return toBooking(await update(db).executeTakeFirstOrThrow());
      const { step, transactionHash } = transaction;
      const tripId = sql<Hex>`(select trip_id from changed)`;
      const row = await db
        .with("changed", update)
        .with("taken", (creator) =>
          creator
            .insertInto("escrowStep")
            .values({ environment, tripId, bookingId, step, transactionHash, at, traceId: currentTraceId() }),
        )
        .selectFrom("changed")
        .selectAll()
        .executeTakeFirstOrThrow();
      // The statement reads the steps as they were before it.
      const booking = toBooking(row);
      const taken = { step, transactionHash, at: booking.updatedAt };
      return { ...booking, transactions: [...booking.transactions, taken] };
    },

    ...createPrepared(db, clock),

    async listOfTrip(environment, tripId) {
      const rows = await selectBookings(db)
        .where("environment", "=", environment)
        .where("tripId", "=", tripId)
        .orderBy("createdAt", "desc")
        .orderBy("bookingId")
        .execute();
      return rows.map(toBooking);
    },
  };
}

function createPrepared(db: Queryable, clock: Clock): Pick<EscrowBookings, "prepareChange" | "preparePending"> {
  const update = (
    { tenantId, environment, bookingId }: EscrowBooking,
    change: EscrowBookingChange,
    at: Temporal.Instant,
  ): Write =>
    toWrite(
      db
        .updateTable("escrowBooking")
        .set({ ...toColumns(change), updatedAt: at.toString() })
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("bookingId", "=", bookingId)
        .returning("bookingId"),
    );
  return {
    prepareChange(booking, change) {
      const { environment, tripId, bookingId } = booking;
      const at = clock.now();
      const { transaction, ...progress } = change;
      const after = { ...booking, ...progress, updatedAt: at };
      if (transaction === undefined) return { after, writes: [update(booking, change, at)] };
      const { step, transactionHash } = transaction;
      const taken = { environment, tripId, bookingId, step, transactionHash, at: at.toString() };
      const insert = db
        .insertInto("escrowStep")
        .values({ ...taken, traceId: currentTraceId() })
        .returning("id");
      const transactions = [...booking.transactions, { step, transactionHash, at }];
      return { after: { ...after, transactions }, writes: [update(booking, change, at), toWrite(insert)] };
    },

    preparePending: (booking, pending) => update(booking, { pending }, clock.now()),
  };
}

/** Sets only the members that are present, even if undefined. */
function toColumns(change: EscrowBookingChange) {
  const { state, reserved, vendorAmount, markup, serviceFee, details } = change;
  const { vendorPaid, feePaid, refunded, returned, waiting } = change;
  return {
    state,
    reservedMicro: reserved,
    vendorAmountMicro: vendorAmount,
    markupMicro: markup,
    serviceFeeMicro: serviceFee,
    details: details === undefined ? undefined : JSON.stringify(details),
    vendorPaidMicro: vendorPaid,
    feePaidMicro: feePaid,
    refundedMicro: refunded,
    returnedMicro: returned,
    waitingMicro: waiting,
    ...("vendor" in change ? { vendor: change.vendor ?? null } : {}),
    ...("itineraryHash" in change ? { itineraryHash: change.itineraryHash ?? null } : {}),
    ...("ticketHash" in change ? { ticketHash: change.ticketHash ?? null } : {}),
    ...("pending" in change ? { pending: change.pending === undefined ? null : JSON.stringify(change.pending) } : {}),
  };
}

export function toBooking(row: InferResult<ReturnType<typeof selectBookings>>[number]): EscrowBooking {
  return {
    ...withoutNulls(row),
    pending: row.pending === null ? undefined : Pending.parse(row.pending),
    details: Details.parse(row.details),
    transactions: Steps.parse(row.transactions),
  };
}
