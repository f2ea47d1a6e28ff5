import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { openAirlineChanges } from "../../test/support/airline-changes.ts";
import { openStays, type StaysWorld } from "../../test/support/stays-service.ts";

/** The run that answers an airline which changed booked flights: events that come twice, answers that are lost, refusals. */
let world: StaysWorld;
let airline: ReturnType<typeof openAirlineChanges>;
beforeAll(async () => {
  world = await openStays("shared");
  airline = openAirlineChanges(world);
});
afterAll(() => world?.close());

const Listed = z.object({
  orders: z.array(
    z.object({ orderId: z.string(), scheduleChanges: z.array(z.object({ id: z.string(), answerBy: z.string() })) }),
  ),
});

it("an airline that moves flights is answered once, although its event comes twice and the answer to the acceptance is lost", async () => {
  const { orderId } = await world.bookFlexible();
  const before = await world.paidToSupplier();
  await world.supplier("/_sandbox/webhook-disturbances", {
    kind: "duplicate",
    type: "order.airline_initiated_change_detected",
    times: 1,
    copies: 2,
  });
  const changeId = await airline.changeFlights(orderId, 300);
  const { shown } = await airline.waitForDecision(changeId);
  expect(shown.options.map(({ kind }) => kind)).toContain("accept");
  expect(shown.told.map(({ channel }) => channel)).toEqual(["email"]);
  const { orders } = Listed.parse(await world.result("list_orders", { limit: 200 }));
  expect(orders.find((order) => order.orderId === orderId)?.scheduleChanges).toEqual([
    { id: changeId, answerBy: shown.answerBy },
  ]);

  await world.arm(`/air/airline_initiated_changes/${changeId}/actions/accept`, "reset_after_effect");
  const deciding = airline.decide(changeId, "accept");
  await expect.poll(() => airline.answersAtSupplier(changeId), { timeout: 30_000 }).toBe(1);
  await world.endQuietTime();
  expect((await deciding).end).toBe("accepted");
  expect(await airline.answersAtSupplier(changeId)).toBe(1);
  expect(await airline.runsFor(changeId)).toHaveLength(1);
  expect(await world.paidToSupplier()).toBe(before);
  const order = await world.result("read_order", { orderId });
  expect(order.scheduleChanges).toEqual([]);
});

it("a change cannot be accepted with money, by an unknown id, or where the airline cancelled the flights", async () => {
  const { orderId } = await world.bookFlexible();
  const moved = await airline.changeFlights(orderId, 120);
  await airline.waitForDecision(moved);
  const accept = (changeId: string, amount: string) =>
    world.service.call("confirm_order_change", { changeId, payment: { type: "balance", amount, currency: "USD" } });
  expect((await accept(moved, "5.00")).body.code).toBe("price_changed");
  expect((await accept("aic_0000UnheardOf0000000000", "0")).body.code).toBe("change_not_found");
  expect((await airline.decide(moved, "cancelled")).end).toBe("unanswered");
  expect(await airline.answersAtSupplier(moved)).toBe(0);
  const cancelled = await airline.changeFlights(orderId, null);
  await airline.waitForDecision(cancelled);
  expect((await accept(cancelled, "0")).body.code).toBe("order_not_changeable");
  expect((await airline.decide(cancelled, "cancelled")).end).toBe("unanswered");
});

it("an airline is not refused where not the whole price comes back as money", async () => {
  const { orderId } = await world.bookFlexible();
  const changeId = await airline.changeFlights(orderId, 240);
  await airline.waitForDecision(changeId);
  await world.arm("/air/order_cancellations", "refund_as_credit");
  expect((await airline.decide(changeId, "refuse")).end).toBe("not_refused");
  expect((await world.result("read_order", { orderId })).status).toBe("confirmed");
});

it("a change whose run cannot be started holds up nobody else's, and is taken up once it can be", async () => {
  const { orderId } = await world.bookFlexible();
  const { sql, tenantId } = world.service;
  const name = (userId: unknown) =>
    sql("update booking set user_id = $3 where tenant_id = $1 and order_id = $2", [tenantId, orderId, userId]);
  const [before] = await sql("select user_id from booking where tenant_id = $1 and order_id = $2", [tenantId, orderId]);
  await name("user_gone");
  const held = await airline.changeFlights(orderId, 120);
  const isKnown = () =>
    sql("select 1 from booking where order_id = $1 and order_schedule_changes <> '[]'::jsonb", [orderId]);
  await expect.poll(isKnown, { timeout: 60_000 }).toHaveLength(1);
  const other = await airline.changeFlights((await world.bookFlexible()).orderId, 120);
  await airline.waitForDecision(other);
  expect(await airline.runsFor(held)).toEqual([]);
  await name(before?.user_id);
  await airline.waitForDecision(held);
});
