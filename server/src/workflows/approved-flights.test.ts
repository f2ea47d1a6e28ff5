import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startTestService, type TestService } from "../../test/support/service.ts";
import { requireResult } from "../../test/support/treasury.ts";

/** Approvers who take longer than the supplier's offers are valid. */

const OFFERS_LIVE_MINUTES = 30;
const TAKEN_MINUTES = 40;
const APPROVAL_HOURS = 24;
const inDays = (days: number): string => Temporal.Now.plainDateISO("UTC").add({ days }).toString();

let service: TestService;
let hoursLater = 0;
beforeAll(async () => {
  const clock = { now: () => Temporal.Now.instant().add({ hours: hoursLater }) };
  service = await startTestService({}, { clock });
  await service.isFunded(service.tenantId);
  const document = { flight: { maxPrice: { default: 1 } } };
  expect((await ask("PUT", "/api/policies/strict", { document }, service.operatorKey)).status).toBe(201);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const ask = async (method: string, path: string, body?: object, key = service.internalToken) =>
  await service.send(path, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const call = async (tool: string, args: object) => requireResult(await service.call(tool, args));
const pass = async (minutes: number) =>
  await fetch(`${service.supplierUrl}/_sandbox/tick`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ advanceSeconds: minutes * 60 }),
  });

async function claimedTrip(): Promise<string> {
  const { tripId, guestLink, codeNonce } = await call("prefund_trip", { budgetUsdc: "3000" });
  await call("guest_claim_link", { guestLink, codeNonce, guestWallet: `0x${randomBytes(20).toString("hex")}` });
  return String(tripId);
}

const Offers = z.array(
  z.object({ id: z.string(), paymentRequirements: z.object({ requiresInstantPayment: z.boolean() }) }),
);
const Ledger = z.object({
  orders: z.array(z.looseObject({ id: z.string(), state: z.string() })),
  payments: z.array(z.looseObject({ order_id: z.string() })),
  cancellations: z.array(z.looseObject({ order_id: z.string(), confirmed_at: z.string().nullable() })),
});
const Steps = z.array(z.object({ step: z.string(), state: z.string(), code: z.string().nullable() }));

const asked = new Set<string>();

/** A day on which the airline holds the first offer of the route, or does not. */
async function findDay(route: object, isHeld: boolean): Promise<string> {
  for (let day = 40; day < 70; day += 1) {
    const departureDate = inDays(day);
    // A person's decision on a day's flights also applies to the next run.
    if (asked.has(departureDate)) continue;
    const { offers } = await call("search_flights", { ...route, departureDate });
    const [first] = Offers.parse(offers);
    if (first !== undefined && first.paymentRequirements.requiresInstantPayment !== isHeld) {
      asked.add(departureDate);
      return departureDate;
    }
  }
  throw new Error("there is no such offer");
}

const pausedRun = async (route: object, isHeld: boolean) => await startRun(route, await findDay(route, isHeld));

async function startRun(route: object, departureDate: string) {
  const tripId = await claimedTrip();
  const input = { tripId, ...route, departureDate, policyId: "strict" };
  const run = await ask("POST", "/api/workflows/run", {
    workflowId: "service.book_flight",
    tenantId: service.tenantId,
    input,
  });
  expect(run.body, run.text).toMatchObject({ status: "paused", nextStepId: "approval", decidedBy: "person" });
  return run.body;
}
const read = async ({ runId }: Record<string, unknown>) => (await ask("GET", `/api/workflows/runs/${runId}`)).body;
const decide = async ({ sessionId }: Record<string, unknown>, status: string) =>
  await ask("POST", "/api/workflows/resume", { sessionId, resolution: { status, approvedBy: "finance desk" } });
const listSteps = ({ steps }: Record<string, unknown>) => Steps.parse(steps).map(({ step }) => step);
const approvalsFor = (offer: Record<string, unknown>) =>
  service.sql(
    "select state, id from approval where tenant_id = $1 and position >= (select position from approval where id = $2)",
    [...[service.tenantId, Object(offer.shown).approvalId]],
  );
async function completed(run: Record<string, unknown>) {
  await expect.poll(async () => (await pass(1)) && (await read(run)).status, { timeout: 30_000 }).toBe("completed");
  return await read(run);
}
const HELD = { origin: "LHR", destination: "JFK" };
const NOT_HELD = { origin: "LHR", destination: "CDG" };

describe(`an approver who takes ${TAKEN_MINUTES} minutes, where offers live ${OFFERS_LIVE_MINUTES},`, () => {
  it("decides once about an offer that the airline holds meanwhile, and the run pays for that order", async () => {
    const run = await pausedRun(HELD, true);
    const { warnings } = Object(run.shown);
    expect(warnings).toEqual([
      expect.stringMatching(/^Traveler 1 of 1, entry into USA on .*: eligible_with_authorization/),
    ]);
    const { approval } = await call("read_approval", { approvalId: Object(run.shown).approvalId });
    expect(Object(approval)).toMatchObject({ evidence: { warnings } });
    const { record } = await call("read_trip", { tripId: run.tripId });
    expect(JSON.stringify(record)).toContain("A preview of book_flight warned: Traveler 1 of 1, entry into USA");
    const [held] = await service.sql(
      "select order_id, state from booking where tenant_id = $1 and kind = 'flight_hold' and state = 'on_hold'",
      [service.tenantId],
    );
    expect(held).toMatchObject({ order_id: expect.any(String) });
    await pass(TAKEN_MINUTES);
    await decide(run, "approved");
    const done = await completed(run);
    expect(Object(done.result)).toMatchObject({
      orderId: held?.order_id,
      warnings: expect.arrayContaining([expect.stringContaining("entry into USA")]),
    });
    const names = listSteps(done);
    expect(names.slice(names.indexOf("hold_flight"), names.indexOf("hold_flight") + 4)).toEqual([
      ...["hold_flight", "approval", "reserve_booking", "book_flight"],
    ]);
    expect(names.filter((name) => name.startsWith("search_flights"))).toHaveLength(1);
    expect(await approvalsFor(run)).toMatchObject([{ state: "used" }]);
  });

  it("decides once about an offer that the airline does not hold: the same flights and fare are found again and booked", async () => {
    const run = await pausedRun(NOT_HELD, false);
    expect(Steps.parse(run.steps)).toContainEqual(
      expect.objectContaining({ step: "hold_flight", state: "failed", code: "hold_not_available" }),
    );
    await pass(TAKEN_MINUTES);
    await decide(run, "approved");
    const done = await completed(run);
    const names = listSteps(done);
    expect(names.filter((name) => name.startsWith("search_flights"))).toHaveLength(2);
    expect(names.filter((name) => name.startsWith("approval"))).toHaveLength(1);
    expect(await approvalsFor(run)).toMatchObject([{ state: "used" }]);
    const { offer } = Object(run.shown);
    expect(Object(done.result)).toMatchObject({
      totalAmount: offer.totalAmount,
      flights: offer.slices.flatMap(({ segments }: { segments: { flightNumber: string; departingAt: string }[] }) =>
        segments.map(({ flightNumber, departingAt }) => ({ flightNumber, departingAt })),
      ),
    });
  });

  it("refuses, and the airline's hold is cancelled", async () => {
    const run = await pausedRun(HELD, true);
    const [held] = await service.sql("select order_id from booking where tenant_id = $1 and state = 'on_hold'", [
      service.tenantId,
    ]);
    const refused = await decide(run, "rejected");
    expect(refused.body, refused.text).toMatchObject({
      status: "failed",
      failure: { code: "approval_rejected", notUndone: [] },
    });
    expect(await call("read_order", { orderId: held?.order_id })).toMatchObject({ status: "cancelled" });
  });
});

describe("an approval whose run is cancelled before a person decides", () => {
  it.each([
    ["by its owner", ({ runId }: Record<string, unknown>) => call("cancel_run", { runId })],
    ["with its trip", ({ tripId }: Record<string, unknown>) => call("close_trip", { tripId })],
  ])("%s is no longer wanted, and the same run asks for another one", async (_how, cancel) => {
    const run = await pausedRun(NOT_HELD, false);
    const { approvalId } = Object(run.shown);
    await cancel(run);
    await expect.poll(async () => (await read(run)).status, { timeout: 10_000 }).toBe("failed");
    expect(await approvalsFor(run)).toMatchObject([{ state: "replaced" }]);
    expect(await call("read_approval", { approvalId })).toMatchObject({
      deciders: [],
      next: expect.stringContaining("the run that asked was cancelled"),
    });
    const decision = { decision: "approve", approvedBy: "finance desk" };
    const late = await ask("POST", `/api/approvals/${approvalId}/decision`, decision);
    expect([late.status, late.body.state]).toEqual([409, "replaced"]);
    const again = await startRun(NOT_HELD, Object(run.shown).offer.slices[0].segments[0].departingAt.slice(0, 10));
    expect(Object(again.shown).approvalId).not.toBe(approvalId);
    await call("cancel_run", { runId: again.runId });
  });
});

// Last, as it moves the clock.
it("an approver who never decides lets the approval expire: the run ends, and the airline's hold is cancelled before it lapses", async () => {
  const run = await pausedRun(HELD, true);
  const [held] = await service.sql(
    "select order_id, hold_until from booking where tenant_id = $1 and state = 'on_hold'",
    [service.tenantId],
  );
  const atSupplier = async () => {
    const ledger = Ledger.parse(await (await fetch(`${service.supplierUrl}/_sandbox/ledger`)).json());
    return {
      order: ledger.orders.find(({ id }) => id === held?.order_id)?.state,
      payments: ledger.payments.filter(({ order_id }) => order_id === held?.order_id).length,
      givenBack: ledger.cancellations.filter((one) => one.order_id === held?.order_id && one.confirmed_at !== null)
        .length,
    };
  };
  expect(await atSupplier()).toEqual({ order: "held", payments: 0, givenBack: 0 });
  // The supplier's quotes are compared with the product's clock.
  await pass((APPROVAL_HOURS + 1) * 60);
  expect(await atSupplier()).toEqual({ order: "held", payments: 0, givenBack: 0 });
  hoursLater = APPROVAL_HOURS + 1;
  await expect
    .poll(() => read(run), { timeout: 30_000 })
    .toMatchObject({
      status: "failed",
      failure: { code: "approval_expired", notUndone: [] },
    });
  expect(await atSupplier()).toEqual({ order: "cancelled", payments: 0, givenBack: 1 });
  expect(await call("read_order", { orderId: held?.order_id })).toMatchObject({ status: "cancelled" });
  expect((await decide(run, "approved")).body).toMatchObject({ code: "session_closed" });
});
