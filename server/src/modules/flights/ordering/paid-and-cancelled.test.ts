import { afterAll, beforeAll, expect, it } from "vitest";
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
