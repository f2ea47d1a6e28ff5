import { type Selectable, sql } from "kysely";
import { z } from "zod";
import { currentTraceId } from "../../../domain/trace.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import type { BookingTable } from "../../../platform/database/generated-tables.ts";
import { withoutNulls } from "../../../platform/database/without-nulls.ts";
import { createWorkerLeases, type LeasedTable } from "../../../platform/leased-queue/worker-leases.ts";
import type { Clock } from "../../../ports/clock.ts";
import { toRate } from "../booking-rate.ts";
import { seenPosition } from "../offers/store-seen-position.ts";
import { ERASED_PARTICULARS } from "./asked-booking.ts";
import { AskedServices } from "./asked-services.ts";
import { BookedTravelers } from "./booked-travelers.ts";
import type { Booking, BookingChange, Bookings } from "./bookings.ts";
import { requireHex } from "./cover.ts";
import { createTickets } from "./store-tickets.ts";

/** By then events of the supplier have usually told what a new order lacked, such as tickets; otherwise it is asked. */
const FIRST_CHECK = { seconds: 60 } as const;

const ContactHashes = z.record(z.string(), z.string());

const table: LeasedTable<Selectable<BookingTable>, Booking> = {
  name: "booking",
  open: { notIn: ["booked", "failed", "on_hold"] },
  sending: ["ordering", "paying", "adding"],
  toRecord: toBooking,
};

export function createBookings(queryable: Queryable, clock: Clock): Bookings {
  return {
    ...createWorkerLeases(queryable, clock, table),
    ...createRecords(queryable, clock),
    ...createHolds(queryable, clock),
    ...createCustomers(queryable, clock),
    ...createCovers(queryable),
    ...createErasure(queryable),
    ...createTickets(queryable, clock),
  };
}

function createErasure(queryable: Queryable): Pick<Bookings, "forgetParticulars"> {
  return {
    async forgetParticulars({ tenantId, environment }, { userId, name }) {
      const travels = JSON.stringify([{ userId }]);
      const isNamed = JSON.stringify([{ givenName: name, familyName: name }]);
      await sql`
        update booking set particulars_hash = ${ERASED_PARTICULARS}, contact_hashes = null
        where tenant_id = ${tenantId} and network = ${environment} and particulars_hash is distinct from ${ERASED_PARTICULARS}
          and ((user_id = ${userId} and user_id not like 'svc:%') or travelers @> ${travels}::jsonb or travelers @> ${isNamed}::jsonb)`.execute(
        queryable,
      );
    },
  };
}

function createRecords(
  queryable: Queryable,
  clock: Clock,
): Pick<Bookings, "insert" | "findLive" | "listLatest" | "get" | "advance"> {
  const now = (): string => clock.now().toString();

  return {
    async insert(booking) {
      const at = now();
      const row = await queryable
        .insertInto("booking")
        .values({
          id: booking.id,
          tenantId: booking.tenantId,
          environment: booking.environment,
          userId: booking.userId,
          callId: booking.callId,
          traceId: currentTraceId(),
          kind: booking.kind,
          offerId: booking.offerId,
          state: "intended",
          amountMicro: booking.amountMicroUsdc,
          escrowBookingId: booking.escrowBookingId ?? null,
          coverMicro: booking.escrowBookingId === undefined ? 0n : booking.amountMicroUsdc,
          totalAmount: booking.totalAmount,
          totalCurrency: booking.totalCurrency,
          rate: JSON.stringify(booking.rate),
          airlineCreditId: booking.airlineCreditId ?? null,
          travelers: JSON.stringify(booking.travelers),
          itinerarySalt: booking.itinerarySalt,
          particularsHash: booking.particularsHash ?? null,
          contactHashes: booking.contactHashes === undefined ? null : JSON.stringify(booking.contactHashes),
          askedServices: JSON.stringify(booking.askedServices ?? []),
          stayPosition: booking.kind === "stay" ? seenPosition(booking) : null,
          askedSlices: booking.askedSlices === undefined ? null : JSON.stringify(booking.askedSlices),
          workerId: booking.workerId,
          workerSeenAt: at,
          createdAt: at,
          updatedAt: at,
        })
        .onConflict((conflict) =>
          conflict.columns(["tenantId", "environment", "offerId"]).where("state", "<>", "failed").doNothing(),
        )
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? undefined : toBooking(row);
    },

    async findLive(tenantId, environment, offerId) {
      const row = await queryable
        .selectFrom("booking")
        .selectAll()
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("offerId", "=", offerId)
        .where("state", "<>", "failed")
        .executeTakeFirst();
      return row === undefined ? undefined : toBooking(row);
    },

    async listLatest(tenantId, environment, limit) {
      const rows = await queryable
        .selectFrom("booking")
        .selectAll()
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(toBooking);
    },

    async get(id) {
      const row = await queryable.selectFrom("booking").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? undefined : toBooking(row);
    },

    async advance(id, guard, to, change = {}) {
      const at = now();
      const row = await queryable
        .updateTable("booking")
        .set({
          state: to,
          updatedAt: at,
          workerSeenAt: at,
          ...toColumns(to, change),
          ...orderColumns(to, change, clock.now()),
        })
        .where("id", "=", id)
        .where("state", "=", guard.from)
        .where("workerId", "=", guard.workerId)
        .returning("id")
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

/** Amounts that reservations in escrow owe for bookings. */
function createCovers(
  queryable: Queryable,
): Pick<Bookings, "findCovered" | "listUncovered" | "setCover" | "setCoverOfReservation" | "reduceCover"> {
  return {
    async findCovered(tenantId, environment, escrowBookingId, lock) {
      const query = queryable
        .selectFrom("booking")
        .selectAll()
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("escrowBookingId", "=", escrowBookingId)
        .where("state", "<>", "failed");
      const row = await (lock === undefined ? query : query.forUpdate()).executeTakeFirst();
      return row === undefined ? undefined : toBooking(row);
    },

    async listUncovered(environment, limit) {
      const rows = await queryable
        .selectFrom("booking")
        .innerJoin("escrowBooking", (join) =>
          join
            .onRef("escrowBooking.tenantId", "=", "booking.tenantId")
            .onRef("escrowBooking.environment", "=", "booking.environment")
            .onRef("escrowBooking.bookingId", "=", "booking.escrowBookingId"),
        )
        .selectAll("booking")
        .where("booking.environment", "=", environment)
        .where("booking.escrowBookingId", "is not", null)
        .where("booking.state", "<>", "failed")
        .where("booking.coverMicro", ">", 0n)
        .where("escrowBooking.state", "=", "cancelled")
        .limit(limit)
        .execute();
      return rows.map(toBooking);
    },

    async setCover(id, { cover, coverCharged, ...change }) {
      await queryable
        .updateTable("booking")
        .set({
          coverMicro: cover,
          ...(coverCharged === undefined ? {} : { coverChargedMicro: coverCharged }),
          ...("escrowBookingId" in change ? { escrowBookingId: null } : {}),
        })
        .where("id", "=", id)
        .execute();
    },

    async setCoverOfReservation(id, cover) {
      const row = await queryable
        .updateTable("booking")
        .set({ coverMicro: cover })
        .where("id", "=", id)
        .where("escrowBookingId", "is not", null)
        .returning("id")
        .executeTakeFirst();
      return row !== undefined;
    },

    async reduceCover(id, amount) {
      const { rows } = await sql<{ reduced: bigint }>`
        with old as (select id, least(cover_micro, ${String(amount)}::bigint) as reduced from booking
          where id = ${id} for update)
        update booking set cover_micro = cover_micro - old.reduced from old where booking.id = old.id
        returning old.reduced`.execute(queryable);
      return rows[0]?.reduced ?? 0n;
    },
  };
}

function createHolds(queryable: Queryable, clock: Clock): Pick<Bookings, "payHeld"> {
  return {
    async payHeld({ id, tenantId, environment, amountMicroUsdc, rate, askedServices, escrowBookingId, ...payment }) {
      const at = clock.now().toString();
      const row = await queryable
        .updateTable("booking")
        .set({
          ...payment,
          kind: "flight",
          state: "held",
          amountMicro: amountMicroUsdc,
          rate: JSON.stringify(rate),
          askedServices: JSON.stringify(askedServices),
          ...(escrowBookingId === undefined ? {} : { escrowBookingId, coverMicro: amountMicroUsdc }),
          traceId: currentTraceId(),
          workerSeenAt: at,
          updatedAt: at,
          quietUntil: null,
        })
        .where("id", "=", id)
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("state", "=", "on_hold")
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? undefined : toBooking(row);
    },
  };
}

/** Leases for creating a supplier's customers, and their owners. */
function createCustomers(
  queryable: Queryable,
  clock: Clock,
): Pick<Bookings, "leaseCustomer" | "endCustomerLease" | "ownCustomer" | "isOwnCustomer"> {
  const isOwnCustomer: Bookings["isOwnCustomer"] = async (environment, customerUserId, tenantId, userId) => {
    const owner = await queryable
      .selectFrom("customerOwner")
      .select(["tenantId", "userId"])
      .where("environment", "=", environment)
      .where("customerUserId", "=", customerUserId)
      .executeTakeFirst();
    return owner?.tenantId === tenantId && owner.userId === userId;
  };

  return {
    isOwnCustomer,

    async leaseCustomer(environment, email, holder, seconds) {
      const at = clock.now();
      const values = { holder, expiresAt: at.add({ milliseconds: Math.round(seconds * 1000) }).toString() };
      const row = await queryable
        .insertInto("customerLease")
        .values({ environment, email, ...values })
        .onConflict((conflict) =>
          conflict
            .columns(["environment", "email"])
            .doUpdateSet(values)
            .where("customerLease.expiresAt", "<=", sql<Temporal.Instant>`${at.toString()}::timestamptz`),
        )
        .returning("holder")
        .executeTakeFirst();
      return row !== undefined;
    },

    async endCustomerLease(environment, email, holder) {
      await queryable
        .deleteFrom("customerLease")
        .where("environment", "=", environment)
        .where("email", "=", email)
        .where("holder", "=", holder)
        .execute();
    },

    async ownCustomer(environment, customerUserId, tenantId, userId) {
      await queryable
        .insertInto("customerOwner")
        .values({ environment, customerUserId: customerUserId, tenantId: tenantId, userId: userId })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      return await isOwnCustomer(environment, customerUserId, tenantId, userId);
    },
  };
}

/** The order's status after the change, and when the supplier is first asked about it. */
function orderColumns(to: Booking["state"], { holdUntil }: BookingChange, now: Temporal.Instant) {
  const at = now.toString();
  switch (to) {
    case "on_hold":
      return { orderStatus: "held", orderCheckAt: (holdUntil ?? now.add(FIRST_CHECK)).toString() } as const;
    case "booked":
      return {
        orderStatus: "confirmed",
        bookedAt: at,
        orderCheckAt: now.add(FIRST_CHECK).toString(),
        // The last reading of the order is older than its result: bags may have been added since.
        orderTotalAmount: null,
        orderTotalCurrency: null,
      } as const;
    case "failed":
      return {
        orderStatus: sql<"lapsed" | "cancelled" | "confirmed">`case when order_status <> 'held' then order_status
          when hold_until <= ${at}::timestamptz then 'lapsed' else 'cancelled' end`,
      };
    default:
      return {};
  }
}

/** The answer to a hold is kept apart from the answer to its payment. */
function toColumns(to: Booking["state"], { result: given, ...change }: BookingChange) {
  const { orderId, pnr, ticketing, itineraryHash, ticketOrderHash, failureCode, quietUntil } = change;
  const result = given === undefined ? undefined : JSON.stringify(given);
  return {
    orderId,
    pnr,
    ticketing,
    itineraryHash,
    ticketOrderHash,
    ...(to === "on_hold" ? { holdResult: result } : { result }),
    holdCallId: change.holdCallId,
    holdUntil: change.holdUntil?.toString(),
    failureCode,
    payments: change.payments,
    additions: change.additions,
    quietUntil: quietUntil?.toString(),
  };
}

/** Also for those who select these columns themselves. */
export function readBookingColumns({
  escrowBookingId,
  travelers,
}: Pick<Selectable<BookingTable>, "escrowBookingId" | "travelers">): Pick<Booking, "escrowBookingId" | "travelers"> {
  return {
    escrowBookingId: escrowBookingId === null ? undefined : requireHex(escrowBookingId),
    travelers: BookedTravelers.parse(travelers),
  };
}

export function toBooking({
  amountMicro,
  coverMicro,
  coverChargedMicro,
  escrowBookingId,
  travelers,
  askedServices,
  rate,
  contactHashes,
  ...row
}: Selectable<BookingTable>): Booking {
  return {
    ...withoutNulls(row),
    ...(row.state === "on_hold" ? { result: row.holdResult } : {}),
    amountMicroUsdc: amountMicro,
    ...readBookingColumns({ escrowBookingId, travelers }),
    cover: coverMicro,
    coverCharged: coverChargedMicro,
    askedServices: AskedServices.parse(askedServices),
    rate: toRate(rate),
    contactHashes: contactHashes === null ? undefined : ContactHashes.parse(contactHashes),
  };
}
