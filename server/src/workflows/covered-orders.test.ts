import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Escrow, freshHash, micro, openEscrow } from "../../test/support/escrow.ts";
import { type CallOptions, startTestService, type TestService } from "../../test/support/service.ts";
import { newFundedTenant, requireResult, UNIT } from "../../test/support/treasury.ts";

/** The supplier's clock is moved by hand: otherwise it issues tickets a second after the payment. */
const LATE_MILLISECONDS = 600_000;
const inDays = (days: number): string => Temporal.Now.plainDateISO("UTC").add({ days }).toString();

let service: TestService;
let escrow: Escrow;
beforeAll(async () => {
  service = await startTestService();
  escrow = openEscrow(service);
  await service.isFunded(service.tenantId);
});
afterAll(async () => {
  await escrow?.close();
  await service?.[Symbol.asyncDispose]();
});

type Tenant = Awaited<ReturnType<typeof newTenant>>;

/** With the initial balance of every sandbox wallet, a traveler, and calls of its own. */
async function newTenant() {
  const tenant = await newFundedTenant(service, "Covered");
  const byKey = async (method: string, path: string, body?: object, key = tenant.apiKey) =>
    await service.send(path, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const put = await byKey("PUT", "/api/travelers/usr_covered", {
    givenName: "Cora",
    familyName: "Covered",
    bornOn: "1990-01-01",
    title: "ms",
    gender: "f",
    email: `cora.${tenant.tenantId}@example.com`,
    phoneNumber: "+14155550123",
  });
  expect(put.status, put.text).toBe(201);
  const call = async (tool: string, args: object, more: CallOptions = {}) =>
    await service.call(tool, args, { ...tenant.as, ...more });
  const available = async () => micro(Object(requireResult(await call("check_treasury", {})).available).USDC);
  return { ...tenant, byKey, call, available };
}

async function claimedTrip({ call }: Tenant, budgetUsdc: string): Promise<string> {
  const { tripId, guestLink, codeNonce } = requireResult(await call("prefund_trip", { budgetUsdc }));
  const guestWallet = `0x${randomBytes(20).toString("hex")}`;
  requireResult(await call("guest_claim_link", { guestLink, codeNonce, guestWallet }));
  return String(tripId);
}

async function startRun(tenant: Tenant, workflowId: string, input: object) {
  const answer = await tenant.byKey("POST", "/api/workflows/run", { workflowId, userId: "usr_covered", input });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}
const bookFlight = (tenant: Tenant, tripId: string, more: object = {}) =>
  startRun(tenant, "service.book_flight", {
    tripId,
    origin: "LHR",
    destination: "CDG",
    departureDate: inDays(60),
    ...more,
  });
const GUEST = {
  email: "cora@example.com",
  phoneNumber: "+442080160508",
  guestNames: [{ givenName: "Cora", familyName: "Covered" }],
};
const bookStay = (tenant: Tenant, tripId: string) =>
  startRun(tenant, "service.book_stay", {
    tripId,
    location: "London",
    checkInDate: inDays(60),
    checkOutDate: inDays(62),
    ...GUEST,
  });
const read = async ({ byKey }: Tenant, { runId }: Record<string, unknown>) =>
  (await byKey("GET", `/api/workflows/runs/${String(runId)}`)).body;
const cancel = ({ byKey }: Tenant, { runId }: Record<string, unknown>, body?: object) =>
  byKey("POST", `/api/workflows/runs/${String(runId)}/cancel`, body);

const control = async (path: string, body?: object) =>
  await fetch(`${service.supplierUrl}/_sandbox/${path}`, {
    method: body === undefined ? "DELETE" : "POST",
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
/** For the next payment, with the order or after a hold. */
async function arm(fault: string): Promise<void> {
  await control("scenarios");
  for (const path of ["/air/orders", "/air/payments"]) {
    await control("scenarios", { match: { path, method: "POST" }, fault, times: 1, delayMs: LATE_MILLISECONDS });
  }
}
const issueTickets = () => control("tick", { advanceSeconds: LATE_MILLISECONDS / 1_000 });
const ended = (tenant: Tenant, run: Record<string, unknown>, status: string) =>
  expect.poll(() => read(tenant, run), { timeout: 15_000 }).toMatchObject({ status });

/** The tenant's net transfers to the service's collection account. */
async function collected({ tenantId }: Tenant): Promise<bigint> {
  const [row] = await service.sql(
    `with own as (select address from wallet where tenant_id = $1), service as (
       select address from wallet join chain_network using (network, chain) where kind = 'collection' and network = 'sandbox' and is_home),
     escrow as (select coalesce(sum(vendor_paid_micro), 0) as paid from escrow_booking
       join service on service.address = vendor where tenant_id = $1 and state = 'settled'),
     wallet as (select coalesce(sum(case purpose when 'refund' then -1 else 1 end * (chain_order->>'amount')::bigint), 0)
       as paid from chain_transaction where tenant_id = $1 and purpose in ('capture', 'refund') and state <> 'reverted')
     select (escrow.paid + wallet.paid)::text as amount from escrow, wallet`,
    [tenantId],
  );
  return BigInt(z.object({ amount: z.string() }).parse(row).amount);
}

/** The wallet's books equal its balance on the chain. */
async function expectBooksBalance(tenant: Tenant): Promise<void> {
  const [wallet] = await service.sql("select address from wallet where tenant_id = $1 and kind = 'treasury'", [
    tenant.tenantId,
  ]);
  const { address } = z.object({ address: z.templateLiteral(["0x", z.string()]) }).parse(wallet);
  await expect
    .poll(async () => {
      const { available, balances } = requireResult(await tenant.call("check_treasury", {}));
      const onChain = await escrow.readBalance(address);
      return [micro(Object(available).USDC) === onChain, micro(Object(balances).USDC) === onChain];
    })
    .toEqual([true, true]);
}

describe("a run's reservation", () => {
  it("pays for the flight and the stay if the wallet is almost empty, and limits count both once", async () => {
    const tenant = await newTenant();
    const before = await tenant.available();
    const budget = before - 10n * UNIT;
    const budgetUsdc = `${budget / UNIT}`;
    await service.operator(({ spending }) =>
      spending.spendLimits.set(tenant.tenantId, "sandbox", undefined, { perDay: budget + 20n * UNIT }, "test"),
    );
    const tripId = await claimedTrip(tenant, budgetUsdc);
    const flight = await bookFlight(tenant, tripId);
    await issueTickets();
    await ended(tenant, flight, "completed");
    const stay = await bookStay(tenant, tripId);
    expect(stay, JSON.stringify(stay.failure)).toMatchObject({ status: "completed" });

    const results = [Object((await read(tenant, flight)).result), Object(stay.result)];
    const paid = results.map(({ totalAmount }) => micro(totalAmount));
    expect(results.map(({ settled }) => micro(settled.vendorPaidUsdc))).toEqual(paid);
    for (const { settled } of results) expect(settled.walletReturn).toBeNull();
    expect(await collected(tenant)).toBe(paid.reduce((sum, one) => sum + one, 0n));
    const refunded = results.reduce((sum, { settled }) => sum + micro(settled.refundedUsdc), 0n);
    expect(await tenant.available()).toBe(before - budget + refunded);
    const { movements } = requireResult(await tenant.call("list_movements", { limit: 50 }));
    expect(
      z
        .array(z.object({ kind: z.string() }))
        .parse(movements)
        .map(({ kind }) => kind),
    ).not.toContain("order_payment");
    // The budget was counted when it left the wallet, and nothing since.
    const [counted] = await service.sql(
      "select sum(amount_micro)::text as amount from call_spend_line where tenant_id = $1 and account = 'tenant' and period = $2",
      [tenant.tenantId, inDays(0)],
    );
    expect(counted).toEqual({ amount: String(budget) });
    await expectBooksBalance(tenant);
  });

  it("belongs to the order: it cannot be removed while the order is booked, and the wallet pays if it is cancelled later", async () => {
    const tenant = await newTenant();
    const before = await tenant.available();
    const tripId = await claimedTrip(tenant, "900");
    await arm("ticketing_delayed");
    const run = await bookFlight(tenant, tripId);
    expect(run).toMatchObject({ status: "paused", nextStepId: "ticketing" });
    expect(await tenant.available()).toBe(before - 900n * UNIT);
    const [{ bookingId }] = z
      .tuple([z.object({ bookingId: z.string() })])
      .parse(requireResult(await tenant.call("read_trip", { tripId })).bookings);
    const { orderId } = Object(run.shown);
    const order = requireResult(await tenant.call("read_order", { orderId }));
    const price = micro(order.totalAmount);

    const preview = requireResult(
      await tenant.call("preview_call", {
        tool: "cancel_booking",
        args: { bookingId, tripId, reason: "buyer_cancel" },
      }),
    );
    expect(JSON.stringify(preview)).toContain(`the order ${orderId}`);
    const back = requireResult(await tenant.call("cancel_booking", { bookingId, tripId, reason: "buyer_cancel" }));
    expect(await tenant.available()).toBe(before - 900n * UNIT + micro(back.refundedUsdc) - price);
    await expect.poll(() => collected(tenant)).toBe(price);
    const { history } = requireResult(await tenant.call("read_order", { orderId }));
    expect(history).toContainEqual(expect.objectContaining({ kind: "paid_by_wallet" }));

    // The tickets are issued, but the run cannot confirm a cancelled booking and undoes the order: the supplier's
    // refund goes to the wallet.
    await issueTickets();
    await ended(tenant, run, "failed");
    const { failure } = await read(tenant, run);
    const { refundedUsdc, lostUsdc } = Object(failure);
    expect(micro(refundedUsdc) + micro(lostUsdc)).toBe(price);
    await expect.poll(() => collected(tenant)).toBe(micro(lostUsdc));
    const trip = requireResult(await tenant.call("close_trip", { tripId }));
    expect(trip).toMatchObject({ heldUsdc: "0.00" });
    await expect.poll(tenant.available).toBe(before - micro(lostUsdc));
    await expectBooksBalance(tenant);
  });

  it("is reported to pay for what it covers, and a quote and its confirmation report the same refund", async () => {
    const tenant = await newTenant();
    const tripId = await claimedTrip(tenant, "9000");
    await arm("ticketing_delayed");
    const document = { flight: { fare: { severity: "deny", requireRefundableAbove: 0 } } };
    const put = await tenant.byKey("PUT", "/api/policies/refundable", { document }, tenant.operatorKey);
    expect(put.status, put.text).toBe(201);
    const run = await bookFlight(tenant, tripId, { policyId: "refundable" });
    expect(run, JSON.stringify(run.failure)).toMatchObject({ status: "paused", nextStepId: "ticketing" });
    const { orderId } = Object(run.shown);
    const [booked] = await service.sql("select offer_id from booking where order_id = $1", [orderId]);
    const again = requireResult(
      await tenant.call("book_flight", { offerId: booked?.offer_id }, { userId: "usr_covered" }),
    );
    expect(again).toMatchObject({ orderId, chargedUsdc: "0.00", coveredUsdc: again.totalAmount });
    expect(again.next).toContain("reservation in escrow pays for it, not the wallet");
    expect(again.next).not.toMatch(/returns? to the wallet/);

    const quote = requireResult(await tenant.call("cancel_order_quote", { orderId }));
    expect(quote).toMatchObject({ refundUsdc: "0.00" });
    expect(micro(quote.releasedUsdc)).toBeGreaterThan(0n);
    const { cancellationId, refundUsdc: refundedUsdc, releasedUsdc } = quote;
    const cancelled = requireResult(await tenant.call("confirm_cancel_order", { cancellationId }));
    expect(cancelled).toMatchObject({ refundedUsdc, releasedUsdc });
  });

  it("is reported to pay for the stay, until the wallet pays instead", async () => {
    const tenant = await newTenant();
    const run = await bookStay(tenant, await claimedTrip(tenant, "2000"));
    expect(run, JSON.stringify(run.failure)).toMatchObject({ status: "completed" });
    const { orderId } = Object(run.result);
    const [booked] = await service.sql("select id, offer_id from booking where order_id = $1", [orderId]);
    const { email, phoneNumber, guestNames: guests } = GUEST;
    const repeat = async () =>
      requireResult(
        await tenant.call(
          "book_stay",
          { quoteId: booked?.offer_id, email, phoneNumber, guests },
          { userId: "usr_covered" },
        ),
      );
    const again = await repeat();
    expect(again).toMatchObject({ orderId, chargedUsdc: "0.00", coveredUsdc: again.totalAmount });
    expect(again.next).toContain("reservation in escrow pays for it, not the wallet");
    expect(again.next).toContain("cancel_order_quote says what cancelling it would refund");
    expect(again.next).not.toMatch(/returns? to the wallet|commit_booking/);
    // As recorded when a reservation ends without paying.
    await service.sql(
      "insert into order_event (network, order_id, kind, key, details, at, source) values ('sandbox', $1, 'paid_by_wallet', 'test', '{}', now(), 'reconciliation')",
      [orderId],
    );
    expect((await repeat()).next).toMatch(/commit_booking.*returns to the wallet/);
  });

  it("can be neither cancelled nor released nor committed while the supplier's outcome is unknown", async () => {
    const tenant = await newTenant();
    const tripId = await claimedTrip(tenant, "900");
    await control("scenarios");
    // The payment succeeds, but its answer is lost, and until the calls below are refused it cannot be looked up.
    await Promise.all(
      ["/air/orders", "/air/payments"].map((path) =>
        control("scenarios", { match: { path, method: "POST" }, fault: "reset_after_effect", times: 1 }),
      ),
    );
    await control("scenarios", { match: { path: "/air/orders", method: "GET" }, fault: "http_503", times: 1_000 });
    const started = bookFlight(tenant, tripId);
    const Reserved = z.array(z.object({ booking_id: z.string() }));
    const paying = () =>
      service.sql(
        "select escrow_booking_id as booking_id from booking where tenant_id = $1 and state in ('ordering', 'paying')",
        [tenant.tenantId],
      );
    await expect.poll(paying, { interval: 20, timeout: 15_000 }).toHaveLength(1);
    const [{ booking_id: bookingId = "" } = {}] = Reserved.parse(await paying());
    const vendorAddress = `0x${"12".repeat(20)}`;
    const amounts = { vendorAmountUsdc: "1", feeAmountUsdc: "0", itineraryHash: freshHash() };
    for (const [tool, args] of [
      ["cancel_booking", { bookingId, tripId, reason: "buyer_cancel" }],
      ["release_reservation", { bookingId, tripId, reason: "buyer_cancel" }],
      ["commit_booking", { bookingId, vendorAddress, ...amounts }],
    ] as const) {
      const refused = await tenant.call(tool, args);
      expect(refused.body, tool).toMatchObject({ code: "booking_in_progress" });
    }
    await control("scenarios");
    await started;
    await service.sql(
      "update booking set quiet_until = now() where tenant_id = $1 and state in ('ordering', 'paying')",
      [tenant.tenantId],
    );
    await control("tick", { advanceSeconds: 5 });
  });

  it("of a run from a former release is not used: the wallet pays until the settlement", async () => {
    const tenant = await newTenant();
    const before = await tenant.available();
    const { tripId, guestLink, codeNonce } = requireResult(await tenant.call("prefund_trip", { budgetUsdc: "900" }));
    await arm("ticketing_delayed");
    const run = await bookFlight(tenant, String(tripId));
    expect(run).toMatchObject({ status: "paused", nextStepId: "guest_claim" });
    await service.sql("update workflow_run set version = 4 where id = $1", [run.runId]);
    const guestWallet = `0x${randomBytes(20).toString("hex")}`;
    requireResult(await tenant.call("guest_claim_link", { guestLink, codeNonce, guestWallet }));
    await expect.poll(() => read(tenant, run), { timeout: 15_000 }).toMatchObject({ nextStepId: "ticketing" });
    await issueTickets();
    await ended(tenant, run, "completed");
    const { totalAmount, settled } = Object((await read(tenant, run)).result);
    expect(settled.walletReturn).toMatchObject({ amountUsdc: totalAmount });
    await expect.poll(() => collected(tenant)).toBe(micro(totalAmount));
    await expect.poll(tenant.available).toBe(before - 900n * UNIT + micro(settled.refundedUsdc));
  });
});

describe("a run whose purchase is not fully refundable", () => {
  it("is cancelled only by a caller that accepts the loss, and reports the refund and the loss", async () => {
    const tenant = await newTenant();
    const before = await tenant.available();
    const tripId = await claimedTrip(tenant, "900");
    await arm("ticketing_delayed");
    const run = await bookFlight(tenant, tripId);
    expect(run).toMatchObject({ status: "paused", nextStepId: "ticketing" });
    const { orderId } = Object(run.shown);
    const loss = { orderId, paidUsdc: expect.any(String), refundedUsdc: "0.00", lostUsdc: expect.any(String) };
    const refused = await cancel(tenant, run);
    expect(refused, refused.text).toMatchObject({
      status: 409,
      body: { code: "loss_not_accepted", orders: [loss], detail: expect.stringContaining(orderId) },
    });
    const { lostUsdc } = refused.body;
    const byTool = await tenant.call("cancel_run", { runId: run.runId });
    expect([byTool.status, byTool.body]).toMatchObject([500, { code: "loss_not_accepted", lostUsdc }]);
    expect(await read(tenant, run)).toMatchObject({ status: "paused", sessionId: run.sessionId });

    const done = await cancel(tenant, run, { acceptLoss: true });
    expect(done.body, done.text).toMatchObject({
      status: "failed",
      failure: { code: "run_cancelled", notUndone: [], orders: [loss], refundedUsdc: "0.00", lostUsdc },
    });
    expect(requireResult(await tenant.call("close_trip", { tripId }))).toMatchObject({ heldUsdc: "0.00" });
    // The loss is what the supplier keeps: it left the wallet once.
    await expect.poll(tenant.available).toBe(before - micro(lostUsdc));
    await expect.poll(() => collected(tenant)).toBe(micro(lostUsdc));
    await expectBooksBalance(tenant);
  });

  it("makes the cancellation of its trip ask for a decision", async () => {
    const tenant = await newTenant();
    const tripId = await claimedTrip(tenant, "900");
    await arm("ticketing_delayed");
    const run = await bookFlight(tenant, tripId);
    const asked = await startRun(tenant, "service.cancel_trip", { tripId });
    expect(asked).toMatchObject({ status: "paused", nextStepId: "loss" });
    expect(await read(tenant, run)).toMatchObject({ status: "paused", sessionId: run.sessionId });
    // A run of an earlier version closes the trip before it reads its orders.
    await service.sql("update workflow_run set version = 3 where id = $1", [asked.runId]);
    const resolution = { status: "cancelled" };
    const old = await tenant.byKey("POST", "/api/workflows/resume", { sessionId: asked.sessionId, resolution });
    expect(old.body, old.text).toMatchObject({ status: "paused", nextStepId: "loss:2", shown: { orders: [{}] } });
    expect(requireResult(await tenant.call("read_trip", { tripId }))).toMatchObject({ state: "closed" });
    const all = await startRun(tenant, "service.cancel_trip", { tripId, acceptLoss: true });
    expect(all).toMatchObject({ status: "completed", result: { notCancelled: [] } });
    expect(await read(tenant, run)).toMatchObject({ status: "failed", failure: { code: "run_cancelled" } });
  });
});

describe("a trip's budget", () => {
  it("buys what it can pay for, without the usual margin, and both amounts are named if it cannot", async () => {
    const tenant = await newTenant();
    const { offers } = requireResult(
      await tenant.call("search_flights", { origin: "LHR", destination: "CDG", departureDate: inDays(60) }),
    );
    const [first] = z.array(z.object({ totalAmount: z.string() })).parse(offers);
    const price = first?.totalAmount ?? "";
    const exact = await bookFlight(tenant, await claimedTrip(tenant, price));
    await issueTickets();
    await ended(tenant, exact, "completed");
    expect(Object((await read(tenant, exact)).result)).toMatchObject({ totalAmount: price });

    const less = "10.5";
    const short = await bookFlight(tenant, await claimedTrip(tenant, less));
    expect(short).toMatchObject({ status: "failed", failure: { code: "insufficient_budget", orders: [] } });
    expect(Object(short.failure).detail).toMatch(/10\.50 USDC free.*costs \d+\.\d+ USDC/);
  });
});
