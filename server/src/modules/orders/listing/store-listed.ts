import { type Expression, type ExpressionBuilder, type SqlBool, sql } from "kysely";
import type { Database, Queryable } from "../../../platform/database/database.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Environment } from "../../../ports/identity.ts";
import { BookedTravelers } from "../../bookings/index.ts";
import type { AskedOrders, OrderRecord, Orders } from "../orders.ts";
import { COST, hasStatus, PAID } from "../store-order-status.ts";

export const SLICES = sql<unknown>`coalesce(order_slices, result->'slices', hold_result->'slices')`;

const STARTS_ON = sql<string | null>`coalesce(result->>'checkInDate',
  left(coalesce(${SLICES}->0->>'departingAt', ${SLICES}->0->'segments'->0->>'departingAt'), 10))`;
const ENDS_ON = sql<string | null>`coalesce(result->>'checkOutDate',
  left(${SLICES}->-1->'segments'->-1->>'arrivingAt', 10), ${STARTS_ON})`;
const WHAT = sql<string | null>`coalesce(result->>'accommodationName', (
  select string_agg(concat(slice->>'origin', ' to ', slice->>'destination'), ', ') from jsonb_array_elements(${SLICES}) as slice))`;

/** The columns of a listed order, in addition to those of every order. */
export const listedColumns = [
  "travelers",
  WHAT.as("what"),
  STARTS_ON.as("startsOn"),
  ENDS_ON.as("endsOn"),
  ...PAID,
] as const;

export const rowKinds = (kind: OrderRecord["kind"]) =>
  kind === "flight" ? (["flight", "flight_hold"] as const) : (["stay"] as const);

export function isAsked(
  row: ExpressionBuilder<Database, "booking">,
  asked: AskedOrders & { tenantId: string; environment: Environment },
  clock: Clock,
): Expression<SqlBool>[] {
  const { tenantId, environment, before, status, kinds, itineraryHash, userId, from, to, booked } = asked;
  const at = (time: Temporal.Instant) => sql<Temporal.Instant>`${time.toString()}::timestamptz`;
  return [
    row("tenantId", "=", tenantId),
    row("environment", "=", environment),
    ...(userId === undefined ? [] : [sql<SqlBool>`travelers @> ${JSON.stringify([{ userId }])}::jsonb`]),
    ...(from === undefined ? [] : [sql<SqlBool>`${ENDS_ON} >= ${from}`]),
    ...(to === undefined ? [] : [sql<SqlBool>`${STARTS_ON} <= ${to}`]),
    ...(booked?.from === undefined ? [] : [row("createdAt", ">=", at(booked.from))]),
    ...(booked?.to === undefined ? [] : [row("createdAt", "<", at(booked.to))]),
    ...(before === undefined ? [] : [row("id", "<", before)]),
    ...(status === undefined ? [] : hasStatus(row, clock.now(), status)),
    ...(kinds === undefined ? [] : [row("kind", "in", kinds.flatMap(rowKinds))]),
    ...(itineraryHash === undefined ? [] : [row("itineraryHash", "=", itineraryHash)]),
  ];
}

export function createOrderCosts(queryable: Queryable, clock: Clock): Pick<Orders, "listCosts"> {
  return {
    async listCosts(tenantId, environment, asked) {
      const rows = await queryable
        .selectFrom("booking")
        .select([
          "travelers",
          sql<string>`coalesce(order_total_currency, result->>'totalCurrency', total_currency)`.as("totalCurrency"),
          COST.as("costUsdc"),
        ])
        .where("state", "=", "booked")
        .where((row) => row.and(isAsked(row, { tenantId, environment, ...asked }, clock)))
        .orderBy("id", "desc")
        .limit(asked.limit)
        .execute();
      return rows.map(({ travelers, ...row }) => ({ ...row, travelers: BookedTravelers.parse(travelers) }));
    },
  };
}
