import { Hono } from "hono";
import { z } from "zod";
import { answerOpenChanges } from "../changes/airline-rows.ts";
import { accountCurrency } from "../currencies.ts";
import { invalidState, notFound } from "../http/errors.ts";
import { readData, readPage, selectPage, toListing } from "../http/wire.ts";
import { newId } from "../ids.ts";
import { applyPermille, formatMoney, parseMoney, toCents } from "../money.ts";
import type { Env, Fault, Router, Sandbox } from "../sandbox.ts";
import { freeSeats } from "../seats/booked.ts";
import type { Queryable } from "../storage/database.ts";
import { emit } from "../webhooks/events.ts";
import { refund } from "./balance.ts";
import { giveCredits, type PromisedCredit, paidByBalance, promiseCredits, splitRefund } from "./refunds.ts";
import { findOrder, formatIso, hasOpenAirlineChange, type OrderRow } from "./rows.ts";

type CancellationRow = {
  id: string;
  seq: string;
  order_id: string;
  refund_micro: string;
  credit_refund_micro: string;
  refund_to: string;
  credit_ids: PromisedCredit[];
  expires_ms: string;
  created_ms: string;
  confirmed_ms: string | null;
};

const CancellationBody = z.object({ order_id: z.string() });
const QUOTE_LIFE_MS = 30 * 60_000;
const REFUND_FALL_PERMILLE = 950;

function renderCancellation(row: CancellationRow) {
  return {
    id: row.id,
    order_id: row.order_id,
    refund_amount: formatMoney(BigInt(row.refund_micro)),
    refund_currency: accountCurrency(),
    refund_to: row.refund_to,
    airline_credits: row.credit_ids,
    expires_at: formatIso(row.expires_ms),
    created_at: formatIso(row.created_ms),
    confirmed_at: formatIso(row.confirmed_ms),
    live_mode: false,
  };
}

type Quote = { refundMicro: bigint; creditMicro: bigint; refundTo: string };

/**
 * The refund by the fare's conditions; services are refunded with the fare. An order cancelled because the airline
 * changed its schedule is refunded in full.
 */
async function quote(tx: Queryable, order: OrderRow): Promise<Quote> {
  if (order.state === "held") {
    const { rows } = await tx.query<{ sum: string }>(
      "SELECT COALESCE(sum(amount_micro), 0) AS sum FROM payments WHERE order_id = $1 AND status = 'succeeded' AND type = 'airline_credit'",
      [order.id],
    );
    return { refundMicro: 0n, creditMicro: BigInt(rows[0]?.sum ?? "0"), refundTo: "awaiting_payment" };
  }
  const terms = order.details.conditions.refund_before_departure;
  const involuntary = hasOpenAirlineChange(order);
  const refundsTo = order.details.refundsAsCredit ? "airline_credits" : "balance";
  if (!terms.allowed && !involuntary) return { refundMicro: 0n, creditMicro: 0n, refundTo: refundsTo };
  const penalty = involuntary ? 0n : (parseMoney(terms.penalty_amount ?? "0") ?? 0n);
  const total = BigInt(order.total_micro);
  const refundable = toCents(applyPermille(total > penalty ? total - penalty : 0n, order.refund_permille));
  const { refundMicro, creditMicro } = splitRefund(order, refundable, await paidByBalance(tx, order));
  return { refundMicro, creditMicro, refundTo: refundMicro === 0n && creditMicro > 0n ? "airline_credits" : refundsTo };
}

function checkCancellable(order: OrderRow): void {
  if (order.state === "held" || order.state === "paid") return;
  throw invalidState("already_cancelled", "The order has already been cancelled.");
}

async function requestCancellation(
  sandbox: Sandbox,
  orderId: string,
  fault: Fault | undefined,
): Promise<CancellationRow> {
  const nowMs = sandbox.clock.nowMs();
  return sandbox.db.transaction(async (tx) => {
    if (fault?.kind === "refund_as_credit") {
      // From now on this airline gives no money back for the order.
      await tx.query("UPDATE orders SET details = details || '{\"refundsAsCredit\": true}' WHERE id = $1", [orderId]);
    }
    const order = await findOrder(tx, orderId, true);
    if (order === undefined) throw notFound("The order does not exist.");
    checkCancellable(order);
    const { refundMicro, creditMicro, refundTo } = await quote(tx, order);
    const promised = promiseCredits(order, creditMicro).map(({ credit }) => credit);
    const { rows } = await tx.query<CancellationRow>(
      `INSERT INTO order_cancellations (id, order_id, refund_micro, credit_refund_micro, refund_to, credit_ids, expires_ms, created_ms)
       VALUES ($1,$2,$3,$4,$5,$6,$7,$8) RETURNING *`,
      [
        newId("ore"),
        orderId,
        refundMicro.toString(),
        creditMicro.toString(),
        refundTo,
        JSON.stringify(promised),
        nowMs + QUOTE_LIFE_MS,
        nowMs,
      ],
    );
    const [row] = rows;
    if (row === undefined) throw new Error("the new cancellation was not returned");
    await emit(tx, "order_cancellation.created", renderCancellation(row), nowMs);
    return row;
  });
}

const stale = () =>
  invalidState("order_cancellation_stale", "A newer cancellation of this order has to be requested and confirmed.");
const expired = () => invalidState("order_cancellation_expired", "The cancellation quote has expired.");

/** Faults that change what is stored before the call is refused. */
async function playConfirmFault(sandbox: Sandbox, id: string, fault: Fault | undefined): Promise<void> {
  if (fault?.kind === "offer_expired") {
    await sandbox.db.query("UPDATE order_cancellations SET expires_ms = $2 WHERE id = $1 AND confirmed_ms IS NULL", [
      id,
      sandbox.clock.nowMs(),
    ]);
    throw expired();
  }
  if (fault?.kind !== "price_changed") return;
  await sandbox.db.query(
    `UPDATE orders SET refund_permille = refund_permille * $2 / 1000
     WHERE id = (SELECT order_id FROM order_cancellations WHERE id = $1) AND state IN ('held', 'paid')`,
    [id, REFUND_FALL_PERMILLE],
  );
  throw stale();
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
    if (newest.rows[0]?.id !== id || changed) throw stale();
    if (Number(asked.expires_ms) <= nowMs) throw expired();
    const promised = asked.credit_ids.map((credit) => ({
      credit,
      amountMicro: parseMoney(credit.credit_amount) ?? 0n,
    }));
    const credits = await giveCredits(tx, order, promised, nowMs);
    await refund(tx, BigInt(asked.refund_micro), id, nowMs);
    await freeSeats(tx, order.id);
    await answerOpenChanges(tx, order.id, "cancelled", nowMs);
    const confirmed = await tx.query<CancellationRow>(
      "UPDATE order_cancellations SET confirmed_ms = $2, credit_ids = $3 WHERE id = $1 RETURNING *",
      [id, nowMs, JSON.stringify(credits)],
    );
    const [row] = confirmed.rows;
    if (row === undefined) throw new Error("the confirmed cancellation was not returned");
    const rendered = renderCancellation(row);
    await tx.query("UPDATE orders SET state = 'cancelled', cancelled_ms = $2, cancellation = $3 WHERE id = $1", [
      order.id,
      nowMs,
      JSON.stringify(rendered),
    ]);
    await emit(tx, "order_cancellation.confirmed", rendered, nowMs);
    return row;
  });
}

export function cancellationRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.post("/air/order_cancellations", async (context) => {
    const { order_id: orderId } = await readData(context, CancellationBody);
    const row = await requestCancellation(sandbox, orderId, context.env.fault);
    sandbox.wake();
    return context.json({ data: renderCancellation(row) }, 201);
  });
  routes.post("/air/order_cancellations/:id/actions/confirm", async (context) => {
    const id = context.req.param("id");
    await playConfirmFault(sandbox, id, context.env.fault);
    const row = await confirmCancellation(sandbox, id);
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
