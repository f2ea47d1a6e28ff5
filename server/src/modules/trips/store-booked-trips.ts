import { type InferResult, sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import { stepsOfBooking, toBooking } from "./store-bookings.ts";
import { columns, stepsOfTrip, type TripsOptions, toTrip } from "./store-trip-rows.ts";
import type { BookedTrip, Trips } from "./trips.ts";

/** The booking's columns, under other names where the trip has the same. */
const bookingColumns = [
  "escrowBooking.bookingId",
  "escrowBooking.chain as bookingChain",
  "escrowBooking.state as bookingState",
  "escrowBooking.pending as bookingPending",
  "escrowBooking.reservedMicro as reserved",
  "escrowBooking.vendor",
  "escrowBooking.vendorAmountMicro as vendorAmount",
  "escrowBooking.markupMicro as markup",
  "escrowBooking.serviceFeeMicro as serviceFee",
  "escrowBooking.itineraryHash",
  "escrowBooking.ticketHash",
  "escrowBooking.details as bookingDetails",
  "escrowBooking.vendorPaidMicro as bookingVendorPaid",
  "escrowBooking.feePaidMicro as feePaid",
  "escrowBooking.refundedMicro as bookingRefunded",
  "escrowBooking.returnedMicro as returned",
  "escrowBooking.waitingMicro as waiting",
  "escrowBooking.createdAt as bookingCreatedAt",
  "escrowBooking.updatedAt as bookingUpdatedAt",
] as const;

const selectBookedTrips = (db: Queryable) =>
  db
    .selectFrom("escrowBooking")
    .innerJoin("trip", (join) =>
      join
        .onRef("trip.environment", "=", "escrowBooking.environment")
        .onRef("trip.tripId", "=", "escrowBooking.tripId")
        .onRef("trip.tenantId", "=", "escrowBooking.tenantId"),
    )
    .select(columns)
    .select(bookingColumns)
    .select([stepsOfTrip.as("transactions"), stepsOfBooking.as("bookingTransactions")]);

/**
 * The trip is locked first, as by everyone. A statement that waits for a lock gets the row as it is now, but reads other
 * tables as they were when it began: steps are of now if neither row has changed meanwhile.
 */
const selectLocked = (db: Queryable) =>
  selectBookedTrips(db)
    .select(
      sql<boolean>`(trip.ctid, escrow_booking.ctid) = (
        select trip_seen.ctid, booking_seen.ctid from trip trip_seen, escrow_booking booking_seen
        where trip_seen.network = trip.network and trip_seen.trip_id = trip.trip_id
          and booking_seen.tenant_id = escrow_booking.tenant_id and booking_seen.network = escrow_booking.network
          and booking_seen.booking_id = escrow_booking.booking_id
      )`.as("isUnchanged"),
    )
    .forUpdate(["trip", "escrowBooking"]);

export function createBookedTrips({
  db,
  vault,
}: TripsOptions): Pick<Trips, "findOfBooking" | "lockOfBooking" | "lockWithBooking"> {
  const findOfBooking: Trips["findOfBooking"] = async (tenantId, environment, bookingId) => {
    const row = await selectBookedTrips(db)
      .where("escrowBooking.tenantId", "=", tenantId)
      .where("escrowBooking.environment", "=", environment)
      .where("escrowBooking.bookingId", "=", bookingId)
      .executeTakeFirst();
    return row === undefined ? undefined : toBookedTrip(row, vault);
  };

  const lock = async (query: ReturnType<typeof selectLocked>): Promise<BookedTrip | undefined> => {
    const locked = await query.executeTakeFirst();
    if (locked === undefined) return undefined;
    const { isUnchanged, ...row } = locked;
    return isUnchanged ? toBookedTrip(row, vault) : await findOfBooking(row.tenantId, row.environment, row.bookingId);
  };

  return {
    findOfBooking,

    lockOfBooking: (tenantId, environment, bookingId) =>
      lock(
        selectLocked(db)
          .where("escrowBooking.tenantId", "=", tenantId)
          .where("escrowBooking.environment", "=", environment)
          .where("escrowBooking.bookingId", "=", bookingId),
      ),

    lockWithBooking: (environment, tripId, bookingId) =>
      lock(
        selectLocked(db)
          .where("trip.environment", "=", environment)
          .where("trip.tripId", "=", tripId)
          .where("escrowBooking.bookingId", "=", bookingId),
      ),
  };
}

function toBookedTrip(
  {
    bookingId,
    bookingChain: chain,
    bookingState: state,
    bookingPending: pending,
    reserved,
    vendor,
    vendorAmount,
    markup,
    serviceFee,
    itineraryHash,
    ticketHash,
    bookingDetails: details,
    bookingVendorPaid: vendorPaid,
    feePaid,
    bookingRefunded: refunded,
    returned,
    waiting,
    bookingCreatedAt: createdAt,
    bookingUpdatedAt: updatedAt,
    bookingTransactions: transactions,
    ...trip
  }: InferResult<ReturnType<typeof selectBookedTrips>>[number],
  vault: TripsOptions["vault"],
): BookedTrip {
  const { environment, tenantId, tripId } = trip;
  const booking = toBooking({
    bookingId,
    tripId,
    environment,
    chain,
    tenantId,
    state,
    pending,
    reserved,
    vendor,
    vendorAmount,
    markup,
    serviceFee,
    itineraryHash,
    ticketHash,
    details,
    vendorPaid,
    feePaid,
    refunded,
    returned,
    waiting,
    createdAt,
    updatedAt,
    transactions,
  });
  return { trip: toTrip(trip, vault), booking };
}
