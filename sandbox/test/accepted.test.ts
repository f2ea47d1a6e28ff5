// Orders that are accepted but not complete: 202 with nothing in it, and the rest by webhook.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { Receiver } from "./receiver.ts";
import { startTestSandbox, type TestSandbox } from "./start.ts";
import { arm, checkLedgerAddsUp, instantBody, ledger, type Offer, pickOffer, tick } from "./supplier.ts";

let sandbox: TestSandbox;
let receiver: Receiver;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  receiver = await Receiver.start();
  const events = ["order.created", "order.creation_failed"];
  const answer = await sandbox.call("POST", "/air/webhooks", { url: receiver.url, events });
  if (answer.status !== 201) throw new Error("the webhook was not registered");
});
afterAll(async () => {
  await sandbox?.close();
  await receiver?.close();
});
beforeEach(() => receiver.reset());

const metadata = { booking_id: "b-202" };
const until = (check: () => void) => vi.waitFor(check, { timeout: 90_000, interval: 25 });
const countOrders = async (offer: Offer) =>
  (await ledger(sandbox)).orders.filter((entry) => entry.offer_id === offer.id).length;

async function orderAccepted(fault: string, body: (offer: Offer) => unknown) {
  const offer = await pickOffer(sandbox);
  const match = { path: "/air/orders", method: "POST" };
  await arm(sandbox, { match, fault, delayMs: 600_000 });
  const answer = await sandbox.call("POST", "/air/orders", body(offer));
  expect([answer.status, answer.body]).toEqual([202, undefined]);
  await tick(sandbox, 400);
  expect(await countOrders(offer)).toBe(0);
  await tick(sandbox, 201);
  return offer;
}

test("an accepted order is made later, and told", async () => {
  const offer = await orderAccepted("accepted_then_done", (one) => instantBody(one, { metadata }));
  await until(() => expect(receiver.received.map(({ event }) => event.type)).toEqual(["order.created"]));
  expect(receiver.received[0]?.event.data.object).toMatchObject({ offer_id: offer.id, metadata });
  expect(await countOrders(offer)).toBe(1);
  checkLedgerAddsUp(await ledger(sandbox));
});

test.each([
  ["accepted_then_failed", (offer: Offer) => instantBody(offer, { metadata })],
  ["accepted_then_done", (offer: Offer) => instantBody(offer, { metadata, payments: [] })],
])("an accepted order that comes to nothing is told too (%s)", async (fault, body) => {
  const before = (await ledger(sandbox)).balance;
  const offer = await orderAccepted(fault, body);
  await until(() => expect(receiver.received.map(({ event }) => event.type)).toEqual(["order.creation_failed"]));
  expect(receiver.received[0]?.event.data.object).toMatchObject({ metadata, selected_offers: [offer.id] });
  expect(await countOrders(offer)).toBe(0);
  expect((await ledger(sandbox)).balance).toEqual(before);
});
