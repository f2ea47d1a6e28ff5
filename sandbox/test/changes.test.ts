// Changing what was booked: asked for, offered, chosen, confirmed, paid or refunded.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  brand,
  ChangeOffer,
  ChangeRequest,
  freeSeat,
  issueCredit,
  listSeats,
  OrderChange,
  readBags,
  readOrder,
  type ServicedOrder,
  seatMaps,
  servicingBooks,
  sliceIds,
  ticketedOrder,
  totalAfter,
  wanted,
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
  pickOffer,
  tick,
} from "./supplier.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox?.close());
afterEach(async () => {
  await sandbox.control("DELETE", "/_sandbox/scenarios");
});

const CONFIRM = { path: "/air/order_changes/{id}/actions/confirm", method: "POST" };

const post = (data: unknown) => sandbox.call("POST", "/air/order_change_requests", data);
async function offersFor(order: ServicedOrder, days: number, more: Record<string, unknown> = {}) {
  return parseData(await post(wanted(order, days, more)), ChangeRequest, 201).order_change_offers;
}
const choose = (id: string) => sandbox.call("POST", "/air/order_changes", { selected_order_change_offer: id });
async function chosen(id: string) {
  return parseData(await choose(id), OrderChange, 201);
}
const confirm = (id: string, data?: unknown) => sandbox.call("POST", `/air/order_changes/${id}/actions/confirm`, data);
const paying = (amount: string, currency = "USD") => ({ payment: { type: "balance", amount, currency } });
const readBalance = async () => cents((await ledger(sandbox)).balance.amount);

async function dearestChange(order: ServicedOrder, days = 90, more: Record<string, unknown> = {}) {
  const offer = (await offersFor(order, days, more)).sort((a, b) =>
    Number(cents(b.change_total_amount) - cents(a.change_total_amount)),
  )[0];
  if (offer === undefined) throw new Error("the airline offers no change");
  return offer;
}

describe("a change that costs money", () => {
  test("is offered by the same airline in the same fare, priced with its penalty, and replaces the slice in place", async () => {
    const { order } = await ticketedOrder(sandbox, brand("Standard"), { returnDays: 75 });
    expect(order.available_actions).toEqual(["cancel", "change", "update"]);
    const request = parseData(await post(wanted(order, 65)), ChangeRequest, 201);
    const offers = request.order_change_offers;
    expect(offers.length).toBeGreaterThan(0);
    const Carrier = z.looseObject({ marketing_carrier: z.looseObject({ iata_code: z.string() }) });
    const carrier = Carrier.parse(order.slices[0]?.segments[0]).marketing_carrier.iata_code;
    for (const offer of offers) {
      const [slice] = offer.slices.add;
      expect(Carrier.parse(slice?.segments[0]).marketing_carrier.iata_code).toBe(carrier);
      expect(slice).toMatchObject({ fare_brand_name: "Standard" });
      expect(slice?.segments[0]?.departing_at.slice(0, 10)).toBe(daysAhead(65));
      expect(offer.slices.remove.map((removed) => removed.id)).toEqual([order.slices[0]?.id]);
      expect(offer.penalty_total_amount).toBe(order.conditions.change_before_departure.penalty_amount);
      expect(offer.new_total_amount).toBe("0.00");
    }
    const listed = async (sort: string) =>
      parseData(
        await sandbox.call("GET", `/air/order_change_offers?order_change_request_id=${request.id}&sort=${sort}`),
        z.array(ChangeOffer),
      ).map((offer) => cents(offer.change_total_amount));
    const ascending = await listed("change_total_amount");
    expect(ascending).toEqual([...ascending].sort((a, b) => Number(a - b)));
    expect(await listed("-change_total_amount")).toEqual([...ascending].reverse());

    const offer = await dearestChange(order, 65);
    expect(cents(offer.change_total_amount)).toBeGreaterThan(0n);
    expect(offer.refund_to).toBeNull();
    const change = await chosen(offer.id);
    expect(change).toMatchObject({
      order_id: order.id,
      confirmed_at: null,
      change_total_amount: offer.change_total_amount,
    });
    const told = parseData(await sandbox.call("GET", `/air/order_change_offers/${offer.id}`), ChangeOffer);
    expect(told.order_change_id).toBe(change.id);
    expect(parseError(await confirm(change.id))).toMatchObject({ code: "validation_required", pointer: "/payment" });
    expect(parseError(await confirm(change.id, paying("1.00")))).toMatchObject({
      code: "payment_amount_does_not_match_order_amount",
    });
    expect(parseError(await confirm(change.id, paying(change.change_total_amount, "EUR")))).toMatchObject({
      code: "payment_currency_does_not_match_order_currency",
    });
    const card = { payment: { ...paying(change.change_total_amount).payment, type: "card" } };
    expect(parseError(await confirm(change.id, card))).toMatchObject({ pointer: "/payment/type" });
    expect(await readOrder(sandbox, order.id)).toEqual(order);
    const before = await readBalance();
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, () => confirm(change.id, paying(change.change_total_amount))),
    );
    expect(outcomes.map((outcome) => outcome.status).sort()).toEqual([200, 422, 422, 422]);
    expect(parseError(await confirm(change.id, paying(change.change_total_amount)))).toMatchObject({
      type: "invalid_state_error",
      code: "already_confirmed",
    });
    expect(before - (await readBalance())).toBe(cents(change.change_total_amount));
    const after = await readOrder(sandbox, order.id);
    expect(sliceIds(after)).toEqual([offer.slices.add[0]?.id, order.slices[1]?.id]);
    expect(after.total_amount).toBe(totalAfter(order, offer));
    const { change_before_departure: terms } = after.conditions;
    for (const { conditions } of after.slices) expect(conditions?.change_before_departure).toEqual(terms);
    expect(cents(after.base_amount) + cents(after.tax_amount)).toBe(cents(after.total_amount));
    expect(after.changes).toMatchObject([{ id: change.id }]);
    expect(after.documents).toHaveLength(1);
    expect(after.documents[0]?.unique_identifier).not.toBe(order.documents[0]?.unique_identifier);
    const done = parseData(await sandbox.call("GET", `/air/order_changes/${change.id}`), OrderChange);
    expect(done.confirmed_at).not.toBeNull();
    expect((await servicingBooks(sandbox, order.id)).changes).toEqual([
      expect.objectContaining({
        id: change.id,
        change_amount: change.change_total_amount,
        payment_id: expect.any(String),
      }),
    ]);
    checkLedgerAddsUp(await ledger(sandbox));

    // Later refunds are computed from the new price.
    const quoted = await sandbox.call("POST", "/air/order_cancellations", { order_id: order.id });
    const penalty = cents(after.conditions.refund_before_departure.penalty_amount ?? "0.00");
    expect(cents(parseData(quoted, Cancellation, 201).refund_amount)).toBe(cents(after.total_amount) - penalty);
  });
});

describe("a change that gives money back", () => {
  async function cheaper(query: Record<string, unknown> = {}) {
    const { order } = await ticketedOrder(sandbox, brand("Flex"), { cabin_class: "business", ...query });
    return order;
  }

  test("to the balance, once, and a cancellation gives back only what is left", async () => {
    const order = await cheaper();
    const [offer] = await offersFor(order, 80, { cabin_class: "economy" });
    if (offer === undefined) throw new Error("the airline offers no change");
    const refund = -cents(offer.change_total_amount);
    expect(refund).toBeGreaterThan(0n);
    expect(offer.refund_to).toBe("original_form_of_payment");
    const change = await chosen(offer.id);
    expect(parseError(await confirm(change.id, paying("5.00")))).toMatchObject({
      code: "payment_amount_does_not_match_order_amount",
    });
    const before = await readBalance();
    parseData(await confirm(change.id), OrderChange);
    expect((await readBalance()) - before).toBe(refund);
    const quoted = parseData(
      await sandbox.call("POST", "/air/order_cancellations", { order_id: order.id }),
      Cancellation,
      201,
    );
    expect(quoted).toMatchObject({
      refund_amount: totalAfter(order, offer),
      refund_to: "balance",
      airline_credits: [],
    });
    await sandbox.call("POST", `/air/order_cancellations/${quoted.id}/actions/confirm`);
    expect((await readBalance()) - before).toBe(cents(order.total_amount));
    const cancelled = await readOrder(sandbox, order.id);
    expect(cancelled.cancellation).toMatchObject({ id: quoted.id, confirmed_at: expect.any(String) });
    checkLedgerAddsUp(await ledger(sandbox));
  });

  test("to the balance no more than the balance paid, the rest as credit", async () => {
    const offer = await pickOffer(sandbox, (one) => brand("Flex")(one) && one.owner.iata_code === "BA", {
      cabin_class: "business",
    });
    const byCredit = (Number(offer.total_amount) - 50).toFixed(2);
    const Id = z.looseObject({ id: z.string() });
    const creditId = await issueCredit(sandbox, "BA", byCredit);
    const payments = [
      { type: "airline_credit", airline_credit_id: creditId },
      { type: "balance", amount: "50.00", currency: "USD" },
    ];
    const { id } = parseData(await sandbox.call("POST", "/air/orders", instantBody(offer, { payments })), Id, 201);
    await tick(sandbox, 2);
    const order = await readOrder(sandbox, id);
    const [cheaperOffer] = await offersFor(order, 80, { cabin_class: "economy" });
    if (cheaperOffer === undefined) throw new Error("the airline offers no change");
    const before = await readBalance();
    parseData(await confirm((await chosen(cheaperOffer.id)).id), OrderChange);
    expect((await readBalance()) - before).toBe(5000n);
    const given = -cents(cheaperOffer.change_total_amount) - 5000n;
    expect((await servicingBooks(sandbox, id)).credits).toMatchObject([{ amount: (Number(given) / 100).toFixed(2) }]);
    const quoted = await sandbox.call("POST", "/air/order_cancellations", { order_id: id });
    expect(parseData(quoted, Cancellation, 201)).toMatchObject({
      refund_amount: "0.00",
      refund_to: "airline_credits",
      airline_credits: [{ credit_amount: totalAfter(order, cheaperOffer) }],
    });
  });

  test("as airline credit on LTN-SYD", async () => {
    const order = await cheaper({ origin: "LTN", destination: "SYD" });
    const [offer] = await offersFor(order, 80, { origin: "LTN", destination: "SYD", cabin_class: "economy" });
    if (offer === undefined) throw new Error("the airline offers no change");
    expect(offer.refund_to).toBe("voucher");
    const before = await readBalance();
    parseData(await confirm((await chosen(offer.id)).id), OrderChange);
    expect(await readBalance()).toBe(before);
    expect((await servicingBooks(sandbox, order.id)).credits).toEqual([
      expect.objectContaining({ amount: offer.change_total_amount.slice(1) }),
    ]);
  });
});

describe("what cannot be changed", () => {
  test("has no offers: the fare forbids it, it is not paid, the airline does not fly there", async () => {
    const basic = await ticketedOrder(sandbox, brand("Basic"));
    expect(basic.order.available_actions).not.toContain("change");
    expect(await offersFor(basic.order, 80)).toEqual([]);
    const held = await hold(sandbox, await pickOffer(sandbox, brand("Flex")));
    expect(await offersFor(await readOrder(sandbox, held.id), 80)).toEqual([]);
    const { order } = await ticketedOrder(sandbox, brand("Flex"));
    expect(await offersFor(order, 80, { origin: "PVD", destination: "RAI" })).toEqual([]);
  });

  test("nonsense is refused at its place", async () => {
    const { order } = await ticketedOrder(sandbox, brand("Flex"));
    const body = wanted(order, 80);
    const cases: [unknown, string][] = [
      [{ ...body, slices: { ...body.slices, remove: [{ slice_id: "sli_none" }] } }, "/slices/remove/0/slice_id"],
      [
        { ...body, slices: { ...body.slices, remove: [...body.slices.remove, ...body.slices.remove] } },
        "/slices/remove/1/slice_id",
      ],
      [{ ...body, slices: { ...body.slices, remove: [] } }, "/slices/remove"],
      [wanted(order, -3), "/slices/add/0/departure_date"],
      [wanted(order, 80, { origin: "XQX" }), "/slices/add/0/origin"],
      [wanted(order, 80, { departure_date: "2027-02-30" }), "/slices/add/0/departure_date"],
    ];
    for (const [data, pointer] of cases)
      expect(parseError(await post(data)), pointer).toMatchObject({ status: 422, type: "validation_error", pointer });
    expect(parseError(await post({ ...body, order_id: "ord_none" }))).toMatchObject({ status: 404 });
    expect(parseError(await choose("oco_none"))).toMatchObject({ pointer: "/selected_order_change_offer" });
    expect(parseError(await confirm("oce_none"))).toMatchObject({ status: 404 });
  });

  test("what was offered for an order as it no longer is", async () => {
    const { order } = await ticketedOrder(sandbox, brand("Flex"));
    const [first, second] = await offersFor(order, 80);
    if (first === undefined || second === undefined) throw new Error("two changes are needed");
    const [change, other] = [await chosen(first.id), await chosen(second.id)];
    const due = (one: typeof change) =>
      cents(one.change_total_amount) > 0n ? paying(one.change_total_amount) : undefined;
    parseData(await confirm(change.id, due(change)), OrderChange);
    const before = await ledger(sandbox);
    expect(parseError(await confirm(other.id, due(other)))).toMatchObject({ code: "offer_no_longer_available" });
    expect(parseError(await choose(second.id))).toMatchObject({ code: "offer_no_longer_available" });
    expect((await ledger(sandbox)).balance).toEqual(before.balance);
  });

  test("offers and chosen changes expire after half an hour", async () => {
    const { order } = await ticketedOrder(sandbox, brand("Flex"));
    const [first, second] = await offersFor(order, 80);
    if (first === undefined || second === undefined) throw new Error("two changes are needed");
    await tick(sandbox, 20 * 60);
    const change = await chosen(first.id);
    await tick(sandbox, 11 * 60);
    expect(parseError(await choose(second.id))).toMatchObject({ type: "invalid_state_error", code: "offer_expired" });
    await tick(sandbox, 20 * 60);
    expect(parseError(await confirm(change.id, paying(change.change_total_amount)))).toMatchObject({
      type: "invalid_state_error",
      code: "order_change_expired",
    });
  });
});

test("services of the slice that goes are given up and count as its value; those of the others stay", async () => {
  const offer = await pickOffer(sandbox, brand("Standard"), { returnDays: 75 });
  const bags = await readBags(sandbox, offer.id);
  const { service, seat } = freeSeat(await seatMaps(sandbox, offer.id), (one) => one.name === "Extra legroom seat");
  const services = [...bags.map((bag) => bag.id), service.id].map((id) => ({ id, quantity: 1 }));
  const all = [offer, ...bags, service].reduce((sum, part) => sum + cents(part.total_amount), 0n);
  const total = (Number(all) / 100).toFixed(2);
  const payments = [{ type: "balance", amount: total, currency: "USD" }];
  const answer = await sandbox.call("POST", "/air/orders", instantBody(offer, { services, payments }));
  const { id } = parseData(answer, z.looseObject({ id: z.string() }), 201);
  await tick(sandbox, 2);
  const order = await readOrder(sandbox, id);
  const plain = parseData(
    await sandbox.call("POST", "/air/orders", instantBody(offer)),
    z.looseObject({ id: z.string() }),
    201,
  );
  await tick(sandbox, 2);
  const withoutServices = await dearestChange(await readOrder(sandbox, plain.id), 66);
  const change = await chosen((await dearestChange(order, 66)).id);
  expect(cents(withoutServices.change_total_amount) - cents(change.change_total_amount)).toBe(
    cents(bags[0]?.total_amount ?? "") + cents(service.total_amount),
  );
  parseData(await confirm(change.id, paying(change.change_total_amount)), OrderChange);
  const after = await readOrder(sandbox, order.id);
  expect(after.services.map((row) => [row.type, row.segment_ids])).toEqual([
    ["baggage", order.slices[1]?.segments.map((segment) => segment.id)],
  ]);
  expect(after.total_amount).toBe(totalAfter(order, change));
  const free = (await seatMaps(sandbox, offer.id)).flatMap(listSeats).find((one) => one.designator === seat.designator);
  expect(free?.available_services.map((one) => one.id)).toContain(service.id);
  checkLedgerAddsUp(await ledger(sandbox));
});

describe("faults of a change's confirmation", () => {
  async function ready() {
    const { order } = await ticketedOrder(sandbox, brand("Standard"));
    const change = await chosen((await dearestChange(order)).id);
    return { order, change, due: paying(change.change_total_amount) };
  }
  const listConfirmed = async (orderId: string) =>
    (await servicingBooks(sandbox, orderId)).changes.filter((row) => row.confirmed_at !== null);

  test.each(["reset_after_effect", "truncated_json"])("%s: done, and nobody hears of it", async (fault) => {
    const { order, change, due } = await ready();
    await arm(sandbox, { match: CONFIRM, fault });
    await expect(confirm(change.id, due)).rejects.toThrow();
    expect(await listConfirmed(order.id)).toHaveLength(1);
    expect(parseError(await confirm(change.id, due))).toMatchObject({ code: "already_confirmed" });
  });

  test("late_effect: nothing yet, then once", async () => {
    const { order, change, due } = await ready();
    await arm(sandbox, { match: CONFIRM, fault: "late_effect", delayMs: 600_000 });
    const asked = confirm(change.id, due).catch(() => undefined);
    const Armed = z.object({ scenarios: z.array(z.unknown()) });
    const armed = async () => Armed.parse((await sandbox.control("GET", "/_sandbox/scenarios")).body).scenarios;
    await expect.poll(armed).toEqual([]);
    expect(await listConfirmed(order.id)).toEqual([]);
    await tick(sandbox, 601);
    await expect.poll(() => listConfirmed(order.id)).toHaveLength(1);
    expect(await Promise.race([asked, Promise.resolve("open")])).toBe("open");
  });

  test("accepted_then_done: 202 with nothing in it, done later", async () => {
    const { order, change, due } = await ready();
    await arm(sandbox, { match: CONFIRM, fault: "accepted_then_done", delayMs: 60_000 });
    const answer = await confirm(change.id, due);
    expect([answer.status, answer.body]).toEqual([202, undefined]);
    expect(await listConfirmed(order.id)).toEqual([]);
    await tick(sandbox, 61);
    await expect.poll(() => listConfirmed(order.id)).toHaveLength(1);
  });

  test.each([
    ["http_500", 500, "internal_server_error"],
    ["insufficient_balance", 422, "insufficient_balance"],
    ["sold_out", 422, "offer_no_longer_available"],
    ["accepted_then_failed", 202, undefined],
  ])("%s: nothing done, and it works the next time", async (fault, status, code) => {
    const { order, change, due } = await ready();
    await arm(sandbox, { match: CONFIRM, fault });
    const answer = await confirm(change.id, due);
    expect(answer.status).toBe(status);
    if (code !== undefined) expect(parseError(answer).code).toBe(code);
    expect(await listConfirmed(order.id)).toEqual([]);
    parseData(await confirm(change.id, due), OrderChange);
  });

  test("price_changed: refused, and dearer from then on; offer_expired: refused for good", async () => {
    const { change, due } = await ready();
    await arm(sandbox, { match: CONFIRM, fault: "price_changed" });
    expect(parseError(await confirm(change.id, due))).toMatchObject({ code: "price_changed" });
    const dearer = parseData(await sandbox.call("GET", `/air/order_changes/${change.id}`), OrderChange);
    expect(cents(dearer.change_total_amount)).toBeGreaterThan(cents(change.change_total_amount));
    expect(parseError(await confirm(change.id, due))).toMatchObject({
      code: "payment_amount_does_not_match_order_amount",
    });
    await arm(sandbox, { match: CONFIRM, fault: "offer_expired" });
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(parseError(await confirm(change.id, paying(dearer.change_total_amount)))).toMatchObject({
        code: "order_change_expired",
      });
  });
});
