import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { micro } from "../../test/support/escrow.ts";
import type { TestService } from "../../test/support/service.ts";
import { openSharedService } from "../../test/support/shared-service.ts";
import { requireResult } from "../../test/support/treasury.ts";

const inDays = (days: number): string => Temporal.Now.plainDateISO("UTC").add({ days }).toString();
const guestNames = [{ givenName: "Amelia", familyName: "Hart" }];
const CONTACT = { email: "amelia@example.com", phoneNumber: "+442080160508" };

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
  const { tenantId } = service;
  const own = { tenantId, environment: "sandbox", scopes: ["*"], actor: "test" } as const;
  const { key } = await service.operator((identity) => identity.mintKey(own));
  await service.sql(
    `insert into internal_token_tenant (token_id, tenant_id, network, key_id)
     select id, $1, 'sandbox', $2 from internal_token order by id limit 1`,
    [tenantId, key.id],
  );
});
afterAll(() => service?.[Symbol.asyncDispose]());

const call = async (tool: string, args: object) => requireResult(await service.call(tool, args));
const arm = async (path: string, fault: string, times: number) =>
  await fetch(`${service.supplierUrl}/_sandbox/scenarios`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ match: { path, method: "POST" }, fault, times }),
  });
const ask = async (path: string, body: object) =>
  await service.send(`/api/workflows/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${service.internalToken}` },
    body: JSON.stringify(body),
  });
async function run(workflowId: string, input: object) {
  const answer = await ask("run", { workflowId, tenantId: service.tenantId, input });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}
const bookStay = (tripId: string, more: object = {}) =>
  run("service.book_stay", {
    tripId,
    location: "London",
    checkInDate: inDays(60),
    checkOutDate: inDays(62),
    refundableOnly: true,
    acceptOverlap: true,
    ...CONTACT,
    ...more,
  });
const resume = async ({ sessionId }: Record<string, unknown>, resolution: object) =>
  (await ask("resume", { sessionId, resolution })).body;

async function claimedTrip(budgetUsdc: string): Promise<string> {
  const { tripId, guestLink, codeNonce } = await call("prefund_trip", { budgetUsdc });
  await call("guest_claim_link", { guestLink, codeNonce, guestWallet: `0x${randomBytes(20).toString("hex")}` });
  return String(tripId);
}
const available = async () => micro(Object((await call("check_treasury", {})).available).USDC);
const listSteps = ({ steps }: Record<string, unknown>) =>
  z
    .array(z.object({ step: z.string(), state: z.string() }))
    .parse(steps)
    .map(({ step, state }) => `${step} ${state}`);

describe("service.book_stay", () => {
  it("asks for the guests, books, settles with the confirmation, and the wallet pays for the stay once", async () => {
    const tripId = await claimedTrip("1500");
    const before = await available();
    const asked = await bookStay(tripId);
    expect(asked).toMatchObject({ status: "paused", nextStepId: "guests", decidedBy: "caller" });
    const ended = await resume(asked, { status: "given", guests: guestNames });
    expect(ended, JSON.stringify(ended)).toMatchObject({ status: "completed" });
    expect(listSteps(ended)).toEqual(
      [
        ...[
          "read_trip",
          "read_trip_travelers",
          "guests",
          "search_hotels",
          "check_policy",
          "quote_stay",
          "preview_call",
        ],
        "reserve_booking",
        ...["book_stay", "commit_booking", "confirm_stay", "settle_booking"],
      ].map((step) => `${step} done`),
    );
    const { bookingId, orderId, totalAmount, settled, ...more } = Object(ended.result);
    const { freeUsdc } = await call("read_trip", { tripId });
    expect(more).toMatchObject({
      accommodationAddress: expect.stringMatching(/\w/),
      fullRefundUntil: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
      cancellationPolicy: { refundable: true },
      // The trip's thirty days end before the stay.
      warnings: [expect.stringMatching(/^The trip expires on .+, before the journey ends/)],
      tripFreeUsdc: freeUsdc,
      next: `${settled.refundedUsdc} USDC of the reservation were not needed: they went to your treasury wallet, not back to the trip. The trip has ${freeUsdc} USDC left, which close_trip returns to the wallet.`,
    });
    expect(await call("read_order", { orderId })).toMatchObject({ kind: "stay", externalId: bookingId });
    expect(micro(settled.vendorPaidUsdc)).toBe(micro(totalAmount));
    const ofOrder = await call("list_movements", { orderId });
    expect(ofOrder).toMatchObject({
      movements: [],
      note: expect.stringContaining(`the budget of trip ${tripId} pays for it (booking ${bookingId}, settled)`),
    });
    expect((await call("list_movements", { orderId: "ord_0000Nothing" })).note).toMatch(/^You have no order/);
    // There was no fee, so none is mentioned.
    const { movements } = await call("list_movements", { limit: 10 });
    const Movements = z.array(z.looseObject({ kind: z.string(), bookingId: z.string().nullable(), text: z.string() }));
    const rest = Movements.parse(movements).find((one) => one.kind === "trip_return" && one.bookingId === bookingId);
    expect(rest?.text).toBe("Returned from a trip's budget: what the booking did not use, by settle_booking");
    // The reservation paid for the stay, and its rest came back with the settlement.
    await expect.poll(available).toBe(before + micro(settled.refundedUsdc));
  });

  it("asks which place is meant before it books where only a part was found, or the name has other meanings", async () => {
    const tripId = await claimedTrip("1500");
    const asked = await bookStay(tripId, { guestNames, location: "San Jose" });
    expect(asked).toMatchObject({ status: "paused", nextStepId: "place", decidedBy: "caller" });
    expect(asked.pauseReason).toMatch(/"San Jose" was taken as San Jos.+ It could also be San Jos/);
    const again = await resume(asked, { status: "changed", location: "Nonesuch Lane 5, London" });
    expect(again).toMatchObject({ status: "paused", nextStepId: "place:2" });
    expect(again.pauseReason).toMatch(/^"Nonesuch Lane 5" was not found, so the hotels are those around /);
    const ended = await resume(again, { status: "confirmed" });
    expect(ended, JSON.stringify(ended)).toMatchObject({ status: "completed" });

    const refused = await bookStay(tripId, { guestNames, location: "San Jose" });
    const failed = { status: "failed", failure: { code: "place_not_confirmed" } };
    expect(await resume(refused, { status: "cancelled" })).toMatchObject(failed);
  });

  it("over the policy's nightly limit waits for a person, and is booked once after the approval", async () => {
    const policyId = "modest-nights";
    const put = await service.send(`/api/policies/${policyId}`, {
      method: "PUT",
      headers: { "content-type": "application/json", authorization: `Bearer ${service.operatorKey}` },
      body: JSON.stringify({ document: { title: "Modest nights", hotel: { maxNightly: { default: 1 } } } }),
    });
    expect(put.status, put.text).toBeLessThan(300);
    const asked = await bookStay(await claimedTrip("1500"), { guestNames, policyId });
    expect(asked).toMatchObject({
      status: "paused",
      nextStepId: "approval",
      decidedBy: "person",
      shown: {
        offer: { name: expect.any(String), rate: { id: expect.stringMatching(/^rat_/) } },
        verdict: { decision: "require_approval", violations: [{ rule: "hotel.maxNightly" }] },
      },
    });
    const ended = await resume(asked, { status: "approved", approvedBy: "desk" });
    expect(ended).toMatchObject({ status: "completed" });
  });

  it("whose rates are gone asks for a decision, and books nothing that its reservation cannot pay any more", async () => {
    const tripId = await claimedTrip("1500");
    const before = await available();
    await arm("/stays/bookings", "sold_out", 3);
    const asked = await bookStay(tripId, { guestNames });
    expect(asked, JSON.stringify(asked)).toMatchObject({ status: "paused", nextStepId: "rate_gone" });
    // Its reservation is released behind its back, so that nothing can pay for its next booking.
    const [held] = z
      .array(z.looseObject({ bookingId: z.string() }))
      .parse((await call("read_trip", { tripId })).bookings);
    const cancelled = await call("cancel_booking", { bookingId: held?.bookingId, tripId, reason: "buyer_cancel" });
    const ended = await resume(asked, { status: "retry" });
    expect(ended, JSON.stringify(ended.failure)).toMatchObject({
      status: "failed",
      failure: { code: "reservation_not_available", undone: ["reserve_booking"], notUndone: [], orders: [] },
    });
    await expect.poll(available).toBe(before + micro(cancelled.refundedUsdc));
  });

  it("names no more guests than the stay is for", async () => {
    const ended = await bookStay(await claimedTrip("100"), { guestNames: [...guestNames, ...guestNames] });
    expect(ended).toMatchObject({ status: "failed", failure: { code: "guests_mismatch", undone: [] } });
  });
});

const Offers = z.array(z.object({ id: z.string() }));

let flightDay = 60;

/** An unsettled flight that the trip's budget pays for, each on a day of its own. */
async function committedFlight(tripId: string) {
  flightDay += 1;
  const departureDate = inDays(flightDay);
  const { offers } = await call("search_flights", { origin: "LHR", destination: "CDG", departureDate });
  const flight = await call("book_flight", { offerId: Offers.parse(offers)[0]?.id });
  const { bookingId } = await call("reserve_booking", { tripId, upperBoundUsdc: "900" });
  const [collection] = await service.sql(
    "select address from wallet join chain_network using (network, chain) where kind = 'collection' and network = 'sandbox' and is_home",
  );
  const { chargedUsdc: vendorAmountUsdc, itineraryHash } = flight;
  await call("commit_booking", { bookingId, vendorAmountUsdc, itineraryHash, vendorAddress: collection?.address });
  return { bookingId: String(bookingId), orderId: String(flight.orderId), paidUsdc: String(flight.totalAmount) };
}

describe("service.cancel_trip", () => {
  it("undoes all that it can, reports what stands and why, and undoes the rest when it is run again", async () => {
    const start = await available();
    const tripId = await claimedTrip("3000");
    const stay = Object((await bookStay(tripId, { guestNames })).result);
    const flight = await committedFlight(tripId);
    await call("reserve_booking", { tripId, upperBoundUsdc: "50" });
    // The flight's refund falls at each confirmation: the run quotes it once more, and then leaves it.
    await arm("/air/order_cancellations/{id}/actions/confirm", "price_changed", 2);
    const waiting = await run("service.book_flight", {
      tripId,
      origin: "LHR",
      destination: "CDG",
      departureDate: inDays(60),
      passengers: 2,
    });
    expect(waiting).toMatchObject({ status: "paused", nextStepId: "travelers" });
    const asked = await run("service.cancel_trip", { tripId });
    expect(await call("read_run", { runId: waiting.runId })).toMatchObject({
      status: "failed",
      failure: { code: "run_cancelled" },
    });
    expect(asked, JSON.stringify(asked)).toMatchObject({
      status: "paused",
      nextStepId: "loss",
      decidedBy: "caller",
      onTimeout: { status: "cancelled" },
      shown: { orders: [{ orderId: flight.orderId, totalUsdc: expect.any(String), lostUsdc: expect.any(String) }] },
    });
    const first = await resume(asked, { status: "cancel_all" });
    expect(first, JSON.stringify(first)).toMatchObject({ status: "completed" });
    const said = Object(first.result);
    expect(said).toMatchObject({
      lost: { toSuppliersUsdc: "0.00" },
      refunded: { fromSuppliersUsdc: stay.totalAmount },
      notCancelled: [{ what: "order", id: flight.orderId, bookingId: flight.bookingId, reason: expect.any(String) }],
    });
    // All but the cost of the stay and the reservation for the flight.
    const settled = micro(stay.settled.vendorPaidUsdc);
    expect(micro(said.refunded.fromEscrowUsdc)).toBe(
      micro("3000") - settled - micro("900") - micro(stay.settled.refundedUsdc),
    );
    expect(await call("read_trip", { tripId })).toMatchObject({ state: "closed", heldUsdc: "900.00" });

    const again = Object((await run("service.cancel_trip", { tripId, acceptLoss: true })).result);
    expect(again).toMatchObject({ refunded: { fromEscrowUsdc: "900.00" }, notCancelled: [] });
    const [back, lost] = [micro(again.refunded.fromSuppliersUsdc), micro(again.lost.toSuppliersUsdc)];
    expect(back + lost).toBe(micro(flight.paidUsdc));
    expect(await call("read_trip", { tripId })).toMatchObject({ state: "closed", freeUsdc: "0.00", heldUsdc: "0.00" });
    for (const orderId of [stay.orderId, flight.orderId]) {
      expect(await call("read_order", { orderId })).toMatchObject({ status: "cancelled" });
    }
    // The wallet has everything back except the loss that the run reports.
    await expect.poll(available).toBe(start - lost);
  });

  it("keeps orders whose loss nobody accepts, and closing a trip ends the runs that wait for it", async () => {
    const tripId = await claimedTrip("2000");
    const { orderId } = await committedFlight(tripId);
    const asked = await run("service.cancel_trip", { tripId });
    // Nothing is undone before the decision; the pause tells what happens to the orders and what happens in any case.
    expect(await call("read_trip", { tripId })).toMatchObject({ state: "funded" });
    expect(JSON.stringify(asked.expects)).toContain("cancelled: keep them all");
    expect(asked.pauseReason).toContain(
      "or cancelled to decline and keep them all. After any of these answers, the trip is closed",
    );
    const ended = await resume(asked, { status: "cancelled" });
    expect(await call("read_trip", { tripId })).toMatchObject({ state: "closed" });
    expect(ended.result).toMatchObject({ notCancelled: [{ what: "order", id: orderId, code: "kept" }] });
    expect(await call("read_order", { orderId })).not.toMatchObject({ status: "cancelled" });

    const other = await claimedTrip("2000");
    const waiting = await bookStay(other);
    expect(waiting).toMatchObject({ status: "paused", nextStepId: "guests" });
    await call("close_trip", { tripId: other });
    await expect
      .poll(() => call("read_run", { runId: waiting.runId }))
      .toMatchObject({ status: "failed", failure: { code: "run_cancelled", detail: expect.stringContaining("trip") } });
  });

  it("leaves the trip open if it is ended before it gets an answer", async () => {
    const tripId = await claimedTrip("2000");
    const { orderId } = await committedFlight(tripId);
    const { runId } = await run("service.cancel_trip", { tripId });
    expect(await call("cancel_run", { runId })).toMatchObject({ runs: [{ status: "failed" }] });
    expect(await call("read_trip", { tripId })).toMatchObject({ state: "funded" });
    expect(await call("read_order", { orderId })).toMatchObject({ status: "confirmed" });
  });

  it("of a trip that is not the tenant's ends with the reason", async () => {
    const ended = await run("service.cancel_trip", { tripId: `0x${"ab".repeat(32)}` });
    expect(ended).toMatchObject({ status: "failed", failure: { code: "trip_not_found" } });
  });
});
