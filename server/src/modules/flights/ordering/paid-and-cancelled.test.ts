import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { openServicing, type Servicing } from "../../../../test/support/servicing-service.ts";

let world: Servicing;
beforeAll(async () => {
  world = await openServicing("shared");
});
afterAll(() => world.close());

it("list_orders tells a hold that was never paid from an order that was cancelled, and what came back", async () => {
  const cancel = async (orderId: unknown) => {
    const { cancellationId } = await world.result("cancel_order_quote", { orderId });
    return await world.result("confirm_cancel_order", { cancellationId });
  };
  const held = await world.result("hold_flight", { offerId: (await world.flexibleOffer()).id });
  await cancel(held.orderId);
  const paid = await world.bookFlexible();
  const { refundedUsdc } = await cancel(paid.orderId);
  const { orders } = await world.result("list_orders", { status: "cancelled" });
  expect(orders).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ orderId: held.orderId, wasPaid: false, refundedUsdc: "0.00" }),
      expect.objectContaining({ orderId: paid.orderId, wasPaid: true, refundedUsdc }),
    ]),
  );
});

/** The sandbox gives a free cancellation only for a fare that is refundable free of charge. */
async function bookFreelyRefundable() {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const { id } = await world.flexibleOffer();
    const order = await world.book({ offerId: id });
    await world.issueTickets(order.orderId);
    const { flight } = await world.result("read_order", { orderId: order.orderId });
    if (Object(flight).voidWindowEndsAt !== null) return order;
  }
  throw new Error("no order can be cancelled freely");
}

it("a change offer names the free cancellation that the change ends, until an earlier change has ended it", async () => {
  const order = await bookFreelyRefundable();
  const { changeId, due, voidWindowEnds } = await world.selectChange(order);
  expect(voidWindowEnds).toMatch(/^Until \S+Z, the airline may cancel/);
  await world.result("confirm_order_change", { changeId, payment: { type: "balance", ...due } });
  const { slices } = await world.result("read_order", { orderId: order.orderId });
  const Slices = z.array(z.object({ id: z.string(), origin: z.string(), destination: z.string() }));
  const again = await world.selectChange({ ...order, slices: Slices.parse(slices) });
  expect(again.voidWindowEnds).toBeUndefined();
});
