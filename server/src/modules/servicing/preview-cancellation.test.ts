import { afterAll, beforeAll, expect, it } from "vitest";
import { openServicing, type Servicing } from "../../../test/support/servicing-service.ts";
import { formatDecimal, parseDecimal } from "../../domain/money.ts";

/** A preview of a cancellation shows the quote's terms, which the confirmation then meets. */

let world: Servicing;
beforeAll(async () => {
  world = await openServicing("shared");
});
afterAll(() => world.close());

const minus = (one: string, other: string) => formatDecimal((parseDecimal(one) ?? 0n) - (parseDecimal(other) ?? 0n));

async function quoted(route?: { origin: string; destination: string }) {
  const order = await world.bookFlexible(route);
  const quote = Object(await world.result("cancel_order_quote", { orderId: order.orderId }));
  const args = { cancellationId: quote.cancellationId };
  const preview = () => world.result("preview_call", { tool: "confirm_cancel_order", args });
  const confirm = () => world.result("confirm_cancel_order", args);
  return { order, quote, preview, confirm };
}

it("names the refunded money and the lost part of the price", async () => {
  const { order, quote, preview, confirm } = await quoted();
  const previewed = await preview();
  expect(previewed).toMatchObject({
    accepted: true,
    movements: [{ token: "USDC", amount: quote.refundUsdc, from: "collection", to: "treasury" }],
    totals: [{ token: "USDC", amount: quote.refundUsdc }],
  });
  const lost = minus(order.totalAmount, quote.refundAmount);
  expect(previewed.note).toContain(`${quote.refundUsdc} USDC are refunded to the treasury wallet.`);
  expect(previewed.note).toContain(
    lost === "0.00" ? "None of its price is lost." : `Of its price of ${order.totalAmount} USD, ${lost} USD are lost.`,
  );
  expect(await confirm()).toMatchObject({ refundedUsdc: quote.refundUsdc });
  // Nothing is left to refund, whatever the quote said.
  expect(await preview()).toMatchObject({ accepted: true, movements: [] });
});

it("names the airline credit issued instead of money", async () => {
  const { order, quote, preview, confirm } = await quoted({ origin: "LTN", destination: "SYD" });
  const [{ amount }] = quote.credits;
  const previewed = await preview();
  expect(previewed).toMatchObject({ accepted: true, movements: [], totals: [] });
  expect(previewed.note).toContain("No money is refunded to the wallet.");
  expect(previewed.note).toContain(`The airline gives ${amount} USD as airline credit, not as money.`);
  const lost = minus(order.totalAmount, amount);
  if (lost !== "0.00")
    expect(previewed.note).toContain(`Of its price of ${order.totalAmount} USD, ${lost} USD are lost.`);
  expect(await confirm()).toMatchObject({ refundTo: "airline_credits", refundedUsdc: "0.00" });
});

it("of a hold that nobody has paid names no loss", async () => {
  const { id: offerId } = await world.flexibleOffer();
  const { orderId } = Object(await world.result("hold_flight", { offerId }));
  const { cancellationId } = Object(await world.result("cancel_order_quote", { orderId }));
  const previewed = await world.result("preview_call", { tool: "confirm_cancel_order", args: { cancellationId } });
  expect(previewed).toMatchObject({ accepted: true, movements: [] });
  expect(previewed.note).toContain("Nothing was paid for this hold");
  expect(previewed.note).not.toMatch(/lost|refunded/);
  await world.result("confirm_cancel_order", { cancellationId });
});
