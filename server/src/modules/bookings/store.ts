import { type Selectable, sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { BookingTable } from "../../platform/database/tables/booking-tables.ts";
import type { Clock } from "../../ports/clock.ts";
import { createLeases, type LeasedTable } from "../effects/store-leases.ts";
import type { Booking, BookingChange, Bookings } from "./bookings.ts";

/** By then the supplier's events have told what a fresh order had not yet, such as tickets; else it is asked. */
const FIRST_CHECK = { seconds: 60 } as const;

const table: LeasedTable<Selectable<BookingTable>, Booking> = {
  name: "booking",
  final: ["booked", "failed"],
  sending: ["ordering", "paying"],
  toRecord: toBooking,
};

export function createBookings(queryable: Queryable, clock: Clock): Bookings {
  const now = (): string => clock.now().toString();

  return {
    ...createLeases(queryable, clock, table),

    async insert(booking) {
      const at = now();
      const row = await queryable
        .insertInto("booking")
        .values({
          id: booking.id,
          tenant_id: booking.tenantId,
          network: booking.network,
          user_id: booking.userId,
          call_id: booking.callId,
          kind: booking.kind,
          offer_id: booking.offerId,
          state: "intended",
          amount_micro: booking.amountMicroUsdc,
          total_amount: booking.totalAmount,
          total_currency: booking.totalCurrency,
          airline_credit_id: booking.airlineCreditId ?? null,
          worker_id: booking.workerId,
          worker_seen_at: at,
          created_at: at,
          updated_at: at,
        })
        .onConflict((conflict) =>
          conflict.columns(["tenant_id", "network", "offer_id"]).where("state", "<>", "failed").doNothing(),
        )
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? undefined : toBooking(row);
    },

    async findLive(tenantId, network, offerId) {
      const row = await queryable
        .selectFrom("booking")
        .selectAll()
        .where("tenant_id", "=", tenantId)
        .where("network", "=", network)
        .where("offer_id", "=", offerId)
        .where("state", "<>", "failed")
        .executeTakeFirst();
      return row === undefined ? undefined : toBooking(row);
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
          updated_at: at,
          worker_seen_at: at,
          ...toColumns(change),
          ...(to === "booked" ? { booked_at: at, order_check_at: clock.now().add(FIRST_CHECK).toString() } : {}),
        })
        .where("id", "=", id)
        .where("state", "=", guard.from)
        .where("worker_id", "=", guard.workerId)
        .returning("id")
        .executeTakeFirst();
      return row !== undefined;
    },

    async leaseCustomer(network, email, holder, seconds) {
      const at = clock.now();
      const values = { holder, expires_at: at.add({ milliseconds: Math.round(seconds * 1000) }).toString() };
      const row = await queryable
        .insertInto("customer_lease")
        .values({ network, email, ...values })
        .onConflict((conflict) =>
          conflict
            .columns(["network", "email"])
            .doUpdateSet(values)
            .where("customer_lease.expires_at", "<=", sql<Temporal.Instant>`${at.toString()}::timestamptz`),
        )
        .returning("holder")
        .executeTakeFirst();
      return row !== undefined;
    },

    async endCustomerLease(network, email, holder) {
      await queryable
        .deleteFrom("customer_lease")
        .where("network", "=", network)
        .where("email", "=", email)
        .where("holder", "=", holder)
        .execute();
    },

    async ownCustomer(network, customerUserId, tenantId, userId) {
      await queryable
        .insertInto("customer_owner")
        .values({ network, customer_user_id: customerUserId, tenant_id: tenantId, user_id: userId })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const owner = await queryable
        .selectFrom("customer_owner")
        .select(["tenant_id", "user_id"])
        .where("network", "=", network)
        .where("customer_user_id", "=", customerUserId)
        .executeTakeFirst();
      return owner?.tenant_id === tenantId && owner.user_id === userId;
    },
  };
}

function toColumns(change: BookingChange) {
  const { orderId, pnr, ticketing, result, failureCode, payments, quietUntil } = change;
  return {
    ...(orderId === undefined ? {} : { order_id: orderId }),
    ...(pnr === undefined ? {} : { pnr }),
    ...(ticketing === undefined ? {} : { ticketing }),
    ...(result === undefined ? {} : { result: JSON.stringify(result) }),
    ...(failureCode === undefined ? {} : { failure_code: failureCode }),
    ...(payments === undefined ? {} : { payments }),
    ...(quietUntil === undefined ? {} : { quiet_until: quietUntil.toString() }),
  };
}

function toBooking(row: Selectable<BookingTable>): Booking {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    network: row.network,
    userId: row.user_id,
    callId: row.call_id,
    kind: row.kind,
    offerId: row.offer_id,
    state: row.state,
    amountMicroUsdc: row.amount_micro,
    totalAmount: row.total_amount,
    totalCurrency: row.total_currency,
    airlineCreditId: row.airline_credit_id ?? undefined,
    orderId: row.order_id ?? undefined,
    pnr: row.pnr ?? undefined,
    ticketing: row.ticketing ?? undefined,
    result: row.result ?? undefined,
    failureCode: row.failure_code ?? undefined,
    payments: row.payments,
    workerId: row.worker_id ?? undefined,
    workerSeenAt: row.worker_seen_at ?? undefined,
    quietUntil: row.quiet_until ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
