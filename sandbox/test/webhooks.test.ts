// Webhooks as a receiver sees them: signed, retried, durable.
import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { startTestSandbox, type TestSandbox } from "./start.ts";
import { arm, dataOf, errorOf, hold, instantBody, pay, pickOffer, tick } from "./supplier.ts";

const Event = z.looseObject({
  id: z.string().startsWith("wev_0000"),
  api_version: z.literal("v2"),
  type: z.string(),
  data: z.object({ object: z.looseObject({ id: z.string().optional() }) }),
  live_mode: z.literal(false),
  idempotency_key: z.string(),
});
type Received = { event: z.infer<typeof Event>; raw: string; signature: string };

let sandbox: TestSandbox;
let receiver: Server;
let receiverUrl: string;
let answerWith = 200;
const received: Received[] = [];

beforeAll(async () => {
  sandbox = await startTestSandbox();
  receiver = createServer((incoming, response) => {
    let raw = "";
    incoming.on("data", (chunk) => {
      raw += String(chunk);
    });
    incoming.on("end", () => {
      received.push({
        event: Event.parse(JSON.parse(raw)),
        raw,
        signature: String(incoming.headers["x-duffel-signature"]),
      });
      response.writeHead(answerWith).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const address = receiver.address();
  receiverUrl = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/hook`;
});
afterAll(async () => {
  await sandbox?.close();
  receiver?.closeAllConnections();
  await new Promise((resolve) => (receiver === undefined ? resolve(undefined) : receiver.close(resolve)));
});
beforeEach(() => {
  received.length = 0;
  answerWith = 200;
});

const Endpoint = z.looseObject({
  id: z.string().startsWith("sev_0000"),
  url: z.string(),
  events: z.array(z.string()),
  active: z.boolean(),
  secret: z.string().optional(),
});

async function subscribe(events: string[]) {
  return dataOf(await sandbox.call("POST", "/air/webhooks", { url: receiverUrl, events }), Endpoint, 201);
}
const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 25 });
const types = () => received.map((delivery) => delivery.event.type).sort();

test("a ping is signed over time and raw body with the secret told once", async () => {
  const endpoint = await subscribe(["ping.triggered"]);
  expect((await sandbox.call("POST", `/air/webhooks/${endpoint.id}/actions/ping`)).status).toBe(204);
  await until(() => expect(types()).toEqual(["ping.triggered"]));
  const [delivery] = received;
  const [, time = "", digest] = /^t=(\d+),v1=([0-9a-f]{64})$/u.exec(delivery?.signature ?? "") ?? [];
  expect(
    createHmac("sha256", endpoint.secret ?? "")
      .update(`${time}.${delivery?.raw}`)
      .digest("hex"),
  ).toBe(digest);
  expect(createHmac("sha256", "other").update(`${time}.${delivery?.raw}`).digest("hex")).not.toBe(digest);
  const shown = dataOf(await sandbox.call("GET", `/air/webhooks/${endpoint.id}`), Endpoint);
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
  expect(received[0]?.event.data.object.id).toBe(held.id);
  await pay(sandbox, held);
  await tick(sandbox, 2);
  await until(() => expect(types()).toEqual(["air.payment.succeeded", "order.created"]));
  await arm(sandbox, { match: { path: "/air/orders", method: "POST" }, fault: "ticketing_failed" });
  received.length = 0;
  await sandbox.call("POST", "/air/orders", instantBody(await pickOffer(sandbox)));
  await tick(sandbox, 2);
  await until(() => expect(types()).toEqual(["air.payment.failed", "order.created", "order.creation_failed"]));
  await sandbox.call("DELETE", `/air/webhooks/${endpoint.id}`);
});

test("what is not acknowledged is sent again, the same event, until it is", async () => {
  const endpoint = await subscribe(["order.created"]);
  answerWith = 500;
  await hold(sandbox, await pickOffer(sandbox));
  await until(() => expect(received).toHaveLength(1));
  await tick(sandbox, 3600);
  await until(() => expect(received.length).toBeGreaterThan(1));
  answerWith = 200;
  const seen = received.length;
  await tick(sandbox, 2 * 3600);
  await until(() => expect(received.length).toBeGreaterThan(seen));
  expect(new Set(received.map((delivery) => delivery.event.id)).size).toBe(1);
  const Delivery = z.looseObject({ attempts: z.number(), delivery_success: z.boolean() });
  await vi.waitFor(async () => {
    const listed = dataOf(
      await sandbox.call("GET", `/air/webhooks/deliveries?endpoint_id=${endpoint.id}`),
      z.array(Delivery),
    );
    expect(listed).toEqual([expect.objectContaining({ delivery_success: true })]);
    expect(listed[0]?.attempts).toBeGreaterThan(2);
  });
  const id = received[0]?.event.id;
  expect(dataOf(await sandbox.call("GET", `/air/webhooks/events/${id}`), Event).id).toBe(id);
  const before = received.length;
  expect((await sandbox.call("POST", `/air/webhooks/events/${id}/actions/redeliver`)).status).toBe(204);
  await until(() => expect(received.length).toBe(before + 1));
  await sandbox.call("DELETE", `/air/webhooks/${endpoint.id}`);
});

test("endpoints get the events they asked for while they are active", async () => {
  const endpoint = await subscribe(["air.payment.succeeded"]);
  const control = await subscribe(["order.created"]);
  await hold(sandbox, await pickOffer(sandbox));
  await until(() => expect(types()).toEqual(["order.created"]));
  const changed = await sandbox.call("PATCH", `/air/webhooks/${control.id}`, { active: false });
  expect(dataOf(changed, Endpoint).active).toBe(false);
  await sandbox.call("PATCH", `/air/webhooks/${endpoint.id}`, { events: ["order_cancellation.created"] });
  const held = await hold(sandbox, await pickOffer(sandbox));
  await sandbox.call("POST", "/air/order_cancellations", { order_id: held.id });
  await until(() => expect(types()).toEqual(["order.created", "order_cancellation.created"]));
  const listed = dataOf(await sandbox.call("GET", "/air/webhooks"), z.array(Endpoint));
  expect(listed.map((row) => row.id)).toEqual([control.id, endpoint.id]);
  expect(
    errorOf(await sandbox.call("POST", "/air/webhooks", { url: "nowhere", events: ["order.created"] })),
  ).toMatchObject({ pointer: "/url" });
  expect(
    errorOf(await sandbox.call("POST", "/air/webhooks", { url: receiverUrl, events: ["order.eaten"] })),
  ).toMatchObject({ pointer: "/events/0" });
});
