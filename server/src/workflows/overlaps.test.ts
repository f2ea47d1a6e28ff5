import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { TestService } from "../../test/support/service.ts";
import { openSharedService } from "../../test/support/shared-service.ts";
import { requireResult } from "../../test/support/treasury.ts";

/** A run asks before it buys for a time for which its travelers already have an order. */

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
  await service.isFunded(service.tenantId);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const inDays = (days: number): string => Temporal.Now.plainDateISO("UTC").add({ days }).toString();
const call = async (tool: string, args: object) => requireResult(await service.call(tool, args));
const Orders = z.object({ orders: z.array(z.looseObject({ orderId: z.string() })) });
const listOrders = async () =>
  Orders.parse(await call("list_orders", { status: "confirmed" })).orders.map(({ orderId }) => orderId);

async function claimedTrip(budgetUsdc = "1500"): Promise<string> {
  const { tripId, guestLink, codeNonce } = await call("prefund_trip", { budgetUsdc });
  await call("guest_claim_link", { guestLink, codeNonce, guestWallet: "0x00000000000000000000000000000000000a11ce" });
  return String(tripId);
}

/** Until the run asks somebody or ends: the airline issues the tickets by itself. */
async function follow({ runId }: Record<string, unknown>) {
  const read = () => call("read_run", { runId });
  const isBusy = async () => {
    const { status, nextStepId } = await read();
    return status === "running" || nextStepId === "ticketing";
  };
  await expect.poll(isBusy, { timeout: 30_000 }).toBe(false);
  return await read();
}
async function run(workflowId: string, input: object) {
  return await follow(await call("run_workflow", { workflowId, input: { tripId: await claimedTrip(), ...input } }));
}
const answer = async ({ sessionId }: Record<string, unknown>, status: string) =>
  await follow(await call("resume_run", { sessionId, resolution: { status } }));

const flight = (days: number, more: object = {}) => ({
  origin: "LHR",
  destination: "CDG",
  departureDate: inDays(days),
  ...more,
});
const AMELIA = { givenName: "Amelia", familyName: "Hart" };
const stay = (from: number, to: number, guestNames: object[] = [AMELIA]) => ({
  location: "London",
  checkInDate: inDays(from),
  checkOutDate: inDays(to),
  email: "amelia@example.com",
  phoneNumber: "+442080160508",
  guestNames,
});

describe("a run for a time for which the traveler already has an order", () => {
  it("asks before it buys a second flight, naming the first, and buys nothing when told to stop", async () => {
    const first = await run("service.book_flight", flight(70));
    expect(first, JSON.stringify(first)).toMatchObject({ status: "completed" });
    const { orderId } = Object(first.result);
    const before = await listOrders();
    const asked = await run("service.book_flight", flight(70));
    expect(asked, JSON.stringify(asked)).toMatchObject({
      status: "paused",
      nextStepId: "overlap",
      decidedBy: "caller",
      shown: { orderIds: [orderId] },
      onTimeout: { status: "stop" },
    });
    expect(asked.pauseReason).toContain(`as order ${orderId}`);
    expect(asked.pauseReason).toContain("Nothing has been bought yet. Answer with go_on to book as well");
    expect(JSON.stringify(asked.steps)).not.toContain("reserve_booking");
    const stopped = await answer(asked, "stop");
    expect(stopped).toMatchObject({ status: "failed", failure: { code: "overlap_not_accepted" } });
    expect(await listOrders()).toEqual(before);
  });

  it("buys it when told to go on, and without asking if the input accepts it", async () => {
    const before = await listOrders();
    const asked = await run("service.book_flight", flight(70));
    expect(asked).toMatchObject({ status: "paused", nextStepId: "overlap" });
    const ended = await answer(asked, "go_on");
    expect(ended, JSON.stringify(ended)).toMatchObject({ status: "completed" });
    expect(await listOrders()).toHaveLength(before.length + 1);
    const unasked = await run("service.book_flight", flight(70, { acceptOverlap: true }));
    expect(unasked, JSON.stringify(unasked)).toMatchObject({ status: "completed" });
  });

  it("asks before it buys a stay for one of the same nights of the same guest, and of no other", async () => {
    const first = await run("service.book_stay", stay(70, 72));
    expect(first, JSON.stringify(first)).toMatchObject({ status: "completed" });
    const { orderId } = Object(first.result);
    const asked = await run("service.book_stay", stay(71, 73, [{ givenName: "amelia", familyName: "HART" }]));
    expect(asked).toMatchObject({ status: "paused", nextStepId: "overlap", shown: { orderIds: [orderId] } });
    expect(await answer(asked, "stop")).toMatchObject({ failure: { code: "overlap_not_accepted" } });
    const other = await run("service.book_stay", stay(71, 73, [{ givenName: "Bo", familyName: "Hart" }]));
    expect(other, JSON.stringify(other)).toMatchObject({ status: "completed" });
    // The night of the day of departure is not slept there.
    const later = await run("service.book_stay", stay(72, 73));
    expect(later, JSON.stringify(later)).toMatchObject({ status: "completed" });
  });
});

it("book_stay warns of another stay of the same guest only, in the preview and in the answer", async () => {
  const quote = async () => {
    const { accommodations } = await call("search_hotels", {
      location: "Lisbon",
      checkInDate: inDays(80),
      checkOutDate: inDays(82),
    });
    const { rates } =
      z.array(z.object({ rates: z.array(z.object({ id: z.string() })) })).parse(accommodations)[0] ?? {};
    return String((await call("quote_stay", { rateId: rates?.[0]?.id })).id);
  };
  const asked = async (givenName: string) => ({
    quoteId: await quote(),
    email: "amelia@example.com",
    phoneNumber: "+442080160508",
    guests: [{ givenName, familyName: "Hart" }],
  });
  const { orderId } = await call("book_stay", await asked("Amelia"));
  const bo = await asked("Bo");
  const preview = await call("preview_call", { tool: "book_stay", args: bo });
  expect(preview).toMatchObject({ accepted: true, overlappingOrderIds: [] });
  expect(JSON.stringify(preview.warnings)).not.toContain("already has a stay");
  expect((await call("book_stay", bo)).next).not.toContain("already has a stay");
  // The same accommodation again, as after a time-out and a new search.
  const again = await asked("Amelia");
  const warned = await call("preview_call", { tool: "book_stay", args: again });
  expect(warned.overlappingOrderIds).toEqual([orderId]);
  expect(JSON.stringify(warned.warnings)).toContain("one of the guests already has a stay at the same accommodation");
  expect((await call("book_stay", again)).next).toContain(`as order ${orderId}.`);
});

it("a run asks nobody to approve what the trip cannot pay for", async () => {
  const tripId = await claimedTrip("100");
  const business = { tripId, ...flight(90), destination: "JFK", cabinClass: "business" };
  const ended = await run("service.book_flight", business);
  expect(ended).toMatchObject({ status: "failed", failure: { code: "insufficient_budget" } });
  expect(Object(ended.failure).detail).toMatch(
    /^The trip has 100\.00 USDC free, but the cheapest offer costs \d+\.\d+ USDC\./,
  );
  const steps = JSON.stringify(ended.steps);
  expect(steps).toContain("search_flights");
  expect(steps).not.toContain("approval");
});
