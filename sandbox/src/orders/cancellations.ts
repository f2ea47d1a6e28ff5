import { Hono } from "hono";
import { z } from "zod";
import { invalidState, notFound } from "../http/errors.ts";
import { readData, readPage, selectPage, toListing } from "../http/wire.ts";
import { newId } from "../ids.ts";
import { formatMoney, parseMoney } from "../money.ts";
import { CURRENCY } from "../offers/render.ts";
import type { Env, Router, Sandbox } from "../sandbox.ts";
import type { Queryable } from "../storage/database.ts";
import { emit } from "../webhooks/events.ts";
import { createCredit, refund } from "./balance.ts";
import type { PaymentRow } from "./payment-rows.ts";
import { findOrder, isoOf, type OrderRow } from "./rows.ts";

type CancellationRow = {
  id: string;
  seq: string;
  order_id: string;
  refund_micro: string;
  credit_refund_micro: string;
  refund_to: string;
  credit_ids: {
    id: string;
    credit_name: string;
    credit_code: string;
    credit_amount: string;
    credit_currency: string;
    issued_on: string;
    passenger_id: string | null;
  }[];
  expires_ms: string;
  created_ms: string;
  confirmed_ms: string | null;
};

const CancellationBody = z.object({ order_id: z.string() });
const QUOTE_LIFE_MS = 30 * 60_000;
const CREDIT_LIFE_DAYS = 365;

function renderCancellation(row: CancellationRow) {
  return {
    id: row.id,
    order_id: row.order_id,
    refund_amount: formatMoney(BigInt(row.refund_micro)),
    refund_currency: CURRENCY,
    refund_to: row.refund_to,
    airline_credits: row.credit_ids,
    expires_at: isoOf(row.expires_ms),
    created_at: isoOf(row.created_ms),
    confirmed_at: isoOf(row.confirmed_ms),
    live_mode: false,
  };
}

/** What comes back, by the fare's conditions: what the balance paid goes to the balance, the rest becomes airline credit. */
async function quote(
  tx: Queryable,
  order: OrderRow,
): Promise<{ refundMicro: bigint; creditMicro: bigint; refundTo: string }> {
  if (order.state === "held") {
    const { rows } = await tx.query<{ sum: string }>(
      "SELECT COALESCE(sum(amount_micro), 0) AS sum FROM payments WHERE order_id = $1 AND status = 'succeeded' AND type = 'airline_credit'",
      [order.id],
    );
    return { refundMicro: 0n, creditMicro: BigInt(rows[0]?.sum ?? "0"), refundTo: "awaiting_payment" };
  }
  const terms = order.details.conditions.refund_before_departure;
  if (!terms.allowed) return { refundMicro: 0n, creditMicro: 0n, refundTo: "balance" };
  const penalty = parseMoney(terms.penalty_amount ?? "0") ?? 0n;
  const total = BigInt(order.total_micro);
  const refundable = total > penalty ? total - penalty : 0n;
  const { rows } = await tx.query<PaymentRow>("SELECT * FROM payments WHERE order_id = $1 AND status = 'succeeded'", [
    order.id,
  ]);
  const byBalance = rows
    .filter((row) => row.type !== "airline_credit")
    .reduce((sum, row) => sum + BigInt(row.amount_micro), 0n);
  if (order.details.refundsAsCredit) return { refundMicro: 0n, creditMicro: refundable, refundTo: "airline_credits" };
  const refundMicro = refundable < byBalance ? refundable : byBalance;
  const creditMicro = refundable - refundMicro;
  return { refundMicro, creditMicro, refundTo: refundMicro === 0n && creditMicro > 0n ? "airline_credits" : "balance" };
}

function checkCancellable(order: OrderRow): void {
  if (order.state === "held" || order.state === "paid") return;
  throw invalidState("already_cancelled", "The order has already been cancelled.");
}

async function requestCancellation(sandbox: Sandbox, orderId: string): Promise<CancellationRow> {
  const nowMs = sandbox.clock.nowMs();
  return sandbox.db.transaction(async (tx) => {
    const order = await findOrder(tx, orderId, true);
    if (order === undefined) throw notFound("The order does not exist.");
    checkCancellable(order);
    const { refundMicro, creditMicro, refundTo } = await quote(tx, order);
    const { rows } = await tx.query<CancellationRow>(
      `INSERT INTO order_cancellations (id, order_id, refund_micro, credit_refund_micro, refund_to, expires_ms, created_ms)
       VALUES ($1,$2,$3,$4,$5,$6,$7) RETURNING *`,
      [newId("ore"), orderId, refundMicro.toString(), creditMicro.toString(), refundTo, nowMs + QUOTE_LIFE_MS, nowMs],
    );
    const [row] = rows;
    if (row === undefined) throw new Error("the new cancellation was not returned");
    await emit(tx, "order_cancellation.created", renderCancellation(row), nowMs);
    return row;
  });
}

async function giveCredits(
  tx: Queryable,
  order: OrderRow,
  amountMicro: bigint,
  nowMs: number,
): Promise<CancellationRow["credit_ids"]> {
  if (amountMicro <= 0n) return [];
  const [passenger] = order.details.passengers;
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO("UTC").toPlainDate();
  const airline = order.details.owner.iata_code;
  const credit = await createCredit(
    tx,
    {
      airline,
      amountMicro,
      code: `${airline}${order.booking_reference}`,
      type: "mco",
      issued_on: today.toString(),
      expires_on: today.add({ days: CREDIT_LIFE_DAYS }).toString(),
      given_name: null,
      family_name: null,
      user_id: order.users[0] ?? null,
      order_id: order.id,
      passenger_id: passenger?.id ?? null,
    },
    nowMs,
  );
  return [
    {
      id: credit.id,
      credit_name: `${order.details.owner.name} travel credit`,
      credit_code: credit.code,
      credit_amount: formatMoney(amountMicro),
      credit_currency: CURRENCY,
      issued_on: credit.issued_on,
      passenger_id: credit.passenger_id,
    },
  ];
}

async function confirmCancellation(sandbox: Sandbox, id: string): Promise<CancellationRow> {
  const nowMs = sandbox.clock.nowMs();
  return sandbox.db.transaction(async (tx) => {
    const { rows } = await tx.query<CancellationRow>("SELECT * FROM order_cancellations WHERE id = $1", [id]);
    const [asked] = rows;
    const order = asked === undefined ? undefined : await findOrder(tx, asked.order_id, true);
    if (asked === undefined || order === undefined) throw notFound();
    checkCancellable(order);
    const newest = await tx.query<{ id: string }>(
      "SELECT id FROM order_cancellations WHERE order_id = $1 ORDER BY seq DESC LIMIT 1",
      [order.id],
    );
    const now = await quote(tx, order);
    const changed =
      now.refundMicro !== BigInt(asked.refund_micro) || now.creditMicro !== BigInt(asked.credit_refund_micro);
    if (newest.rows[0]?.id !== id || changed)
      throw invalidState("order_cancellation_stale", "A newer cancellation of this order has to be confirmed.");
    if (Number(asked.expires_ms) <= nowMs)
      throw invalidState("order_cancellation_expired", "The cancellation quote has expired.");
    const credits = await giveCredits(tx, order, BigInt(asked.credit_refund_micro), nowMs);
    await refund(tx, BigInt(asked.refund_micro), id, nowMs);
    await tx.query("UPDATE orders SET state = 'cancelled', cancelled_ms = $2 WHERE id = $1", [order.id, nowMs]);
    const confirmed = await tx.query<CancellationRow>(
      "UPDATE order_cancellations SET confirmed_ms = $2, credit_ids = $3 WHERE id = $1 RETURNING *",
      [id, nowMs, JSON.stringify(credits)],
    );
    const [row] = confirmed.rows;
    if (row === undefined) throw new Error("the confirmed cancellation was not returned");
    await emit(tx, "order_cancellation.confirmed", renderCancellation(row), nowMs);
    return row;
  });
}

export function cancellationRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.post("/air/order_cancellations", async (context) => {
    const { order_id: orderId } = await readData(context, CancellationBody);
    const row = await requestCancellation(sandbox, orderId);
    sandbox.wake();
    return context.json({ data: renderCancellation(row) }, 201);
  });
  routes.post("/air/order_cancellations/:id/actions/confirm", async (context) => {
    const row = await confirmCancellation(sandbox, context.req.param("id"));
    sandbox.wake();
    return context.json({ data: renderCancellation(row) });
  });
  routes.get("/air/order_cancellations", async (context) => {
    const page = readPage(context);
    const orderId = context.req.query("order_id");
    const filter = orderId === undefined ? [] : ["order_id = $1"];
    const rows = await selectPage<CancellationRow>(
      sandbox.db,
      "order_cancellations",
      filter,
      orderId === undefined ? [] : [orderId],
      page,
    );
    return context.json(toListing(rows, page, renderCancellation));
  });
  routes.get("/air/order_cancellations/:id", async (context) => {
    const { rows } = await sandbox.db.query<CancellationRow>("SELECT * FROM order_cancellations WHERE id = $1", [
      context.req.param("id"),
    ]);
    const [row] = rows;
    if (row === undefined) throw notFound();
    return context.json({ data: renderCancellation(row) });
  });
  return routes;
}
