import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Escrow, micro, openEscrow } from "../../test/support/escrow.ts";
import { startTestService, type TestService } from "../../test/support/service.ts";
import { newFundedTenant, requireResult, UNIT } from "../../test/support/treasury.ts";
import { formatDecimal } from "../domain/money.ts";

/** The money of a failed run, and of its trip. */

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

async function newTenant() {
  const tenant = await newFundedTenant(service, "Retry");
  const byKey = async (method: string, path: string, body?: object) =>
    await service.send(path, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${tenant.apiKey}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const put = await byKey("PUT", "/api/travelers/usr_retry", {
    givenName: "Rita",
    familyName: "Retry",
    bornOn: "1990-01-01",
    title: "ms",
    gender: "f",
    email: `rita.${tenant.tenantId}@example.com`,
    phoneNumber: "+14155550123",
  });
  expect(put.status, put.text).toBe(201);
  const call = async (tool: string, args: object) => requireResult(await service.call(tool, args, tenant.as));
  const available = async () => micro(Object((await call("check_treasury", {})).available).USDC);
  return { ...tenant, byKey, call, available };
}

async function claimedTrip({ call }: Tenant, budgetUsdc: string): Promise<string> {
  const { tripId, guestLink, codeNonce } = await call("prefund_trip", { budgetUsdc });
  await call("guest_claim_link", { guestLink, codeNonce, guestWallet: `0x${randomBytes(20).toString("hex")}` });
  return String(tripId);
}

async function run(tenant: Tenant, workflowId: string, input: object) {
  const answer = await tenant.byKey("POST", "/api/workflows/run", { workflowId, userId: "usr_retry", input });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}
const ROUTE = { origin: "LHR", destination: "CDG" };
const bookFlight = (tenant: Tenant, tripId: string, more: object = {}) =>
  run(tenant, "service.book_flight", { tripId, ...ROUTE, departureDate: inDays(60), acceptOverlap: true, ...more });
const bookStay = (tenant: Tenant, tripId: string) =>
  run(tenant, "service.book_stay", {
    tripId,
    location: "London",
    checkInDate: inDays(60),
    checkOutDate: inDays(62),
    acceptOverlap: true,
    email: "rita@example.com",
    phoneNumber: "+442080160508",
    guestNames: [{ givenName: "Rita", familyName: "Retry" }],
  });
const read = async ({ byKey }: Tenant, { runId }: Record<string, unknown>) =>
  (await byKey("GET", `/api/workflows/runs/${String(runId)}`)).body;
const cancel = async ({ byKey }: Tenant, { runId }: Record<string, unknown>, body?: object) =>
  (await byKey("POST", `/api/workflows/runs/${String(runId)}/cancel`, body)).body;
const ended = async (tenant: Tenant, of: Record<string, unknown>, status: string) => {
  await expect.poll(() => read(tenant, of), { timeout: 15_000 }).toMatchObject({ status });
  return await read(tenant, of);
};

/** Ends a run that could not book, without another search. */
async function giveUp({ byKey }: Tenant, paused: Record<string, unknown>, step: string) {
  expect(paused).toMatchObject({ status: "paused", nextStepId: step });
  const resolution = { status: "cancelled" };
  return (await byKey("POST", "/api/workflows/resume", { sessionId: paused.sessionId, resolution })).body;
}

const control = async (path: string, body?: object) =>
  await fetch(`${service.supplierUrl}/_sandbox/${path}`, {
    method: body === undefined ? "DELETE" : "POST",
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
async function arm(fault: string, paths = ["/air/orders", "/air/payments"], times = 1): Promise<void> {
  await control("scenarios");
  for (const path of paths) {
    await control("scenarios", { match: { path, method: "POST" }, fault, times, delayMs: LATE_MILLISECONDS });
  }
}
const tick = () => control("tick", { advanceSeconds: LATE_MILLISECONDS / 1_000 });

/** The price of the cheapest flight, and a budget that buys it once, in whole USDC. */
async function pricedBudget({ call }: Tenant): Promise<{ price: bigint; budgetUsdc: string; budget: bigint }> {
  const { offers } = await call("search_flights", { ...ROUTE, departureDate: inDays(60) });
  const [first] = z.array(z.object({ totalAmount: z.string() })).parse(offers);
  const price = micro(first?.totalAmount);
  const budget = ((price + UNIT - 1n) / UNIT) * UNIT;
  return { price, budget, budgetUsdc: formatDecimal(budget) };
}

const readTrip = async ({ call }: Tenant, tripId: string) => await call("read_trip", { tripId });

/** The failure reports it in fields and in words, and the trip has the money. */
async function expectBackInTrip(tenant: Tenant, tripId: string, failed: Record<string, unknown>, budgetUsdc: string) {
  const [reservation] = Object(failed.failure).reservations;
  expect(failed, JSON.stringify(failed.failure)).toMatchObject({
    status: "failed",
    failure: {
      notUndone: [],
      undone: expect.arrayContaining(["reserve_booking"]),
      reservations: [{ returnedTo: "trip", walletBecause: null, tripFreeUsdc: budgetUsdc }],
      next: expect.stringMatching(/back in the trip's budget: .*start the run again/),
    },
  });
  const { bookings, ...trip } = await readTrip(tenant, tripId);
  expect(trip).toMatchObject({ state: "funded", freeUsdc: budgetUsdc, heldUsdc: "0.00", refundedUsdc: "0.00" });
  expect(bookings).toMatchObject([
    { bookingId: reservation.bookingId, state: "cancelled", returnedToTripUsdc: reservation.returnedUsdc },
  ]);
}

/** The same trip can buy it now. */
async function expectBuys(tenant: Tenant, tripId: string, price: bigint): Promise<void> {
  await control("scenarios");
  const again = await bookFlight(tenant, tripId);
  await tick();
  const { result, failure } = await ended(tenant, again, "completed");
  expect(failure).toBeNull();
  expect(micro(Object(result).totalAmount)).toBe(price);
  expect(micro(Object(result).settled.vendorPaidUsdc)).toBe(price);
}

describe("a trip whose run has failed", () => {
  it("with a budget for one flight only buys it with a second run, at no further cost", async () => {
    const tenant = await newTenant();
    const before = await tenant.available();
    const { price, budget, budgetUsdc } = await pricedBudget(tenant);
    const tripId = await claimedTrip(tenant, budgetUsdc);
    await arm("sold_out", undefined, 9);
    const failed = await giveUp(tenant, await bookFlight(tenant, tripId), "offer_gone");
    expect(failed).toMatchObject({ failure: { code: "no_offer_left" } });
    await expectBackInTrip(tenant, tripId, failed, budgetUsdc);
    expect(await tenant.available()).toBe(before - budget);
    await expectBuys(tenant, tripId, price);
    await expect.poll(tenant.available).toBe(before - price);
  });

  it("after it reserved and was cancelled has its budget, and buys", async () => {
    const tenant = await newTenant();
    const { price, budgetUsdc } = await pricedBudget(tenant);
    const tripId = await claimedTrip(tenant, budgetUsdc);
    await arm("offer_expired", undefined, 9);
    const paused = await bookFlight(tenant, tripId);
    expect(paused).toMatchObject({ status: "paused", nextStepId: "offer_gone" });
    expect(await readTrip(tenant, tripId)).toMatchObject({ freeUsdc: expect.not.stringMatching(budgetUsdc) });
    await expectBackInTrip(tenant, tripId, await cancel(tenant, paused), budgetUsdc);
    await expectBuys(tenant, tripId, price);
  });

  it("after its booking was committed, as no tickets were issued, has its budget, and buys", async () => {
    const tenant = await newTenant();
    const before = await tenant.available();
    const { price, budgetUsdc } = await pricedBudget(tenant);
    const tripId = await claimedTrip(tenant, budgetUsdc);
    await arm("ticketing_failed");
    const paused = await bookFlight(tenant, tripId);
    expect(paused).toMatchObject({ status: "paused", nextStepId: "ticketing" });
    await tick();
    const failed = await ended(tenant, paused, "failed");
    expect(failed).toMatchObject({ failure: { code: "ticketing_failed", lostUsdc: "0.00" } });
    await expectBackInTrip(tenant, tripId, failed, budgetUsdc);
    await expectBuys(tenant, tripId, price);
    await expect.poll(tenant.available).toBe(before - price);
  });

  it("to book a stay has its budget", async () => {
    const tenant = await newTenant();
    const tripId = await claimedTrip(tenant, "2000.00");
    await arm("sold_out", ["/stays/bookings"], 9);
    const failed = await giveUp(tenant, await bookStay(tenant, tripId), "rate_gone");
    await expectBackInTrip(tenant, tripId, failed, "2000.00");
    await control("scenarios");
    await ended(tenant, await bookStay(tenant, tripId), "completed");
  });
});

describe("a failed run's loss to the supplier", () => {
  it("is paid by the wallet, once, and the trip has its whole budget", async () => {
    const tenant = await newTenant();
    const before = await tenant.available();
    const { price, budget, budgetUsdc } = await pricedBudget(tenant);
    const tripId = await claimedTrip(tenant, budgetUsdc);
    await arm("ticketing_delayed");
    const paused = await bookFlight(tenant, tripId);
    expect(await tenant.available()).toBe(before - budget);
    const failed = await cancel(tenant, paused, { acceptLoss: true });
    const lostUsdc = formatDecimal(price);
    await expectBackInTrip(tenant, tripId, failed, budgetUsdc);
    expect(failed).toMatchObject({
      failure: { lostUsdc, next: expect.stringContaining(`Your wallet pays ${lostUsdc} USDC for the order ord_`) },
    });
    expect(await tenant.available()).toBe(before - budget - price);
    // The budget was counted when it left the wallet, and the wallet's further payments are counted, too.
    const [counted] = await service.sql(
      "select sum(amount_micro)::text as amount from call_spend_line where tenant_id = $1 and account = 'tenant' and period = $2",
      [tenant.tenantId, inDays(0)],
    );
    expect(counted).toEqual({ amount: String(budget + price) });
    await expectBuys(tenant, tripId, price);
    await expect.poll(tenant.available).toBe(before - 2n * price);
  });

  it("is paid from the reservation if the wallet is short, and the failure tells", async () => {
    const tenant = await newTenant();
    const before = await tenant.available();
    const { price, budget, budgetUsdc } = await pricedBudget(tenant);
    const tripId = await claimedTrip(tenant, budgetUsdc);
    // The balance left does not cover the loss.
    await tenant.call("prefund_trip", { budgetUsdc: formatDecimal(before - budget - price + 1n) });
    await arm("ticketing_delayed");
    const paused = await bookFlight(tenant, tripId);
    const failed = await cancel(tenant, paused, { acceptLoss: true });
    expect(failed).toMatchObject({
      status: "failed",
      failure: {
        notUndone: [],
        lostUsdc: formatDecimal(price),
        reservations: [{ returnedTo: "wallet", walletBecause: "order_unpaid", returnedUsdc: budgetUsdc }],
        next: expect.stringContaining("it was needed there to pay for the order"),
      },
    });
    expect(await tenant.available()).toBe(price - 1n + budget - price);
  });
});

describe("the money of a run", () => {
  it("from a former release goes to the wallet, as it did then", async () => {
    const tenant = await newTenant();
    const before = await tenant.available();
    const { tripId, guestLink, codeNonce } = await tenant.call("prefund_trip", { budgetUsdc: "900" });
    const begun = await bookFlight(tenant, String(tripId));
    expect(begun).toMatchObject({ status: "paused", nextStepId: "guest_claim" });
    await service.sql("update workflow_run set version = 5 where id = $1", [begun.runId]);
    await arm("sold_out", undefined, 9);
    await tenant.call("guest_claim_link", {
      guestLink,
      codeNonce,
      guestWallet: `0x${randomBytes(20).toString("hex")}`,
    });
    await expect.poll(() => read(tenant, begun), { timeout: 15_000 }).toMatchObject({ nextStepId: "offer_gone" });
    const failed = await giveUp(tenant, await read(tenant, begun), "offer_gone");
    expect(failed.failure).toMatchObject({ undone: ["reserve_booking"], reservations: [], next: null });
    expect(failed.steps).toContainEqual(expect.objectContaining({ step: "undo:cancel_booking", state: "done" }));
    const { freeUsdc, refundedUsdc } = await readTrip(tenant, String(tripId));
    expect(micro(refundedUsdc)).toBe(900n * UNIT - micro(freeUsdc));
    await expect.poll(tenant.available).toBe(before - micro(freeUsdc));
  });

  it.each(["trip_expired", "spend_limit_exceeded"])(
    "goes to the wallet if it cannot return to the trip, and the failure tells: %s",
    async (why) => {
      const tenant = await newTenant();
      const { budgetUsdc } = await pricedBudget(tenant);
      const tripId = await claimedTrip(tenant, budgetUsdc);
      await arm("offer_expired", undefined, 9);
      const paused = await bookFlight(tenant, tripId);
      if (why === "trip_expired") {
        await service.sql("update trip set expires_at = now() - interval '1 second' where trip_id = $1", [tripId]);
      } else {
        // The key's rules are from the time when there was only one way.
        const tools = ["cancel_booking", "read_trip", "cancel_order_quote"];
        await service.operator(({ spending }) =>
          spending.spendLimits.set(tenant.tenantId, "sandbox", undefined, { tools }, "test"),
        );
      }
      const failed = await cancel(tenant, paused);
      await service.operator(({ spending }) =>
        spending.spendLimits.set(tenant.tenantId, "sandbox", undefined, {}, "test"),
      );
      expect(failed, JSON.stringify(failed.failure)).toMatchObject({
        failure: {
          code: "run_cancelled",
          notUndone: [],
          reservations: [{ returnedTo: "wallet", walletBecause: why }],
          next: expect.stringContaining("The money went to your wallet"),
        },
      });
      expect(await readTrip(tenant, tripId)).toMatchObject({ heldUsdc: "0.00" });
    },
  );

  it("comes back to the wallet with the whole trip by service.cancel_trip", async () => {
    const tenant = await newTenant();
    const before = await tenant.available();
    const { budgetUsdc } = await pricedBudget(tenant);
    const tripId = await claimedTrip(tenant, budgetUsdc);
    await arm("offer_expired", undefined, 9);
    await bookFlight(tenant, tripId);
    const undone = await run(tenant, "service.cancel_trip", { tripId });
    expect(undone).toMatchObject({
      status: "completed",
      result: { refunded: { fromEscrowUsdc: budgetUsdc }, notCancelled: [] },
    });
    await expect.poll(tenant.available).toBe(before);
  });
});
