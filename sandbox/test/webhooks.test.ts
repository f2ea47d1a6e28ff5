// Webhooks as a receiver sees them: signed, retried, durable.
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { Receiver, WebhookEvent } from "./receiver.ts";
import { startTestSandbox, type TestSandbox } from "./start.ts";
import { arm, hold, instantBody, parseData, parseError, pay, pickOffer, tick } from "./supplier.ts";

let sandbox: TestSandbox;
let receiver: Receiver;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  receiver = await Receiver.start();
});
afterAll(async () => {
  await sandbox?.close();
  await receiver?.close();
});
beforeEach(() => receiver.reset());

const Endpoint = z.looseObject({
  id: z.string().startsWith("sev_0000"),
  url: z.string(),
  events: z.array(z.string()),
  active: z.boolean(),
  secret: z.string().optional(),
});

async function subscribe(events: string[]) {
  return parseData(await sandbox.call("POST", "/air/webhooks", { url: receiver.url, events }), Endpoint, 201);
}
const until = (check: () => void) => vi.waitFor(check, { timeout: 90_000, interval: 25 });
const types = () => receiver.types().sort();

test("a ping is signed over time and raw body with the secret told once", async () => {
  const endpoint = await subscribe(["ping.triggered"]);
  expect((await sandbox.call("POST", `/air/webhooks/${endpoint.id}/actions/ping`)).status).toBe(204);
  await until(() => expect(types()).toEqual(["ping.triggered"]));
  const [delivery] = receiver.received;
  const [, time = "", digest] = /^t=(\d+),v1=([0-9a-f]{64})$/u.exec(delivery?.signature ?? "") ?? [];
  expect(
    createHmac("sha256", endpoint.secret ?? "")
      .update(`${time}.${delivery?.raw}`)
      .digest("hex"),
  ).toBe(digest);
  expect(createHmac("sha256", "other").update(`${time}.${delivery?.raw}`).digest("hex")).not.toBe(digest);
  const shown = parseData(await sandbox.call("GET", `/air/webhooks/${endpoint.id}`), Endpoint);
  expect(shown.secret).toBeUndefined();
  await sandbox.call("DELETE", `/air/webhooks/${endpoint.id}`);
  expect((await sandbox.call("GET", `/air/webhooks/${endpoint.id}`)).status).toBe(404);
});

test("an order's life is told: created, and paid once it has tickets", async () => {
  const endpoint = await subscribe([
    "order.created",
    "air.payment.succeeded",
    "air.payment.failed",
    "order.creation_failed",
    "order_cancellation.confirmed",
  ]);
  const held = await hold(sandbox, await pickOffer(sandbox));
  await until(() => expect(types()).toEqual(["order.created"]));
  expect(receiver.received[0]?.event.data.object.id).toBe(held.id);
  await pay(sandbox, held);
  await tick(sandbox, 2);
  await until(() => expect(types()).toEqual(["air.payment.succeeded", "order.created"]));
  await arm(sandbox, { match: { path: "/air/orders", method: "POST" }, fault: "ticketing_failed" });
  receiver.received.length = 0;
  await sandbox.call("POST", "/air/orders", instantBody(await pickOffer(sandbox)));
  await tick(sandbox, 2);
  await until(() => expect(types()).toEqual(["air.payment.failed", "order.created", "order.creation_failed"]));
  await sandbox.call("DELETE", `/air/webhooks/${endpoint.id}`);
});

test("what is not acknowledged is sent again, the same event, until it is", async () => {
  const endpoint = await subscribe(["order.created"]);
  receiver.answerWith = 500;
  await hold(sandbox, await pickOffer(sandbox));
  await until(() => expect(receiver.received).toHaveLength(1));
  await tick(sandbox, 3600);
  await until(() => expect(receiver.received.length).toBeGreaterThan(1));
  receiver.answerWith = 200;
  const seen = receiver.received.length;
  await tick(sandbox, 2 * 3600);
  await until(() => expect(receiver.received.length).toBeGreaterThan(seen));
  expect(new Set(receiver.received.map((delivery) => delivery.event.id)).size).toBe(1);
  const Delivery = z.looseObject({ attempts: z.number(), delivery_success: z.boolean() });
  const listed = async () =>
    parseData(await sandbox.call("GET", `/air/webhooks/deliveries?endpoint_id=${endpoint.id}`), z.array(Delivery));
  await expect.poll(listed).toEqual([expect.objectContaining({ delivery_success: true })]);
  expect((await listed())[0]?.attempts).toBeGreaterThan(2);
  const id = receiver.received[0]?.event.id;
  expect(parseData(await sandbox.call("GET", `/air/webhooks/events/${id}`), WebhookEvent).id).toBe(id);
  const before = receiver.received.length;
  expect((await sandbox.call("POST", `/air/webhooks/events/${id}/actions/redeliver`)).status).toBe(204);
  await until(() => expect(receiver.received.length).toBe(before + 1));
  await sandbox.call("DELETE", `/air/webhooks/${endpoint.id}`);
});

test("the endpoint gets the events that it asks for while it is active", async () => {
  const endpoint = await subscribe(["air.payment.succeeded", "order.created"]);
  const path = `/air/webhooks/${endpoint.id}`;
  await hold(sandbox, await pickOffer(sandbox));
  await until(() => expect(types()).toEqual(["order.created"]));
  await sandbox.call("PATCH", path, { events: ["order_cancellation.created"] });
  const held = await hold(sandbox, await pickOffer(sandbox));
  await sandbox.call("POST", "/air/order_cancellations", { order_id: held.id });
  await until(() => expect(types()).toEqual(["order.created", "order_cancellation.created"]));
  const changed = await sandbox.call("PATCH", path, { active: false });
  expect(parseData(changed, Endpoint).active).toBe(false);
  await sandbox.call("POST", "/air/order_cancellations", { order_id: held.id });
  // Events requested after the endpoint is active again arrive; earlier ones would have come first.
  await sandbox.call("PATCH", path, { active: true });
  await sandbox.call("POST", "/air/order_cancellations", { order_id: held.id });
  await until(() => expect(types()).toHaveLength(3));
  expect(
    parseError(await sandbox.call("POST", "/air/webhooks", { url: "nowhere", events: ["order.created"] })),
  ).toMatchObject({ pointer: "/url" });
  expect(
    parseError(await sandbox.call("POST", "/air/webhooks", { url: receiver.url, events: ["order.eaten"] })),
  ).toMatchObject({ pointer: "/events/0" });
  await sandbox.call("DELETE", path);
});

test("there is one webhook: a second is refused, of whatever address, until the first is deleted", async () => {
  const first = await subscribe(["order.created"]);
  const second = { url: "https://other.example.com/hook", events: ["order.created"] };
  const taken = { status: 422, code: "unsafe_unique" };
  expect(parseError(await sandbox.call("POST", "/air/webhooks", second))).toMatchObject(taken);
  await sandbox.call("PATCH", `/air/webhooks/${first.id}`, { active: false });
  expect(parseError(await sandbox.call("POST", "/air/webhooks", second))).toMatchObject(taken);
  expect(parseData(await sandbox.call("GET", "/air/webhooks"), z.array(Endpoint)).map(({ id }) => id)).toEqual([
    first.id,
  ]);
  await sandbox.call("DELETE", `/air/webhooks/${first.id}`);
  const both = await Promise.all([second, second].map((body) => sandbox.call("POST", "/air/webhooks", body)));
  expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
});
