// Faults that a receiver must handle: events twice, late, out of order, lost, and a supplier that dies while sending.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { Receiver, WebhookEvent } from "./receiver.ts";
import { type RunningSandbox, startSandboxProcess, startTestSandbox, type TestSandbox } from "./start.ts";
import { bookingBody, bookStay, type Quote, quoteStay } from "./stays-support.ts";
import { arm, parseData, parseError, tick } from "./supplier.ts";

let home: TestSandbox;
/** The process that is asked; a test may kill it and start another on the same database. */
let running: RunningSandbox;
let receiver: Receiver;
let quote: Quote;
let endpoint: z.infer<typeof Endpoint>;

const Endpoint = z.looseObject({ id: z.string().startsWith("sev_0000"), active: z.boolean() });
const Delivery = z.looseObject({
  id: z.string().startsWith("del_0000"),
  event_id: z.string(),
  endpoint_id: z.string(),
  type: z.string(),
  url: z.url(),
  attempts: z.number(),
  response_status_code: z.number().nullable(),
  response_body: z.string(),
  delivery_success: z.boolean(),
});
const DISTURBANCES = "/_sandbox/webhook-disturbances";

beforeAll(async () => {
  home = await startTestSandbox();
  running = home;
  receiver = await Receiver.start();
  quote = await quoteStay(running);
});
afterAll(async () => {
  await home?.close();
  await receiver?.close();
});
beforeEach(async () => {
  receiver.reset();
  const events = ["stays.booking.created", "stays.booking.cancelled", "stays.booking_creation_failed"];
  endpoint = parseData(await running.call("POST", "/air/webhooks", { url: receiver.url, events }), Endpoint, 201);
});
afterEach(async () => {
  await running.call("DELETE", `/air/webhooks/${endpoint.id}`);
  await running.control("DELETE", DISTURBANCES);
});

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 90_000, interval: 25 });
const ids = () => receiver.received.map((delivery) => delivery.event.id);
const disturb = async (body: Record<string, unknown>) => {
  const answer = await running.control("POST", DISTURBANCES, body);
  if (answer.status !== 201) throw new Error(`disturbing answered ${answer.status}: ${JSON.stringify(answer.body)}`);
};
const deliveries = async (query = "") =>
  parseData(
    await running.call("GET", `/air/webhooks/deliveries?endpoint_id=${endpoint.id}${query}`),
    z.array(Delivery),
  );
const book = (changes?: Record<string, unknown>, on: RunningSandbox = running) => bookStay(on, quote, changes);
const cancel = (id: string) => running.call("POST", `/stays/bookings/${id}/actions/cancel`);

test("a stay's life is told, also of a booking that was only accepted", async () => {
  const booking = await book({ metadata: { booking_id: "told" } });
  await cancel(booking.id);
  await until(() => expect(receiver.types().sort()).toEqual(["stays.booking.cancelled", "stays.booking.created"]));
  expect(receiver.received[0]?.event.data.object).toMatchObject({ id: booking.id, metadata: { booking_id: "told" } });
  receiver.reset();
  for (const fault of ["accepted_then_failed", "accepted_then_done"]) {
    await arm(running, { match: { path: "/stays/bookings", method: "POST" }, fault, delayMs: 600_000 });
    const metadata = { booking_id: fault };
    expect((await running.call("POST", "/stays/bookings", bookingBody(quote, { metadata }))).status).toBe(202);
  }
  expect(receiver.received).toEqual([]);
  await tick(running, 601);
  await until(() => expect(receiver.received).toHaveLength(2));
  const told = Object.fromEntries(
    receiver.received.map(({ event }) => [event.type, event.data.object.metadata] as const),
  );
  expect(told).toEqual({
    "stays.booking.created": { booking_id: "accepted_then_done" },
    "stays.booking_creation_failed": { booking_id: "accepted_then_failed" },
  });
});

test("the log says what was sent where and what came back, and is asked by endpoint, type, success and time", async () => {
  // It is sent again and again meanwhile.
  receiver.refused.add("stays.booking.created");
  const booking = await book();
  await until(async () => expect((await deliveries())[0]?.response_status_code).toBe(500));
  await cancel(booking.id);
  await until(async () => expect(await deliveries("&delivery_success=true")).toHaveLength(1));
  const [sent] = await deliveries("&delivery_success=true");
  expect(sent).toMatchObject({
    type: "stays.booking.cancelled",
    endpoint_id: endpoint.id,
    url: receiver.url,
    attempts: 1,
    response_status_code: 200,
    response_body: "heard",
    event_id: receiver.received.find(({ event }) => event.type === "stays.booking.cancelled")?.event.id,
  });
  const pending = await deliveries("&type=stays.booking.created");
  expect(pending.map((delivery) => [delivery.type, delivery.delivery_success])).toEqual([
    ["stays.booking.created", false],
  ]);
  expect(await deliveries("&created_at[after]=2100-01-01T00:00:00Z")).toEqual([]);
  expect(await deliveries("&created_at[before]=2100-01-01T00:00:00Z")).toHaveLength(2);
  expect(await deliveries("&limit=1")).toEqual([sent]);
  expect(parseError(await running.call("GET", "/air/webhooks/deliveries?delivery_success=perhaps"))).toMatchObject({
    pointer: "/delivery_success",
  });
});

test("an endpoint that is switched off gets nothing more, not even again", async () => {
  receiver.answerWith = 500;
  await book();
  await until(async () => expect((await deliveries())[0]?.response_status_code).toBe(500));
  await running.call("PATCH", `/air/webhooks/${endpoint.id}`, { active: false });
  const [first] = await deliveries();
  await book();
  await tick(running, 7200);
  // Active again, it hears of the next booking; by then it would have heard of the first two.
  quote = await quoteStay(running);
  receiver.reset();
  await running.call("PATCH", `/air/webhooks/${endpoint.id}`, { active: true, events: ["stays.booking.cancelled"] });
  await cancel((await book()).id);
  await until(() => expect(receiver.types()).toEqual(["stays.booking.cancelled"]));
  expect((await deliveries()).slice(1)).toEqual([first]);
});

test("duplicate: the same event several times", async () => {
  await disturb({ kind: "duplicate", copies: 2, type: "stays.booking.created" });
  const booking = await book();
  await until(() => expect(receiver.received).toHaveLength(3));
  expect(new Set(ids()).size).toBe(1);
  await cancel(booking.id);
  await until(() => expect(receiver.received).toHaveLength(4));
  await book();
  await until(() => expect(receiver.received).toHaveLength(5));
  expect(new Set(ids()).size).toBe(3);
});

test("delay: the event comes when the clock has reached its time", async () => {
  await disturb({ kind: "delay", delayMs: 600_000 });
  await book();
  await cancel((await book()).id);
  await until(() => expect(receiver.types().sort()).toEqual(["stays.booking.cancelled", "stays.booking.created"]));
  await tick(running, 601);
  await until(() => expect(receiver.received).toHaveLength(3));
  expect(receiver.types().at(-1)).toBe("stays.booking.created");
  // Receivers check the time of signing by a clock that no tick moves.
  const signedAt = Number(/^t=(\d+),/u.exec(receiver.received.at(-1)?.signature ?? "")?.[1]);
  expect(Math.abs(signedAt - Date.now() / 1000)).toBeLessThan(300);
});

test("drop: the event is never sent, but can be read and asked for again", async () => {
  await disturb({ kind: "drop" });
  await book();
  const [lost] = await deliveries();
  expect(lost).toMatchObject({ attempts: 0, delivery_success: false });
  await cancel((await book()).id);
  await until(() => expect(receiver.received).toHaveLength(2));
  expect(ids()).not.toContain(lost?.event_id);
  const event = `/air/webhooks/events/${lost?.event_id}`;
  expect(parseData(await running.call("GET", event), WebhookEvent).type).toBe("stays.booking.created");
  expect((await running.call("POST", `${event}/actions/redeliver`)).status).toBe(204);
  await until(() => expect(ids().at(-1)).toBe(lost?.event_id));
});

test("reorder: as many events as asked for come in reverse", async () => {
  await disturb({ kind: "reorder", times: 3 });
  const bookings = [await book(), await book()];
  expect(receiver.received).toEqual([]);
  bookings.push(await book());
  await until(() => expect(receiver.received).toHaveLength(3));
  const named = () => receiver.received.map(({ event }) => event.data.object.id);
  expect(named()).toEqual(bookings.map((booking) => booking.id).reverse());
  const last = await book();
  await until(() => expect(named().at(-1)).toBe(last.id));
});

test("reorder: what is still held goes out when disturbances are disarmed", async () => {
  await disturb({ kind: "reorder", times: 5 });
  const booking = await book();
  expect(await running.control("GET", DISTURBANCES)).toMatchObject({
    body: { disturbances: [{ kind: "reorder", remaining: 4 }] },
  });
  await running.control("DELETE", DISTURBANCES);
  await until(() => expect(receiver.received.map(({ event }) => event.data.object.id)).toEqual([booking.id]));
  for (const body of [{ kind: "reorder" }, { kind: "eat" }, { kind: "drop", type: "order.eaten" }, undefined])
    expect((await running.control("POST", DISTURBANCES, body)).status).toBe(400);
});

test("what was being sent, held, delayed or accepted when the supplier was killed is told after its restart", async () => {
  const bookAs = (name: string) => book({ metadata: { booking_id: name } });
  receiver.answerWith = undefined;
  await bookAs("under way");
  await until(() => expect(receiver.received).toHaveLength(1));
  await disturb({ kind: "delay", delayMs: 600_000 });
  await bookAs("delayed");
  await disturb({ kind: "reorder", times: 2 });
  await bookAs("held");
  const match = { path: "/stays/bookings", method: "POST" };
  await arm(running, { match, fault: "accepted_then_done", delayMs: 300_000 });
  const accepted = bookingBody(quote, { metadata: { booking_id: "accepted" } });
  expect((await running.call("POST", "/stays/bookings", accepted)).status).toBe(202);
  await running.stop("SIGKILL");
  receiver.reset();
  running = await startSandboxProcess(home.databaseUrl);
  await bookAs("later");
  await tick(running, 601);
  const told = () =>
    receiver.received.map(({ event }) => z.object({ booking_id: z.string() }).parse(event.data.object.metadata));
  const names = () => [...new Set(told().map((metadata) => metadata.booking_id))].sort();
  await until(() => expect(names()).toEqual(["accepted", "delayed", "held", "later", "under way"]));
});
