// Choosing a change offer and confirming it: the slices are replaced, and money goes one way or the other.
import { Hono } from "hono";
import { z } from "zod";
import { invalidField, invalidState, notFound } from "../http/errors.ts";
import { readData } from "../http/wire.ts";
import { newId } from "../ids.ts";
import { applyPermille, toCents } from "../money.ts";
import { refund } from "../orders/balance.ts";
import { payExactly } from "../orders/extra-payments.ts";
import { PaymentBody } from "../orders/parse.ts";
import { giveCredits, paidByBalance, promiseCredits, splitRefund } from "../orders/refunds.ts";
import { findOrder, type OrderRow } from "../orders/rows.ts";
import { buildTickets, serviceDocuments } from "../orders/ticketing.ts";
import type { Env, Fault, Router, Sandbox } from "../sandbox.ts";
import { freeSeats } from "../seats/booked.ts";
import type { Queryable } from "../storage/database.ts";
import { emit } from "../webhooks/events.ts";
import { answerOpenChanges } from "./airline-rows.ts";
import { replaceSlices, withTerms } from "./offers.ts";
import { type ChangeOfferRow, type ChangeRow, renderChange } from "./rows.ts";

const ChangeBody = z.object({ selected_order_change_offer: z.string() });
const ConfirmBody = z.object({ payment: PaymentBody.nullish() });
const CHANGE_LIFE_MS = 30 * 60_000;
const PRICE_RISE_PERMILLE = 70;

const stale = () =>
  invalidState("offer_no_longer_available", "The order has changed since this was offered. Request the change again.");

function checkStillFits(order: OrderRow, change: Pick<ChangeRow, "plan" | "order_total_micro">): void {
  if (order.state !== "paid") throw invalidState("already_cancelled", "The order has been cancelled.");
  const present = new Set(order.details.slices.map((slice) => slice.id));
  if (!change.plan.remove.every((slice) => present.has(slice.id)) || order.total_micro !== change.order_total_micro)
    throw stale();
}

/** The airline asks for more from now on, for what was chosen as for what was offered. */
async function raisePrice(
  sandbox: Sandbox,
  table: "order_change_offers" | "order_changes",
  id: string,
): Promise<never> {
  const { rows } = await sandbox.db.query<{ new_total_micro: string }>(
    `SELECT new_total_micro FROM ${table} WHERE id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) throw notFound();
  const rise = toCents(applyPermille(BigInt(row.new_total_micro), PRICE_RISE_PERMILLE)).toString();
  await sandbox.db.query(
    `UPDATE ${table} SET change_micro = change_micro + $2, new_total_micro = new_total_micro + $2,
       refund_to = CASE WHEN change_micro + $2 < 0 THEN refund_to END
     WHERE id = $1 ${table === "order_changes" ? "AND confirmed_ms IS NULL" : ""}`,
    [id, rise],
  );
  throw invalidField("price_changed", "payment/amount", "The price of the change has changed. Retrieve it again.");
}

async function createChange(sandbox: Sandbox, offerId: string, fault: Fault | undefined): Promise<ChangeRow> {
  const nowMs = sandbox.clock.nowMs();
  if (fault?.kind === "price_changed") await raisePrice(sandbox, "order_change_offers", offerId);
  if (fault?.kind === "offer_expired" || fault?.kind === "sold_out")
    await sandbox.db.query("UPDATE order_change_offers SET expires_ms = $2 WHERE id = $1", [offerId, nowMs]);
  return sandbox.db.transaction(async (tx) => {
    const offers = await tx.query<ChangeOfferRow>("SELECT * FROM order_change_offers WHERE id = $1 FOR UPDATE", [
      offerId,
    ]);
    const [offer] = offers.rows;
    if (offer === undefined)
      throw invalidField("validation_inclusion", "selected_order_change_offer", "The change offer does not exist");
    const order = await findOrder(tx, offer.order_id);
    if (order === undefined) throw notFound();
    checkStillFits(order, offer);
    if (fault?.kind === "sold_out") throw stale();
    if (Number(offer.expires_ms) <= nowMs)
      throw invalidState("offer_expired", "The change offer has expired. Request the change again.");
    const id = newId("oce");
    const { rows } = await tx.query<ChangeRow>(
      `INSERT INTO order_changes (id, order_id, offer_id, plan, order_total_micro, change_micro, new_total_micro, penalty_micro, refund_to,
         expires_ms, created_ms) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11) RETURNING *`,
      [
        id,
        offer.order_id,
        offer.id,
        JSON.stringify(offer.plan),
        offer.order_total_micro,
        offer.change_micro,
        offer.new_total_micro,
        offer.penalty_micro,
        offer.refund_to,
        nowMs + CHANGE_LIFE_MS,
        nowMs,
      ],
    );
    await tx.query("UPDATE order_change_offers SET order_change_id = $2, updated_ms = $3 WHERE id = $1", [
      offer.id,
      id,
      nowMs,
    ]);
    const [row] = rows;
    if (row === undefined) throw new Error("the new order change was not returned");
    return row;
  });
}

/** Gives back what the change makes cheaper. */
async function giveBack(tx: Queryable, order: OrderRow, change: ChangeRow, nowMs: number) {
  const due = -BigInt(change.change_micro);
  if (due <= 0n) return { refundMicro: 0n, creditMicro: 0n };
  const split = splitRefund(order, due, await paidByBalance(tx, order));
  await refund(tx, split.refundMicro, change.id, nowMs);
  await giveCredits(tx, order, promiseCredits(order, split.creditMicro), nowMs);
  return split;
}

async function applyToOrder(
  tx: Queryable,
  order: OrderRow,
  change: ChangeRow,
  refundMicro: bigint,
  rendered: Record<string, unknown>,
): Promise<void> {
  const { plan } = change;
  const removedIds = new Set(plan.remove.map((slice) => slice.id));
  const removedSegments = new Set(plan.remove.flatMap((slice) => slice.segments.map((segment) => segment.id)));
  const removed = order.details.slices.map((slice) => removedIds.has(slice.id));
  const lost = order.services.filter((service) => service.segmentIds.some((id) => removedSegments.has(id)));
  const kept = order.services.filter((service) => !lost.includes(service));
  await freeSeats(tx, order.id, lost);
  const details = {
    ...order.details,
    slices: withTerms(replaceSlices(order.details.slices, removed, plan.add), plan.conditions),
    sliceFares: plan.sliceFares,
    conditions: plan.conditions,
  };
  const documents = [...buildTickets(order, change.id), ...serviceDocuments(order.id, kept)];
  await tx.query(
    `UPDATE orders SET details = $2, services = $3, documents = $4, total_micro = $5, tax_micro = $6, paid_micro = paid_micro + $7,
       refunded_micro = refunded_micro + $8, changes = changes || $9::jsonb WHERE id = $1`,
    [
      order.id,
      JSON.stringify(details),
      JSON.stringify(kept),
      JSON.stringify(documents),
      change.new_total_micro,
      plan.taxMicro,
      change.change_micro,
      refundMicro.toString(),
      JSON.stringify([rendered]),
    ],
  );
}

async function confirmChange(
  sandbox: Sandbox,
  id: string,
  payment: PaymentBody | undefined,
  fault: Fault | undefined,
): Promise<ChangeRow> {
  const nowMs = sandbox.clock.nowMs();
  if (fault?.kind === "price_changed") await raisePrice(sandbox, "order_changes", id);
  if (fault?.kind === "offer_expired")
    await sandbox.db.query("UPDATE order_changes SET expires_ms = $2 WHERE id = $1 AND confirmed_ms IS NULL", [
      id,
      nowMs,
    ]);
  return sandbox.db.transaction(async (tx) => {
    const seen = await tx.query<{ order_id: string }>("SELECT order_id FROM order_changes WHERE id = $1", [id]);
    const order = await findOrder(tx, seen.rows[0]?.order_id ?? "", true);
    const { rows } = await tx.query<ChangeRow>("SELECT * FROM order_changes WHERE id = $1", [id]);
    const [change] = rows;
    if (order === undefined || change === undefined) throw notFound();
    if (change.confirmed_ms !== null)
      throw invalidState("already_confirmed", "The order change has already been confirmed.");
    checkStillFits(order, change);
    if (fault?.kind === "sold_out") throw stale();
    if (Number(change.expires_ms) <= nowMs)
      throw invalidState("order_change_expired", "The order change has expired. Request the change again.");
    const due = BigInt(change.change_micro);
    const toPay = { orderId: order.id, amountMicro: due > 0n ? due : 0n, paysFor: "change", nowMs } as const;
    const paymentId = await payExactly(tx, toPay, payment);
    const given = await giveBack(tx, order, change, nowMs);
    const confirmed = await tx.query<ChangeRow>(
      "UPDATE order_changes SET confirmed_ms = $2, payment_id = $3, refund_micro = $4, credit_refund_micro = $5 WHERE id = $1 RETURNING *",
      [id, nowMs, paymentId, given.refundMicro.toString(), given.creditMicro.toString()],
    );
    const [row] = confirmed.rows;
    if (row === undefined) throw new Error("the confirmed order change was not returned");
    const rendered = renderChange(row);
    await applyToOrder(tx, order, row, given.refundMicro, rendered);
    await answerOpenChanges(tx, order.id, "changed", nowMs);
    await emit(tx, "air.order.changed", rendered, nowMs);
    return row;
  });
}

export function orderChangeRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.post("/air/order_changes", async (context) => {
    const body = await readData(context, ChangeBody);
    const row = await createChange(sandbox, body.selected_order_change_offer, context.env.fault);
    return context.json({ data: renderChange(row) }, 201);
  });
  routes.post("/air/order_changes/:id/actions/confirm", async (context) => {
    const hasBody = (await context.req.text()) !== "";
    const body = hasBody ? await readData(context, ConfirmBody) : {};
    const row = await confirmChange(sandbox, context.req.param("id"), body.payment ?? undefined, context.env.fault);
    sandbox.wake();
    return context.json({ data: renderChange(row) });
  });
  routes.get("/air/order_changes/:id", async (context) => {
    const { rows } = await sandbox.db.query<ChangeRow>("SELECT * FROM order_changes WHERE id = $1", [
      context.req.param("id"),
    ]);
    const [row] = rows;
    if (row === undefined) throw notFound();
    return context.json({ data: renderChange(row) });
  });
  return routes;
}
