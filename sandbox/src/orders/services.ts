// Services of an order: what can still be added to it, and adding it.
import { Hono } from "hono";
import { z } from "zod";
import { invalidField, invalidState, notFound } from "../http/errors.ts";
import { readData } from "../http/wire.ts";
import type { Env, Fault, Router, Sandbox } from "../sandbox.ts";
import {
  bookedQuantity,
  bookServices,
  chooseServices,
  loseServices,
  renderAvailableBag,
  sumServices,
} from "../seats/booked.ts";
import { bagServices } from "../seats/services.ts";
import type { Queryable } from "../storage/database.ts";
import { payExactly } from "./extra-payments.ts";
import { PaymentBody } from "./parse.ts";
import { findOrder, type OrderRow, renderOrder, toJourney } from "./rows.ts";
import { serviceDocuments } from "./ticketing.ts";

const AddBody = z.object({
  add_services: z.array(z.object({ id: z.string(), quantity: z.number().int().min(1) })).min(1),
  payment: PaymentBody.optional(),
});
const PRICE_RISE_PERMILLE = 1100;

async function findPaidOrder(db: Queryable, id: string, lock = false): Promise<OrderRow> {
  const order = await findOrder(db, id, lock);
  if (order === undefined) throw notFound("The order does not exist.");
  if (order.state === "held")
    throw invalidState("order_not_paid", "Services can be added once the order has been paid.");
  if (order.state !== "paid") throw invalidState("already_cancelled", "The order has been cancelled.");
  return order;
}

async function addServices(
  sandbox: Sandbox,
  orderId: string,
  body: z.infer<typeof AddBody>,
  fault: Fault | undefined,
): Promise<OrderRow> {
  const nowMs = sandbox.clock.nowMs();
  const seen = await findPaidOrder(sandbox.db, orderId);
  if (fault?.kind === "price_changed") {
    await sandbox.db.query("UPDATE orders SET service_permille = service_permille * $2 / 1000 WHERE id = $1", [
      orderId,
      PRICE_RISE_PERMILLE,
    ]);
    throw invalidField("price_changed", "add_services", "The price of the services has changed. Retrieve them again.");
  }
  const wished = chooseServices(toJourney(seen), body.add_services, seen.services, "add_services");
  await loseServices(sandbox.db, wished, fault, "add_services");
  return sandbox.db.transaction(async (tx) => {
    const order = await findPaidOrder(tx, orderId, true);
    const chosen = chooseServices(toJourney(order), body.add_services, order.services, "add_services");
    const added = await bookServices(tx, orderId, chosen, "add_services");
    const price = sumServices(added);
    await payExactly(tx, { orderId, amountMicro: price, paysFor: "services", nowMs }, body.payment);
    const documents =
      order.ticketing === "ticketed" ? [...order.documents, ...serviceDocuments(orderId, added)] : order.documents;
    const { rows } = await tx.query<OrderRow>(
      `UPDATE orders SET services = $2, total_micro = total_micro + $3, paid_micro = paid_micro + $3, documents = $4
       WHERE id = $1 RETURNING *`,
      [orderId, JSON.stringify([...order.services, ...added]), price.toString(), JSON.stringify(documents)],
    );
    const [row] = rows;
    if (row === undefined) throw new Error("the order with its services was not returned");
    return row;
  });
}

export function orderServiceRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.get("/air/orders/:id/available_services", async (context) => {
    const order = await findOrder(sandbox.db, context.req.param("id"));
    if (order === undefined) throw notFound();
    // Not every airline adds bags to an order that exists.
    const isSold = order.state === "paid" && context.env.fault?.kind !== "service_taken";
    const bags = isSold ? bagServices(toJourney(order)) : [];
    const data = bags
      .map((bag) => renderAvailableBag(bag, bookedQuantity(bag, order.services)))
      .filter((bag) => bag.maximum_quantity > 0);
    return context.json({ data });
  });
  routes.post("/air/orders/:id/services", async (context) => {
    const body = await readData(context, AddBody);
    const row = await addServices(sandbox, context.req.param("id"), body, context.env.fault);
    sandbox.wake();
    return context.json({ data: renderOrder(row) }, 201);
  });
  return routes;
}
