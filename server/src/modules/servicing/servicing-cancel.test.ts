import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openServicing, type Servicing } from "../../../test/support/servicing-service.ts";
import { newFundedTenant } from "../../../test/support/treasury.ts";

/** Cancellations of flight orders at the supplier's sandbox, over dispatch. */
let world: Servicing;
beforeAll(async () => {
  world = await openServicing("own");
});
afterAll(() => world.close());

/** The supplier's clock is moved in the sandbox. */
const LATE_MILLISECONDS = 600_000;
const CONFIRM = "/air/order_cancellations/{id}/actions/confirm";
const confirm = (cancellationId: unknown, options = {}) =>
  world.service.call("confirm_cancel_order", { cancellationId }, options);
const statusAndCode = ({ status, body }: { status: number; body: Record<string, unknown> }) => [status, body.code];

async function quoted(route?: { origin: string; destination: string }) {
  const order = await world.bookFlexible(route);
  const quote = await world.result("cancel_order_quote", { orderId: order.orderId });
  return { ...order, quote, cancellationId: quote.cancellationId };
}

const Offers = z.array(
  z.object({
    id: z.string(),
    conditions: z.object({ refundBeforeDeparture: z.object({ allowed: z.boolean() }).nullable() }),
  }),
);

it("a cancellation that gives nothing back is quoted with the fare's or the rate's rule", async () => {
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 66 }).toString();
  const { offers } = await world.result("search_flights", { origin: "LHR", destination: "CDG", departureDate });
  const final = Offers.parse(offers).find(({ conditions }) => conditions.refundBeforeDeparture?.allowed === false);
  const flight = await world.result("book_flight", { offerId: final?.id });
  const quote = await world.result("cancel_order_quote", { orderId: flight.orderId });
  const because = "The fare is not refundable: this is the airline's fare rule.";
  expect(quote).toMatchObject({ refundAmount: "0.00", notRefundedBecause: because });
  expect(quote.next).toMatch(/^Nothing comes back\. The fare is not refundable/);
  const cancelled = await confirm(String(quote.cancellationId));
  expect(cancelled.body.result).toMatchObject({
    refundedUsdc: "0.00",
    notRefundedBecause: expect.stringContaining("its notRefundedBecause says why"),
  });
});

describe("a cancellation", () => {
  it("is quoted, confirmed, and refunded to the wallet", async () => {
    const { orderId, bookingId, quote, cancellationId } = await quoted();
    expect(quote).toMatchObject({ orderId, kind: "flight", refundCurrency: "USD", refundTo: "balance", sandbox: true });
    expect(quote.notRefundedBecause).toBeNull();
    expect(await world.confirmedCancellations(orderId)).toEqual([]);
    const answer = await confirm(cancellationId);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.result).toMatchObject({
      cancellationId,
      orderId,
      bookingId,
      status: "cancelled",
      refundAmount: quote.refundAmount,
      refundedUsdc: quote.refundAmount,
      chargedUsdc: "0.00",
    });
    expect(await world.confirmedCancellations(orderId)).toMatchObject([{ refund_amount: quote.refundAmount }]);
    const { refundTransferId: transferId } = Object(answer.body.result);
    expect(await world.result("read_transaction", { transferId })).toMatchObject({
      orderId,
      bookingId,
      purpose: "refund",
    });
    await world.expectSameBooks();
    const again = await confirm(cancellationId);
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect(statusAndCode(await world.service.call("cancel_order_quote", { orderId }))).toEqual([
      500,
      "already_cancelled",
    ]);
    await world.expectSameBooks();
  });

  it("sixteen times at once is one", async () => {
    const { orderId, cancellationId } = await quoted();
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => world.untilEnded(() => confirm(cancellationId))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200));
    expect(await world.confirmedCancellations(orderId)).toHaveLength(1);
    await world.expectSameBooks();
  });

  it("into airline credits gives no money and names the credits", async () => {
    const { orderId, quote, cancellationId } = await quoted({ origin: "LTN", destination: "SYD" });
    expect(quote).toMatchObject({
      refundTo: "airline_credits",
      credits: [expect.objectContaining({ currency: "USD" })],
    });
    const answer = await confirm(cancellationId);
    expect(answer.body.result).toMatchObject({ refundTo: "airline_credits", refundedUsdc: "0.00" });
    await world.expectSameBooks();
    const { credits } = await world.result("list_airline_credits", {});
    expect(credits).toContainEqual(expect.objectContaining({ orderId, usable: true }));
  });
});

describe("a confirmation that the supplier does not answer", () => {
  it("is found to be done or not, is made once, and is refunded once", async () => {
    const done = ["reset_after_effect", "truncated_json", "accepted_then_done", "late_effect"];
    const undone = ["timeout", "accepted_then_failed"];
    const orders = [];
    for (const fault of [...done, ...undone]) orders.push({ fault, ...(await quoted()) });
    const traces = new Map<unknown, string>();
    await Promise.all(
      orders.map(async ({ fault, cancellationId }) => {
        await world.arm(`/air/order_cancellations/${cancellationId}/actions/confirm`, fault, LATE_MILLISECONDS);
        const answer = await world.unanswered(confirm(cancellationId));
        expect(statusAndCode(answer), fault).toEqual([500, "outcome_unknown"]);
        traces.set(cancellationId, answer.headers.get("x-service-trace-id") ?? "none");
      }),
    );
    await world.advance(LATE_MILLISECONDS / 1_000);
    for (const { fault, orderId } of orders.filter((one) => done.includes(one.fault))) {
      await expect.poll(() => world.confirmedCancellations(orderId), { message: fault }).toHaveLength(1);
    }
    await world.endQuietTime();
    await Promise.all(
      orders.map(async ({ fault, orderId, cancellationId, quote }) => {
        const answer = await world.untilKnown(() => confirm(cancellationId));
        expect(answer.body.result, answer.text).toMatchObject({
          status: "cancelled",
          refundedUsdc: quote.refundAmount,
        });
        expect(await world.confirmedCancellations(orderId), fault).toHaveLength(1);
        // Look-ups run in the trace of the call that sent the request.
        const looks = await world.readRequests(traces.get(cancellationId) ?? "none");
        expect(
          looks.filter(({ method, path }) => method === "GET" && path.includes(String(cancellationId))),
          fault,
        ).not.toEqual([]);
      }),
    );
    await world.expectSameBooks();
  });
});

describe("a refused confirmation leaves everything unchanged", () => {
  it("http_503: nothing happened, and the next call does it", async () => {
    const { orderId, cancellationId } = await quoted();
    await world.arm(CONFIRM, "http_503");
    expect(statusAndCode(await confirm(cancellationId))).toEqual([500, "provider_unavailable"]);
    expect((await confirm(cancellationId)).status).toBe(200);
    expect(await world.confirmedCancellations(orderId)).toHaveLength(1);
  });

  it.each([
    ["offer_expired", "cancellation_expired"],
    ["price_changed", "cancellation_stale"],
  ])("%s is %s", async (fault, code) => {
    const { orderId, cancellationId } = await quoted();
    await world.arm(CONFIRM, fault);
    expect(statusAndCode(await confirm(cancellationId))).toEqual([500, code]);
    expect(await world.confirmedCancellations(orderId)).toEqual([]);
    await world.expectSameBooks();
  });

  it("a newer quote makes the older one stale; each quote belongs to its tenant", async () => {
    const { orderId, cancellationId } = await quoted();
    const newer = await world.result("cancel_order_quote", { orderId });
    expect(statusAndCode(await confirm(cancellationId))).toEqual([500, "cancellation_stale"]);
    const other = await newFundedTenant(world.service, "Other");
    const theirs = await confirm(newer.cancellationId, other.as);
    const unknown = await confirm("ore_0000UnheardOf0000000000", other.as);
    expect([statusAndCode(theirs), theirs.body.detail]).toEqual([statusAndCode(unknown), unknown.body.detail]);
    expect(statusAndCode(theirs)).toEqual([500, "cancellation_not_found"]);
    const quoting = await world.service.call("cancel_order_quote", { orderId }, other.as);
    const nothing = await world.service.call("cancel_order_quote", { orderId: "ord_0000Nothing" }, other.as);
    expect([statusAndCode(quoting), quoting.body.detail]).toEqual([statusAndCode(nothing), nothing.body.detail]);
    expect(statusAndCode(quoting)).toEqual([500, "order_not_found"]);
    expect((await confirm(newer.cancellationId)).status).toBe(200);
    expect(await world.confirmedCancellations(orderId)).toHaveLength(1);
    await world.expectSameBooks();
  });
});
