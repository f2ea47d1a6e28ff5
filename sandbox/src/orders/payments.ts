import { Hono } from "hono";
import { z } from "zod";
import { accountCurrency } from "../currencies.ts";
import { invalidField, invalidState, notFound } from "../http/errors.ts";
import { readData, readPage, selectPage, toListing } from "../http/wire.ts";
import { applyPermille, formatMoney, toCents } from "../money.ts";
import { type Env, type Fault, type Router, type Sandbox, ticketingFault } from "../sandbox.ts";
import { PaymentBody, readAmount } from "./parse.ts";
import { type PaymentRow, recordPayment, renderPayment } from "./payment-rows.ts";
import { findOrder, hasOpenAirlineChange, type OrderRow } from "./rows.ts";
import { scheduleTicketing } from "./ticketing.ts";

const PaymentRequest = z.object({ order_id: z.string(), payment: PaymentBody });
const PRICE_RISE_PERMILLE = 1050;

function checkPayable(order: OrderRow, nowMs: number): void {
  if (order.state === "cancelled" || order.state === "ticketing_failed")
    throw invalidState("already_cancelled", "The order has been cancelled.");
  if (order.state === "paid") throw invalidState("already_paid", "The order has already been paid.");
  if (order.type !== "hold")
    throw invalidState("order_type_not_eligible_for_payment", "Only hold orders are paid later.");
  if (hasOpenAirlineChange(order))
    throw invalidState("schedule_changed", "The airline changed the schedule. Accept the change before you pay.");
  if (
    order.state === "lapsed" ||
    (order.payment_required_by_ms !== null && Number(order.payment_required_by_ms) <= nowMs)
  ) {
    throw invalidState("past_payment_required_by_date", "The time to pay for this order has passed.");
  }
}

async function raiseTotal(sandbox: Sandbox, order: OrderRow): Promise<never> {
  const raise = (micro: string) => toCents(applyPermille(BigInt(micro), PRICE_RISE_PERMILLE)).toString();
  await sandbox.db.query("UPDATE orders SET total_micro = $2, tax_micro = $3 WHERE id = $1", [
    order.id,
    raise(order.total_micro),
    raise(order.tax_micro),
  ]);
  throw invalidField(
    "price_changed",
    "payment/amount",
    "The price of the order has changed. Retrieve the order to see its new price.",
  );
}

/** Pays for a held order, all of it at once. */
async function pay(
  sandbox: Sandbox,
  body: z.infer<typeof PaymentRequest>,
  fault: Fault | undefined,
): Promise<PaymentRow> {
  const nowMs = sandbox.clock.nowMs();
  const { payment } = body;
  const seen = await findOrder(sandbox.db, body.order_id);
  if (seen === undefined) throw notFound("The order does not exist.");
  checkPayable(seen, nowMs);
  if (fault?.kind === "price_changed") await raiseTotal(sandbox, seen);
  if (fault?.kind === "offer_expired")
    throw invalidState("past_payment_required_by_date", "The time to pay for this order has passed.");
  if (payment.type === "card")
    throw invalidField("validation_inclusion", "payment/type", "Cards are not accepted by this account");
  // A credit is spent with an order's own request, and nowhere else.
  if (payment.type === "airline_credit")
    throw invalidField("validation_inclusion", "payment/type", "An airline credit can't pay for a held order");
  return sandbox.db.transaction(async (tx) => {
    const order = await findOrder(tx, body.order_id, true);
    if (order === undefined) throw notFound("The order does not exist.");
    checkPayable(order, nowMs);
    const totalMicro = BigInt(order.total_micro);
    const amountMicro = readAmount(payment, "payment");
    if (payment.currency !== accountCurrency()) {
      throw invalidField(
        "payment_currency_does_not_match_order_currency",
        "payment/currency",
        `The order is priced in ${accountCurrency()}`,
      );
    }
    if (amountMicro !== totalMicro) {
      throw invalidField(
        "payment_amount_does_not_match_order_amount",
        "payment/amount",
        `The amount to pay is ${formatMoney(totalMicro)}`,
      );
    }
    const id = await recordPayment(tx, {
      orderId: order.id,
      type: payment.type,
      amountMicro,
      creditId: undefined,
      nowMs,
    });
    const { rows } = await tx.query<OrderRow>(
      `UPDATE orders SET paid_micro = $2, state = 'paid', ticketing = 'pending', paid_ms = $3,
         ticketing_fault = COALESCE($4, ticketing_fault), ticketing_delay_ms = COALESCE($5, ticketing_delay_ms) WHERE id = $1 RETURNING *`,
      [
        order.id,
        amountMicro.toString(),
        nowMs,
        ticketingFault(fault)?.kind ?? null,
        ticketingFault(fault)?.delayMs ?? null,
      ],
    );
    const [updated] = rows;
    if (updated !== undefined) await scheduleTicketing(tx, updated, nowMs);
    const stored = await tx.query<PaymentRow>("SELECT * FROM payments WHERE id = $1", [id]);
    const [row] = stored.rows;
    if (row === undefined) throw new Error("the new payment was not returned");
    return row;
  });
}

export function paymentRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.post("/air/payments", async (context) => {
    const row = await pay(sandbox, await readData(context, PaymentRequest), context.env.fault);
    sandbox.wake();
    return context.json({ data: renderPayment(row) }, 201);
  });
  routes.get("/air/payments", async (context) => {
    const orderId = context.req.query("order_id");
    if (orderId === undefined) throw invalidField("validation_required", "order_id", "Field 'order_id' can't be blank");
    const page = readPage(context);
    const rows = await selectPage<PaymentRow>(sandbox.db, "payments", ["order_id = $1"], [orderId], page);
    return context.json(toListing(rows, page, renderPayment));
  });
  routes.get("/air/payments/:id", async (context) => {
    const { rows } = await sandbox.db.query<PaymentRow>("SELECT * FROM payments WHERE id = $1", [
      context.req.param("id"),
    ]);
    const [row] = rows;
    if (row === undefined) throw notFound();
    return context.json({ data: renderPayment(row) });
  });
  return routes;
}
