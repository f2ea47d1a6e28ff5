import { type Selectable, sql } from "kysely";
import { z } from "zod";
import type { Queryable } from "../../platform/database/database.ts";
import type { EscrowBookingTable } from "../../platform/database/tables/escrow-tables.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EscrowBooking, EscrowBookingChange, EscrowBookings } from "./escrow-bookings.ts";

const Step = z.enum(["reserve", "commit", "confirm", "settle", "cancel", "release"]);

const Details = z.object({
  itineraryCid: z.string().exactOptional(),
  cancelReason: z.string().exactOptional(),
  pricing: z.record(z.string(), z.unknown()).exactOptional(),
});

const Pending = z.object({ step: Step, transactionId: z.string(), details: Details });

const Steps = z.array(
  z.object({
    step: Step,
    transactionHash: z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]*$/)]),
    at: z.string().transform((text) => Temporal.Instant.from(text)),
  }),
);

/** Oldest first. */
const stepsOfBooking = sql<unknown>`(
  select coalesce(jsonb_agg(jsonb_build_object('step', step, 'transactionHash', transaction_hash, 'at', at) order by id), '[]')
  from escrow_step
  where escrow_step.network = escrow_booking.network and escrow_step.trip_id = escrow_booking.trip_id
    and escrow_step.booking_id = escrow_booking.booking_id
)`;

/** Joins the caller's transaction when `db` is one. */
export function createEscrowBookings(db: Queryable, clock: Clock): EscrowBookings {
  const now = (): string => clock.now().toString();
  const selectBookings = () =>
    db.selectFrom("escrow_booking").selectAll("escrow_booking").select(stepsOfBooking.as("transactions"));

  return {
    async insert({ bookingId, tripId, network, tenantId, reserved, pending }) {
      const at = now();
      const fresh = {
        trip_id: tripId,
        pending: JSON.stringify(pending),
        reserved_micro: reserved,
        created_at: at,
        updated_at: at,
      };
      const row = await db
        .insertInto("escrow_booking")
        .values({ network, tenant_id: tenantId, booking_id: bookingId, ...fresh })
        .onConflict((conflict) =>
          conflict
            .columns(["tenant_id", "network", "booking_id"])
            // A failed one never was on the chain: nothing else of it is set.
            .doUpdateSet({ ...fresh, state: "reserving" })
            .where("escrow_booking.state", "=", "failed"),
        )
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? undefined : toBooking({ ...row, transactions: [] });
    },

    async find(tenantId, network, bookingId) {
      const row = await selectBookings()
        .where("tenant_id", "=", tenantId)
        .where("network", "=", network)
        .where("booking_id", "=", bookingId)
        .executeTakeFirst();
      return row === undefined ? undefined : toBooking(row);
    },

    async change({ tenantId, network, bookingId }, change) {
      const at = now();
      const { trip_id } = await db
        .updateTable("escrow_booking")
        .set({ ...toColumns(change), updated_at: at })
        .where("tenant_id", "=", tenantId)
        .where("network", "=", network)
        .where("booking_id", "=", bookingId)
        .returning("trip_id")
        .executeTakeFirstOrThrow();
      if (change.transaction === undefined) return;
      const { step, transactionHash } = change.transaction;
      await db
        .insertInto("escrow_step")
        .values({ network, trip_id, booking_id: bookingId, step, transaction_hash: transactionHash, at })
        .execute();
    },

    async listOfTrip(network, tripId) {
      const rows = await selectBookings()
        .where("network", "=", network)
        .where("trip_id", "=", tripId)
        .orderBy("created_at", "desc")
        .orderBy("booking_id")
        .execute();
      return rows.map(toBooking);
    },
  };
}

/** Only what is there, but that also when it is undefined. */
function toColumns(change: EscrowBookingChange) {
  const { state, reserved, vendorAmount, markup, serviceFee, details, vendorPaid, feePaid, refunded, waiting } = change;
  return {
    ...(state === undefined ? {} : { state }),
    ...(reserved === undefined ? {} : { reserved_micro: reserved }),
    ...(vendorAmount === undefined ? {} : { vendor_amount_micro: vendorAmount }),
    ...(markup === undefined ? {} : { markup_micro: markup }),
    ...(serviceFee === undefined ? {} : { service_fee_micro: serviceFee }),
    ...(details === undefined ? {} : { details: JSON.stringify(details) }),
    ...(vendorPaid === undefined ? {} : { vendor_paid_micro: vendorPaid }),
    ...(feePaid === undefined ? {} : { fee_paid_micro: feePaid }),
    ...(refunded === undefined ? {} : { refunded_micro: refunded }),
    ...(waiting === undefined ? {} : { waiting_micro: waiting }),
    ...("vendor" in change ? { vendor: change.vendor ?? null } : {}),
    ...("itineraryHash" in change ? { itinerary_hash: change.itineraryHash ?? null } : {}),
    ...("ticketHash" in change ? { ticket_hash: change.ticketHash ?? null } : {}),
    ...("pending" in change ? { pending: change.pending === undefined ? null : JSON.stringify(change.pending) } : {}),
  };
}

function toBooking(row: Selectable<EscrowBookingTable> & { transactions: unknown }): EscrowBooking {
  return {
    bookingId: row.booking_id,
    tripId: row.trip_id,
    network: row.network,
    tenantId: row.tenant_id,
    state: row.state,
    pending: row.pending === null ? undefined : Pending.parse(row.pending),
    reserved: row.reserved_micro,
    vendor: row.vendor ?? undefined,
    vendorAmount: row.vendor_amount_micro,
    markup: row.markup_micro,
    serviceFee: row.service_fee_micro,
    itineraryHash: row.itinerary_hash ?? undefined,
    ticketHash: row.ticket_hash ?? undefined,
    details: Details.parse(row.details),
    vendorPaid: row.vendor_paid_micro,
    feePaid: row.fee_paid_micro,
    refunded: row.refunded_micro,
    waiting: row.waiting_micro,
    transactions: Steps.parse(row.transactions),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
