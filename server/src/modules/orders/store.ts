import { type Expression, type ExpressionBuilder, type InferResult, type SqlBool, sql } from "kysely";
import pg from "pg";
import { z } from "zod";
import type { Database, Queryable } from "../../platform/database/database.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import { takeDueRows } from "../../platform/leased-queue/take-rows.ts";
import type { Queue } from "../../platform/leased-queue/watch-queues.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { BookedTravelers, readBookingColumns, toRate } from "../bookings/index.ts";
import { BookedSegments, BookedSlices } from "./booked-slices.ts";
import { createOrderCosts, isAsked, listedColumns, rowKinds, SLICES } from "./listing/store-listed.ts";
import type { BoughtOrder, FlightsAsked, OrderRecord, Orders } from "./orders.ts";
import { createBookedSlices } from "./store-booked-slices.ts";
import { holdColumns, isJson, toColumns } from "./store-change-columns.ts";
import { createEvents, eventsColumn, readEvents } from "./store-events.ts";
import { createBookedFlights, flightsColumn } from "./store-flights.ts";
import { statusAt } from "./store-order-status.ts";
import { mayHaveUnclear } from "./store-servicing-actions.ts";
import { createBookedStays, readPosition } from "./store-stays.ts";

const Documents = z.array(z.record(z.string(), z.unknown()));
const ScheduleChanges = z.array(
  z.object({ id: z.string(), detectedAt: z.string().nullable(), removed: BookedSegments, added: BookedSegments }),
);
const PriceParts = z.array(z.string());

const MOST_NAMED = 20;

type Conditions = (row: ExpressionBuilder<Database, "booking">) => Expression<SqlBool>[];

/** Selects the given columns in addition to those that every reader needs. */
const selectOrders = ({ queryable, clock }: Reading, conditions: Conditions) =>
  queryable
    .selectFrom("booking")
    .select([
      "id as bookingId",
      "orderId",
      "tenantId",
      "environment",
      sql<OrderRecord["kind"]>`case kind when 'stay' then 'stay' else 'flight' end`.as("kind"),
      statusAt(clock.now()).as("status"),
      "holdUntil",
      "pnr",
      "ticketing",
      "orderDocuments as documents",
      "orderScheduleChanges as scheduleChanges",
      "createdAt",
      "updatedAt",
      "orderReadAt as readAt",
      "itineraryHash",
      "ticketOrderHash",
      "itinerarySalt",
      "rate",
      sql<string | null>`(
        select escrow_booking.booking_id from escrow_booking
        where escrow_booking.tenant_id = booking.tenant_id and escrow_booking.network = booking.network
          and escrow_booking.itinerary_hash = booking.itinerary_hash
          and escrow_booking.state in ('committed', 'confirmed', 'settled')
        order by escrow_booking.created_at limit 1)`.as("externalId"),
      sql<string>`coalesce(order_total_amount, result->>'totalAmount', total_amount)`.as("totalAmount"),
      sql<string>`coalesce(order_total_currency, result->>'totalCurrency', total_currency)`.as("totalCurrency"),
      sql<unknown>`jsonb_build_array(coalesce(result->>'totalAmount', total_amount)) || (
        select coalesce(jsonb_agg(order_event.details->'changeTotalAmount' order by order_event.id), '[]')
        from order_event
        where order_event.network = booking.network and order_event.order_id = booking.order_id
          and order_event.kind = 'changed')`.as("priceParts"),
      SLICES.as("slices"),
    ])
    .where((row) => row.or([row("state", "=", "booked"), row("holdCallId", "is not", null)]))
    .where((row) => row.and(conditions(row)));

type Row = InferResult<ReturnType<typeof selectOrders>>[number];

/** The members of the booking in a `BoughtOrder`. */
const bookingColumns = [
  "userId",
  "callId",
  "offerId",
  "escrowBookingId",
  "coverChargedMicro as coverCharged",
  "travelers",
  // The answer to a hold until it is paid.
  sql<unknown>`case state when 'on_hold' then hold_result else result end`.as("result"),
  "stayPosition",
] as const;

interface Reading {
  queryable: Queryable;
  clock: Clock;
}

export function createOrders(queryable: Queryable, clock: Clock): Orders {
  return {
    ...createReads({ queryable, clock }),
    ...createOrderCosts(queryable, clock),
    ...createBookedSlices(queryable),
    ...createBookedFlights(queryable, clock),
    ...createBookedStays(queryable),
    ...createUpdates({ queryable, clock }),
    ...createEvents(queryable),
    ...createChecks({ queryable, clock }),
  };
}

function createReads(
  reading: Reading,
): Pick<
  Orders,
  | "find"
  | "findBought"
  | "findByOrderId"
  | "findWithOutcomes"
  | "findByPnr"
  | "listNamed"
  | "findByItinerary"
  | "findBoughtByItinerary"
  | "list"
> {
  return {
    find: (tenantId, environment, orderId) => findFirst(reading, isOwnOrder(tenantId, environment, orderId)),

    findBought: (tenantId, environment, orderId, besides) =>
      findFirstBought(reading, isOwnOrder(tenantId, environment, orderId), besides),

    findBoughtByItinerary: (tenantId, environment, itineraryHash) =>
      findFirstBought(reading, isOfItinerary(tenantId, environment, itineraryHash)),

    findByOrderId: (environment, orderId) => findFirst(reading, isOrder(environment, orderId)),

    async findWithOutcomes(environment, orderId) {
      const query = selectOrders(reading, isOrder(environment, orderId)).select(mayHaveUnclear.as("mayHaveUnclear"));
      const found = await query.executeTakeFirst();
      if (found === undefined) return undefined;
      const { mayHaveUnclear: isPossible, ...row } = found;
      return { order: toRecord(row), mayHaveUnclear: isPossible };
    },

    async findByPnr(tenantId, environment, pnr) {
      const row = await selectOrders(reading, (where) => [
        where("tenantId", "=", tenantId),
        where("environment", "=", environment),
        where("state", "=", "booked"),
        where("kind", "=", "flight"),
        where("pnr", "=", pnr),
      ])
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? undefined : toRecord(row);
    },

    async listNamed(tenantId, environment, { orderIds, pnrs, kinds }) {
      // Two queries, since one condition over both columns would not use their indexes.
      const [byId, byPnr] = await Promise.all(
        [["orderId", orderIds] as const, ["pnr", pnrs] as const].map(async ([column, values]) =>
          values.length === 0
            ? []
            : await selectOrders(reading, (row) => [
                row("tenantId", "=", tenantId),
                row("environment", "=", environment),
                row("state", "=", "booked"),
                row("kind", "in", kinds.flatMap(rowKinds)),
                row(column, "in", values),
              ])
                .orderBy("id", "desc")
                .limit(MOST_NAMED)
                .execute(),
        ),
      );
      const rows = new Map([...(byId ?? []), ...(byPnr ?? [])].map((row) => [row.bookingId, row]));
      return [...rows.values()].map(toRecord);
    },

    findByItinerary: (tenantId, environment, itineraryHash) =>
      findFirst(reading, isOfItinerary(tenantId, environment, itineraryHash)),

    async list(tenantId, environment, asked) {
      const rows = await selectOrders(reading, (row) =>
        isAsked(row, { tenantId, environment, ...asked }, reading.clock),
      )
        .select(listedColumns)
        .orderBy("id", "desc")
        .limit(asked.limit)
        .execute();
      return rows.map(({ travelers, what, startsOn, endsOn, wasPaid, refundedUsdc, costUsdc, ...row }) => ({
        ...toRecord(row),
        wasPaid,
        refundedUsdc,
        costUsdc,
        travelers: BookedTravelers.parse(travelers),
        ...withoutNulls({ what, startsOn, endsOn }),
      }));
    },
  };
}

function createUpdates(reading: Reading): Pick<Orders, "update"> {
  const { queryable, clock } = reading;
  return {
    async update(environment, orderId, change, seen, read) {
      const now = clock.now().toString();
      const columns = toColumns(change);
      const names = Object.keys(columns);
      const differs = names.map((name) => {
        const [column, value] = [sql.ref(name), columns[name]];
        return isJson(name)
          ? sql<SqlBool>`${column} is distinct from ${value}::jsonb`
          : sql<SqlBool>`${column} is distinct from ${value}`;
      });
      const row = await queryable
        .updateTable("booking")
        .set({
          ...columns,
          ...holdColumns(change),
          updatedAt: now,
          ...(seen === undefined ? { orderCheckAt: now } : {}),
          ...(read === undefined ? {} : readColumns(clock, read.nextCheckAt)),
        })
        .where("environment", "=", environment)
        .where("orderId", "=", orderId)
        .where("state", "in", ["booked", "on_hold"])
        .where((where) => (seen === undefined ? where.and([]) : where.or(differs)))
        .where((where) =>
          where.and(
            seen === undefined ? [] : [where("updatedAt", "=", sql<Temporal.Instant>`${seen.toString()}::timestamptz`)],
          ),
        )
        .returning("id")
        .executeTakeFirst();
      if (row !== undefined) return "changed";
      if (seen === undefined) return "same";
      if (read !== undefined) {
        return (await markRead(reading, { environment, orderId }, read.nextCheckAt, seen)) ? "same" : "stale";
      }
      const current = await findFirst(reading, isOrder(environment, orderId));
      return current?.updatedAt.equals(seen) === true ? "same" : "stale";
    },
  };
}

/** Orders whose turn has come. */
export function ordersToCheck(environments: readonly Environment[]): Queue {
  const some = environments.map((environment) => pg.escapeLiteral(environment)).join(", ");
  const earliest = `select min(order_check_at) from booking where order_check_at is not null and network in (${some})`;
  return { name: "booking_order", earliest };
}

/** Schedules the supplier's next check. */
function createChecks(reading: Reading): Pick<Orders, "takeDue" | "wasRead"> {
  const { queryable, clock } = reading;
  return {
    async takeDue(environment, limit, until) {
      const taken = await takeDueRows<{ id: string }>(queryable, {
        table: "booking",
        key: ["id"],
        due: "order_check_at",
        at: clock.now(),
        until,
        limit,
        returning: ["id"],
        where: sql`network = ${environment}`,
      });
      if (taken.length === 0) return [];
      const rows = await selectOrders(reading, (row) => [
        row(
          "id",
          "in",
          taken.map(({ id }) => id),
        ),
      ]).execute();
      return rows.map(toRecord);
    },

    async wasRead(environment, orderId, next) {
      await markRead(reading, { environment, orderId }, next);
    },
  };
}

const readColumns = (clock: Clock, nextCheckAt: Temporal.Instant | undefined) => ({
  orderReadAt: clock.now().toString(),
  orderCheckAt: nextCheckAt?.toString() ?? null,
});

/** False: it has changed since the version `seen`, or there is no such order. */
async function markRead(
  { queryable, clock }: Reading,
  { environment, orderId }: Pick<OrderRecord, "environment" | "orderId">,
  nextCheckAt: Temporal.Instant | undefined,
  seen?: Temporal.Instant,
): Promise<boolean> {
  const marking = queryable
    .updateTable("booking")
    .set(readColumns(clock, nextCheckAt))
    .where("environment", "=", environment)
    .where("orderId", "=", orderId)
    .where("state", "in", ["booked", "on_hold", "failed"]);
  const row = await (seen === undefined
    ? marking
    : marking.where("updatedAt", "=", sql<Temporal.Instant>`${seen.toString()}::timestamptz`)
  )
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

function toRecord(row: Row): OrderRecord {
  const { orderId, ...order } = withoutNulls(row);
  if (orderId === undefined) throw new Error(`booking ${row.bookingId} is booked without an order`);
  return {
    ...order,
    orderId,
    rate: toRate(row.rate),
    priceParts: PriceParts.parse(row.priceParts),
    documents: Documents.parse(row.documents),
    slices: BookedSlices.safeParse(row.slices).data ?? [],
    scheduleChanges: ScheduleChanges.parse(row.scheduleChanges),
  };
}

async function findFirst(reading: Reading, conditions: Conditions): Promise<OrderRecord | undefined> {
  const row = await selectOrders(reading, conditions).executeTakeFirst();
  return row === undefined ? undefined : toRecord(row);
}

async function findFirstBought(
  reading: Reading,
  conditions: Conditions,
  besides?: FlightsAsked,
): Promise<BoughtOrder | undefined> {
  const found = await selectOrders(reading, conditions)
    .select(bookingColumns)
    .select([eventsColumn.as("events"), flightsColumn(reading.clock, besides).as("flights")])
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const {
    userId,
    callId,
    offerId,
    escrowBookingId,
    coverCharged,
    travelers,
    result,
    events,
    flights,
    stayPosition,
    ...row
  } = found;
  const booking = readBookingColumns({ escrowBookingId, travelers });
  const bought = { userId, callId, offerId, coverCharged, result, ...booking, position: readPosition(stayPosition) };
  return { ...toRecord(row), booking: bought, events: readEvents(events), flights: flights ?? undefined };
}

const isOrder =
  (environment: Environment, orderId: string): Conditions =>
  (row) => [row("environment", "=", environment), row("orderId", "=", orderId)];

const isOwnOrder =
  (tenantId: string, environment: Environment, orderId: string): Conditions =>
  (row) => [row("tenantId", "=", tenantId), ...isOrder(environment, orderId)(row)];

const isOfItinerary =
  (tenantId: string, environment: Environment, itineraryHash: string): Conditions =>
  (row) => [
    row("tenantId", "=", tenantId),
    row("environment", "=", environment),
    row("itineraryHash", "=", itineraryHash),
  ];
