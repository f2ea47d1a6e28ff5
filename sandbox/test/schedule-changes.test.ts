// The airline moves or cancels flights of an order, and what can be done about it; every step told by webhook.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { Receiver } from "./receiver.ts";
import {
  AirlineChange,
  brand,
  ChangeRequest,
  freeSeat,
  OrderChange,
  readBags,
  readOrder,
  type ServicedOrder,
  seatMaps,
  servicingBooks,
  ticketedOrder,
} from "./servicing.ts";
import { startTestSandbox, type TestSandbox } from "./start.ts";
import {
  arm,
  Cancellation,
  cents,
  checkLedgerAddsUp,
  daysAhead,
  hold,
  instantBody,
  ledger,
  parseData,
  parseError,
  pay,
  pickOffer,
  tick,
} from "./supplier.ts";

let sandbox: TestSandbox;
let receiver: Receiver;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  receiver = await Receiver.start();
  const events = [
    "order.airline_initiated_change_detected",
    "air.order.changed",
    "air.payment.succeeded",
    "air.payment.failed",
    "air.airline_credit.created",
    "air.airline_credit.spent",
    "air.airline_credit.invalidated",
    "order_cancellation.created",
    "order_cancellation.confirmed",
  ];
  const answer = await sandbox.call("POST", "/air/webhooks", { url: receiver.url, events });
  if (answer.status !== 201) throw new Error("the webhook was not registered");
});
afterAll(async () => {
  await sandbox?.close();
  await receiver?.close();
});
beforeEach(() => receiver.reset());

const told = (type: string) =>
  receiver.received.filter(({ event }) => event.type === type).map(({ event }) => event.data.object.id);
const until = (check: () => void) => vi.waitFor(check, { timeout: 90_000, interval: 25 });

async function moveSchedule(order: Pick<ServicedOrder, "id">, more: Record<string, unknown> = {}) {
  const answer = await sandbox.control("POST", "/_sandbox/schedule_changes", { order_id: order.id, ...more });
  if (answer.status !== 201) throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return z.object({ airline_initiated_change: AirlineChange }).parse(answer.body).airline_initiated_change;
}
const read = async (orderId: string) =>
  parseData(await sandbox.call("GET", `/air/airline_initiated_changes?order_id=${orderId}`), z.array(AirlineChange));
const accept = (id: string) => sandbox.call("POST", `/air/airline_initiated_changes/${id}/actions/accept`);
const update = (id: string, action: string) =>
  sandbox.call("PATCH", `/air/airline_initiated_changes/${id}`, { action_taken: action });
async function quote(orderId: string) {
  return parseData(await sandbox.call("POST", "/air/order_cancellations", { order_id: orderId }), Cancellation, 201);
}

test("a later departure is told, listed, and taken over when it is accepted, with seats and bags", async () => {
  const offer = await pickOffer(sandbox, brand("Flex"));
  const { service, seat } = freeSeat(await seatMaps(sandbox, offer.id), (one) => one.name === "Standard seat");
  const [bag] = await readBags(sandbox, offer.id);
  const total = (Number(cents(offer.total_amount) + cents(bag?.total_amount ?? "")) / 100).toFixed(2);
  const services = [service.id, bag?.id].map((id) => ({ id, quantity: 1 }));
  const payments = [{ type: "balance", amount: total, currency: "USD" }];
  const answer = await sandbox.call("POST", "/air/orders", instantBody(offer, { services, payments }));
  const { id } = parseData(answer, z.looseObject({ id: z.string() }), 201);
  const before = await readOrder(sandbox, id);
  const change = await moveSchedule(before, { shift_minutes: 120 });
  expect(await read(id)).toEqual([change]);
  await until(() => expect(told("order.airline_initiated_change_detected")).toEqual([change.id]));
  const open = await readOrder(sandbox, id);
  expect(open.slices).toEqual(before.slices);
  expect(open.airline_initiated_changes).toEqual([change]);
  expect(change).toMatchObject({
    order_id: id,
    action_taken: null,
    available_actions: ["accept", "cancel", "change", "update"],
    removed: [{ id: before.slices[0]?.id }],
  });
  const departed = Temporal.PlainDateTime.from(before.slices[0]?.segments[0]?.departing_at ?? "");
  expect(change.added[0]?.segments[0]?.departing_at).toBe(
    departed.add({ hours: 2 }).toString({ smallestUnit: "second" }),
  );

  expect(parseData(await accept(change.id), AirlineChange)).toMatchObject({
    action_taken: "accepted",
    action_taken_at: expect.any(String),
    available_actions: [],
  });
  const after = await readOrder(sandbox, id);
  const [segment] = after.slices[0]?.segments ?? [];
  expect(after.slices.map((slice) => slice.id)).toEqual(change.added.map((slice) => slice.id));
  expect(segment?.passengers[0]?.seat?.designator).toBe(seat.designator);
  expect(after.services.map((row) => row.segment_ids)).toEqual([[segment?.id], [segment?.id]]);
  expect(after.airline_initiated_changes).toMatchObject([{ id: change.id, action_taken: "accepted" }]);
  for (const again of [await accept(change.id), await update(change.id, "cancelled")])
    expect(parseError(again)).toMatchObject({ type: "invalid_state_error", code: "already_actioned" });
  expect(parseError(await accept("aic_none"))).toMatchObject({ status: 404 });
  expect((await servicingBooks(sandbox, id)).all.airlineInitiatedChanges).toContainEqual(
    expect.objectContaining({ id: change.id, action_taken: "accepted" }),
  );
});

test("cancelled flights cannot be accepted; the order is cancelled for its full price, whatever the fare says", async () => {
  const { order } = await ticketedOrder(sandbox, brand("Basic"));
  expect(await quote(order.id)).toMatchObject({ refund_amount: "0.00" });
  const change = await moveSchedule(order, { shift_minutes: null });
  expect(change).toMatchObject({ added: [], available_actions: ["cancel", "change", "update"] });
  expect(parseError(await accept(change.id))).toMatchObject({ code: "action_not_available" });
  const before = cents((await ledger(sandbox)).balance.amount);
  const quoted = await quote(order.id);
  expect(quoted.refund_amount).toBe(order.total_amount);
  await sandbox.call("POST", `/air/order_cancellations/${quoted.id}/actions/confirm`);
  expect(await read(order.id)).toMatchObject([{ action_taken: "cancelled" }]);
  expect((await readOrder(sandbox, order.id)).airline_initiated_changes).toMatchObject([{ action_taken: "cancelled" }]);
  const books = await ledger(sandbox);
  expect(cents(books.balance.amount) - before).toBe(cents(order.total_amount));
  checkLedgerAddsUp(books);
  await until(() => expect(told("order_cancellation.confirmed")).toEqual([quoted.id]));
});

test.each(["Basic", "Standard"])("a change because of it costs no penalty, whatever a %s fare says", async (fare) => {
  const { order } = await ticketedOrder(sandbox, brand(fare));
  await moveSchedule(order);
  expect((await readOrder(sandbox, order.id)).available_actions).toContain("change");
  const request = {
    order_id: order.id,
    slices: {
      remove: [{ slice_id: order.slices[0]?.id }],
      add: [{ origin: "LHR", destination: "JFK", departure_date: daysAhead(62) }],
    },
  };
  const answer = await sandbox.call("POST", "/air/order_change_requests", request);
  const [offer] = parseData(answer, ChangeRequest, 201).order_change_offers;
  expect(offer?.penalty_total_amount).toBe("0.00");
  const selected = { selected_order_change_offer: offer?.id };
  const change = parseData(await sandbox.call("POST", "/air/order_changes", selected), OrderChange, 201);
  const due = cents(change.change_total_amount);
  const payment = { type: "balance", amount: change.change_total_amount, currency: "USD" };
  const path = `/air/order_changes/${change.id}/actions/confirm`;
  parseData(await sandbox.call("POST", path, due > 0n ? { payment } : {}), OrderChange);
  expect(await read(order.id)).toMatchObject([{ action_taken: "changed" }]);
  await until(() => expect(told("air.order.changed")).toEqual([change.id]));
  checkLedgerAddsUp(await ledger(sandbox));
});

test("a held order is not paid before its change is answered", async () => {
  const held = await hold(sandbox, await pickOffer(sandbox));
  const change = await moveSchedule(held);
  const payment = { type: "balance", amount: held.total_amount, currency: "USD" };
  const early = await sandbox.call("POST", "/air/payments", { order_id: held.id, payment });
  expect(parseError(early)).toMatchObject({ type: "invalid_state_error", code: "schedule_changed" });
  expect(parseError(await update(change.id, "ignored"))).toMatchObject({ pointer: "/action_taken" });
  await accept(change.id);
  await pay(sandbox, held);
});

test("only open orders and their slices are moved", async () => {
  const { order } = await ticketedOrder(sandbox);
  const move = (body: unknown) => sandbox.control("POST", "/_sandbox/schedule_changes", body);
  expect((await move({ order_id: "ord_none" })).status).toBe(404);
  expect((await move({ order_id: order.id, slice: 3 })).status).toBe(404);
  expect((await move({ order_id: order.id, shift_minutes: 99_999 })).status).toBe(400);
});

test("a credit's life is told: created, spent with what is left, given back where tickets fail, invalidated", async () => {
  const CreditId = z.looseObject({ id: z.string() });
  const create = async () =>
    parseData(
      await sandbox.call("POST", "/air/airline_credits", {
        airline_iata_code: "BA",
        amount: "90.00",
        amount_currency: "USD",
        code: "E-1",
        type: "eticket",
        issued_on: daysAhead(-1),
        expires_at: daysAhead(300),
      }),
      CreditId,
      201,
    ).id;
  const credit = await create();
  await until(() => expect(told("air.airline_credit.created")).toEqual([credit]));
  const offer = await pickOffer(sandbox, (candidate) => candidate.owner.iata_code === "BA");
  const rest = (Number(offer.total_amount) - 60).toFixed(2);
  const payments = [
    { type: "airline_credit", airline_credit_id: credit, amount: "60.00" },
    { type: "balance", amount: rest, currency: "USD" },
  ];
  await arm(sandbox, { match: { path: "/air/orders", method: "POST" }, fault: "ticketing_failed" });
  parseData(await sandbox.call("POST", "/air/orders", instantBody(offer, { payments })), CreditId, 201);
  await until(() => expect(told("air.airline_credit.spent")).toEqual([credit]));
  const left = told("air.airline_credit.created").find((id) => id !== credit);
  const Shown = z.looseObject({ spent_at: z.string().nullable(), invalidated_at: z.string().nullable() });
  const shown = async (id: unknown) => parseData(await sandbox.call("GET", `/air/airline_credits/${id}`), Shown);
  await until(() => expect(told("air.airline_credit.created")).toHaveLength(2));
  const failed = told("air.payment.failed").length;
  await tick(sandbox, 2);
  await until(() => expect(told("air.payment.failed")).toHaveLength(failed + 2));
  expect(await shown(credit)).toMatchObject({ spent_at: null, invalidated_at: null });
  // Events of one moment come in no order.
  await until(() => expect(told("air.airline_credit.invalidated")).toHaveLength(1));
  if (left !== undefined) expect((await shown(left)).invalidated_at).not.toBeNull();
  const path = `/_sandbox/airline_credits/${credit}/invalidate`;
  expect((await sandbox.control("POST", path)).status).toBe(200);
  expect((await shown(credit)).invalidated_at).not.toBeNull();
  expect((await sandbox.control("POST", path)).status).toBe(404);
});
