import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { micro, openServicing, type Servicing } from "../../../test/support/servicing-service.ts";
import { newFundedTenant, stranger } from "../../../test/support/treasury.ts";
import { formatDecimal } from "../../domain/money.ts";

/** Changes of flight orders at the supplier's sandbox, over dispatch. */
let world: Servicing;
beforeAll(async () => {
  world = await openServicing("own");
});
afterAll(() => world.close());

/** More often than the order is read while the fault is armed. */
const MOST_READS = 1_000;
/** The supplier's clock is moved in the sandbox. */
const LATE_MILLISECONDS = 600_000;
const statusAndCode = ({ status, body }: { status: number; body: Record<string, unknown> }) => [status, body.code];

type Payment = { type: string; amount: string; currency: string };
const confirm = (changeId: string, payment: Payment, options = {}) =>
  world.service.call("confirm_order_change", { changeId, payment }, options);

const Segment = z.object({
  flightNumber: z.string(),
  origin: z.string(),
  destination: z.string(),
  departingAt: z.string(),
  arrivingAt: z.string(),
});
const Flown = z.object({ slices: z.array(z.object({ id: z.string(), segments: z.array(Segment) })) });
const Shown = Flown.extend({ totalAmount: z.string() });

/** As the order's route shows it. */
async function shownOrder(orderId: string) {
  const headers = { authorization: `Bearer ${world.service.apiKey}` };
  return Shown.parse((await world.service.send(`/api/orders/${orderId}`, { headers })).body);
}

async function selected(wanted: "dearer" | "cheaper" = "dearer") {
  const order = await world.bookFlexible();
  const change = await world.selectChange(order, wanted);
  return { ...order, ...change, payment: { type: "balance", ...change.due } };
}

const confirmPath = (changeId: string) => `/air/order_changes/${changeId}/actions/confirm`;

describe("a change", () => {
  it.each(["balance", "arc"])("that costs is paid by %s, once", async (type) => {
    const { orderId, bookingId, changeId, due, payment } = await selected();
    const answer = await confirm(changeId, { ...payment, type });
    expect(answer.body.result, answer.text).toMatchObject({
      changeId,
      orderId,
      bookingId,
      status: "confirmed",
      changeTotalAmount: due.amount,
      chargedUsdc: due.amount,
      refundedUsdc: "0.00",
      sandbox: true,
    });
    const again = await confirm(changeId, { ...payment, type });
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect(await world.confirmedChanges(orderId)).toMatchObject([{ change_amount: due.amount }]);
    const purposes = await world.service.sql(
      "select purpose from chain_transaction where idempotency_key like '%servicing:%' and result is null and tenant_id = $1 order by created_at desc limit 1",
      [world.service.tenantId],
    );
    expect(purposes).toEqual([{ purpose: type === "arc" ? "servicing" : "capture" }]);
    await world.expectSameBooks();
  });

  it("with a refund pays it to the wallet", async () => {
    const { orderId, changeId, changeTotalAmount, due } = await selected("cheaper");
    expect(due.amount).toBe("0");
    const flownBefore = await shownOrder(orderId);
    const args = { changeId, payment: { type: "balance", ...due } };
    const { note } = await world.result("preview_call", { tool: "confirm_order_change", args });
    expect(note).toContain(`The supplier gives back ${changeTotalAmount.slice(1)} USD`);
    const answer = await confirm(changeId, { type: "balance", ...due });
    // The supplier's change lacks the order's new price, so the order is read back at once.
    const { orders } = await world.ledger();
    const newTotalAmount = orders.find(({ id }) => id === orderId)?.total_amount;
    expect(answer.body.result, answer.text).toMatchObject({ newTotalAmount, newTotalCurrency: "USD" });
    // The change's answer and the order's route agree at once.
    const { slices } = Flown.parse(answer.body.result);
    const shown = await shownOrder(orderId);
    expect(shown).toMatchObject({ totalAmount: newTotalAmount });
    expect(shown.slices).toEqual(slices);
    expect(slices[0]?.segments).not.toEqual(flownBefore.slices[0]?.segments);
    const back = changeTotalAmount.slice(1);
    expect(answer.body.result, answer.text).toMatchObject({
      changeTotalAmount,
      chargedUsdc: "0.00",
      refundedUsdc: back,
      next: expect.stringContaining(`${back} USDC are on their way to the treasury wallet`),
    });
    expect(await world.confirmedChanges(orderId)).toMatchObject([{ refund_amount: back }]);
    await world.expectSameBooks();
  });

  it("whose order the supplier does not return is shown with the flights of the change", async () => {
    const { orderId, changeId, payment, slices } = await selected();
    const before = (await shownOrder(orderId)).slices;
    const match = { path: `/air/orders/${orderId}`, method: "GET" };
    await world.supplier("/_sandbox/scenarios", { match, fault: "http_500", times: MOST_READS, delayMs: 0 });
    const answer = await confirm(changeId, payment);
    expect(answer.body.result, answer.text).toMatchObject({ status: "confirmed", newTotalAmount: null, slices: [] });
    const shown = (await shownOrder(orderId)).slices;
    await world.disarm();
    const read = Flown.parse(Object(await world.result("read_order", { orderId })).flight).slices;
    expect(shown).toEqual(read);
    expect(shown).toHaveLength(slices.length);
    expect(shown[0]?.segments).not.toEqual(before[0]?.segments);
    await world.expectSameBooks();
  });

  it.each([10_000_000n, 0n])(
    "of an order that a credit paid except for %s refunds only that as money",
    async (money) => {
      const offer = await world.flexibleOffer();
      const airlineCreditId = await world.giveCredit(
        offer.owner.iataCode,
        formatDecimal(micro(offer.totalAmount) - money),
      );
      const order = await world.book({ offerId: offer.id, airlineCreditId });
      await world.issueTickets(order.orderId);
      const { changeId, changeTotalAmount, due } = await world.selectChange(order, "cheaper");
      expect(micro(changeTotalAmount)).toBeLessThan(-money);
      const answer = await confirm(changeId, { type: "balance", ...due });
      const refundedUsdc = formatDecimal(money);
      expect(answer.body.result, answer.text).toMatchObject({ refundedUsdc });
      const record = await world.service.send(`/api/orders/${order.orderId}`, {
        headers: { authorization: `Bearer ${world.service.apiKey}` },
      });
      const refunds = money === 0n ? [] : [{ details: { changeId, changeTotalAmount, refundedUsdc } }];
      expect(record.body).toMatchObject({ changes: [{ details: { changeId } }], refunds });
      await world.expectSameBooks();
    },
  );

  it("confirmed sixteen times at once is made once", async () => {
    const { orderId, changeId, payment } = await selected();
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => world.untilEnded(() => confirm(changeId, payment))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200));
    expect(await world.confirmedChanges(orderId)).toHaveLength(1);
    await world.expectSameBooks();
  });
});

describe("a request for a change", () => {
  it("names the slices of the order, and refuses impossible ones", async () => {
    const order = await world.bookFlexible();
    const { orderId } = order;
    const remove = [{ slice_id: order.slices[0]?.id }];
    const request = (slices: object) => world.service.call("request_order_change", { orderId, slices });
    const add = { origin: "LHR", destination: "JFK", departure_date: "2027-12-01" };
    const unknown = await request({ add: [add], remove: [{ slice_id: "sli_0000Nothing" }] });
    expect(statusAndCode(unknown)).toEqual([400, "invalid_input"]);
    expect(unknown.body.detail).toContain(`${order.slices[0]?.id} (LHR to JFK)`);
    for (const slices of [
      { add: [add], remove: [] },
      { add: [{ ...add, departure_date: "2027-02-30" }], remove },
      { add: [{ ...add, departure_date: "2020-01-01" }], remove },
      { add: [{ ...add, destination: "LGW" }], remove },
      { add: [{ ...add, destination: "London" }], remove },
    ]) {
      expect(statusAndCode(await request(slices)), JSON.stringify(slices)).toEqual([400, "invalid_input"]);
    }
    const { cancellationId } = await world.result("cancel_order_quote", { orderId });
    await world.result("confirm_cancel_order", { cancellationId });
    expect(statusAndCode(await request({ add: [add], remove }))).toEqual([500, "order_not_changeable"]);
  });
});

describe("a confirmation that the supplier does not answer", () => {
  it("is found to be done or not, is made once, and is paid once", async () => {
    const done = ["reset_after_effect", "truncated_json", "accepted_then_done", "late_effect"];
    const orders = [];
    for (const fault of [...done, "timeout"]) orders.push({ fault, type: "balance", ...(await selected()) });
    for (const fault of ["reset_after_effect", "timeout"]) orders.push({ fault, type: "arc", ...(await selected()) });
    await Promise.all(
      orders.map(async ({ fault, type, changeId, payment }) => {
        await world.arm(confirmPath(changeId), fault, LATE_MILLISECONDS);
        const answer = await world.unanswered(confirm(changeId, { ...payment, type }));
        expect(statusAndCode(answer), `${fault}, paid by ${type}`).toEqual([500, "outcome_unknown"]);
      }),
    );
    await world.advance(LATE_MILLISECONDS / 1_000);
    for (const { fault, orderId } of orders.filter((one) => done.includes(one.fault))) {
      await expect.poll(() => world.confirmedChanges(orderId), { message: fault }).toHaveLength(1);
    }
    await world.endQuietTime();
    await Promise.all(
      orders.map(async ({ fault, type, orderId, changeId, due, payment }) => {
        const where = `${fault}, paid by ${type}`;
        const answer = await world.untilKnown(() => confirm(changeId, { ...payment, type }));
        expect(answer.body.result, answer.text).toMatchObject({ status: "confirmed", chargedUsdc: due.amount });
        expect(await world.confirmedChanges(orderId), where).toHaveLength(1);
      }),
    );
    await world.expectSameBooks();
  });
});

describe("a refused confirmation changes nothing", () => {
  it.each([
    ["offer_expired", "balance", "change_expired"],
    ["price_changed", "balance", "price_changed"],
    ["http_503", "balance", "provider_unavailable"],
    ["price_changed", "arc", "price_changed"],
  ])("%s with %s is %s, and what was paid comes back", async (fault, type, code) => {
    const { orderId, changeId, payment } = await selected();
    await world.arm(confirmPath(changeId), fault);
    expect(statusAndCode(await confirm(changeId, { ...payment, type }))).toEqual([500, code]);
    expect(await world.confirmedChanges(orderId)).toEqual([]);
    await world.expectSameBooks();
  });

  it("another amount, another currency, a card", async () => {
    const { orderId, changeId, due, payment } = await selected();
    const more = formatDecimal(micro(due.amount) + 10_000n);
    const wrong = await confirm(changeId, { ...payment, amount: more });
    expect([statusAndCode(wrong), wrong.body.amount]).toEqual([[500, "price_changed"], due.amount]);
    expect(statusAndCode(await confirm(changeId, { ...payment, currency: "EUR" }))).toEqual([400, "invalid_input"]);
    expect(statusAndCode(await confirm(changeId, { ...payment, type: "card" }))).toEqual([500, "card_not_available"]);
    expect(await world.confirmedChanges(orderId)).toEqual([]);
    expect((await confirm(changeId, payment)).status).toBe(200);
  });

  it("for another tenant it is not found", async () => {
    const order = await world.bookFlexible();
    const [offer] = await world.changeOffers(order);
    const { changeId, due } = await world.selectChange(order);
    const { as } = await newFundedTenant(world.service, "Other");
    const payment = { type: "balance", ...due };
    const slices = { add: [], remove: [{ slice_id: order.slices[0]?.id }] };
    const calls = [
      ["select_order_change_offer", { offerId: offer?.id }, { offerId: "oco_0000Nothing" }],
      ["confirm_order_change", { changeId, payment }, { changeId: "oce_0000Nothing", payment }],
      ["request_order_change", { orderId: order.orderId, slices }, { orderId: "ord_0000Nothing", slices }],
    ] as const;
    for (const [tool, theirs, nothing] of calls) {
      const [refused, unknown] = [
        await world.service.call(tool, theirs, as),
        await world.service.call(tool, nothing, as),
      ];
      expect([statusAndCode(refused), refused.body.detail], tool).toEqual([
        statusAndCode(unknown),
        unknown.body.detail,
      ]);
      expect(String(refused.body.code)).toMatch(/_not_found$/);
    }
    expect(await world.confirmedChanges(order.orderId)).toEqual([]);
  });

  it("without the money", async () => {
    const { orderId, changeId, due, payment } = await selected();
    const available = micro((await world.books()).available.USDC);
    const left = micro(due.amount) - 1n;
    await world.result("send_tokens", { to: stranger(), amount: formatDecimal(available - left) });
    for (const type of ["balance", "arc"]) {
      const answer = await confirm(changeId, { ...payment, type });
      expect([statusAndCode(answer), answer.body.missingUsdc]).toEqual([[500, "insufficient_balance"], "0.000001"]);
    }
    expect(await world.confirmedChanges(orderId)).toEqual([]);
    expect((await world.books()).held.USDC).toBe("0.00");
  });
});
