import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startBrowser } from "../../test/support/browser.ts";
import { openLink, until } from "../../test/support/claim-page.ts";
import { type Escrow, micro, openEscrow } from "../../test/support/escrow.ts";
import { startTestService, type TestService } from "../../test/support/service.ts";
import { requireResult } from "../../test/support/treasury.ts";

/** The supplier's clock is moved by hand: otherwise it issues tickets a second after the payment. */
const LATE_MILLISECONDS = 600_000;

let service: TestService;
let escrow: Escrow;
let departureDate: string;

beforeAll(async () => {
  service = await startTestService();
  escrow = openEscrow(service);
  await service.isFunded(service.tenantId);
  departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
});
afterAll(async () => {
  await escrow?.close();
  await service?.[Symbol.asyncDispose]();
});

/** For the next payment, with the order or after a hold. */
async function arm(fault: string): Promise<void> {
  await fetch(`${service.supplierUrl}/_sandbox/scenarios`, { method: "DELETE" });
  for (const path of ["/air/orders", "/air/payments"]) {
    await control("scenarios", { match: { path, method: "POST" }, fault, times: 1, delayMs: LATE_MILLISECONDS });
  }
}
const control = async (path: string, body: object) =>
  await fetch(`${service.supplierUrl}/_sandbox/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const ask = async (path: string, body?: object, key = service.internalToken) =>
  await service.send(`/api/workflows/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function start(tripId: string, more: object = {}, by: object = {}) {
  const input = { tripId, origin: "LHR", destination: "CDG", departureDate, acceptOverlap: true, ...more };
  const answer = await ask("run", { workflowId: "service.book_flight", tenantId: service.tenantId, input, ...by });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}
const Steps = z.array(z.object({ step: z.string(), state: z.string() }));
const read = async ({ runId }: Record<string, unknown>) => (await ask(`runs/${String(runId)}`)).body;

async function claim(guestLink: unknown, codeNonce: unknown) {
  const guestWallet = `0x${randomBytes(20).toString("hex")}`;
  return requireResult(await service.call("guest_claim_link", { guestLink, codeNonce, guestWallet }));
}

async function claimedTrip(budgetUsdc: string): Promise<string> {
  const trip = requireResult(await service.call("prefund_trip", { budgetUsdc }));
  await claim(trip.guestLink, trip.codeNonce);
  return String(trip.tripId);
}

/** The run's reservation went back to the trip. */
async function expectAllFree(tripId: string): Promise<void> {
  const trip = requireResult(await service.call("read_trip", { tripId }));
  expect(trip).toMatchObject({ heldUsdc: "0.00", refundedUsdc: "0.00", freeUsdc: trip.budgetUsdc });
}

const available = async () => micro(Object(requireResult(await service.call("check_treasury", {})).available).USDC);

const USER = "user_remembered";
const FAMILY_NAME = "Rememberova";
const byKey = async (method: string, path: string, body?: object, key = service.apiKey) =>
  await service.send(path, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const putTraveler = () =>
  byKey("PUT", `/api/travelers/${USER}`, {
    givenName: "Mem",
    familyName: FAMILY_NAME,
    bornOn: "1990-01-01",
    title: "ms",
    gender: "f",
    email: "mem@example.com",
    phoneNumber: "+14155550123",
  });

const Record = z.object({
  summary: z.string(),
  record: z.array(z.object({ kind: z.string(), text: z.string(), userId: z.string().nullable() })),
  nextCursor: z.string().nullable(),
});
const readPage = async (tripId: string, more: object) =>
  Record.parse(requireResult(await service.call("read_trip", { tripId, ...more })));

/** The trip's record has every event, page by page and permanently, without the erased person. */
async function expectRemembered(tripId: string): Promise<void> {
  const { body } = await byKey("GET", `/api/trips/${tripId}?limit=200`);
  const whole = Record.parse(body);
  const counts = Map.groupBy(whole.record, ({ kind }) => kind);
  // Funded, reserved, committed, confirmed, settled, and the escrow's payment for the order.
  expect(counts.get("money")?.length).toBeGreaterThanOrEqual(6);
  for (const kind of ["claim", "search", "offer", "decision", "order", "ticket", "document", "run"])
    expect(counts.get(kind), kind).toBeDefined();
  expect(whole.summary).toMatch(/The guest claimed the trip[\s\S]*A flight was booked for[\s\S]*Invoice SANDBOX-INV-/);
  const pages = [await readPage(tripId, { limit: 7 })];
  for (let last = pages.at(-1); last?.nextCursor != null; last = pages.at(-1)) {
    pages.push(await readPage(tripId, { limit: 7, cursor: last.nextCursor }));
  }
  expect(pages.flatMap(({ record }) => record)).toEqual(whole.record);
  for (const change of ["update trip_entry set text = 'other'", "delete from trip_entry"])
    await expect(service.sql(`${change} where trip_id = $1`, [tripId]), change).rejects.toThrow("only added to");

  expect(whole.record.filter(({ userId }) => userId === USER).length).toBeGreaterThan(3);
  expect((await byKey("DELETE", `/api/travelers/${USER}?confirmFutureBookings=true`)).status).toBe(200);
  const after = await byKey("GET", `/api/trips/${tripId}?limit=200`);
  expect(after.text).not.toContain(USER);
  const texts = (record: z.infer<typeof Record>) => record.record.map(({ text }) => text);
  expect(texts(Record.parse(after.body))).toEqual(texts(whole));
  const steps = await service.sql("select outcome::text as text from workflow_step where tool = 'book_flight'");
  expect(steps.length).toBeGreaterThan(0);
  expect(steps.map(({ text }) => String(text)).join()).not.toMatch(new RegExp(`${FAMILY_NAME}|${USER}`));
}

/** A person approves by a personal link, in a browser. */
async function approveOnPage(...approvalIds: readonly string[]): Promise<void> {
  const owner = { tenantId: service.tenantId, environment: "sandbox" as const };
  const person = { id: "usr_grace", name: "Grace", email: "grace@example.com", roles: ["approver" as const] };
  const { apiKey } = await service.operator(async ({ persons, mintKey }) => {
    await persons.add(owner, person, "test");
    return await mintKey({
      tenantId: service.tenantId,
      environment: "sandbox",
      personId: person.id,
      actor: "test",
      scopes: ["approvals:read", "approvals:decide"],
    });
  });
  const headers = { authorization: `Bearer ${apiKey}` };
  const { approvals } = (await service.send("/api/approvals", { headers })).body;
  const listed = z.array(z.object({ approvalId: z.string(), link: z.string() })).parse(approvals);
  await using chromium = await startBrowser();
  for (const approvalId of approvalIds) {
    const { page } = await openLink(chromium, listed.find((one) => one.approvalId === approvalId)?.link ?? "");
    await until(page, "Your approval is needed");
    expect(await page.locator("main").innerText()).toMatch(/London \(LHR\) to Paris \(CDG\), [A-Z0-9]{2}\d+/);
    await page.getByRole("button", { name: "Approve" }).click();
    await until(page, "Approved");
  }
}

describe("service.book_flight", () => {
  it("waits for the guest and for the tickets, settles, and the wallet pays for the flight once", async () => {
    const trip = requireResult(await service.call("prefund_trip", { budgetUsdc: "900" }));
    expect((await putTraveler()).status).toBe(201);
    const run = await start(String(trip.tripId), { mailItinerary: true }, { userId: USER });
    expect(run).toMatchObject({ status: "paused", nextStepId: "guest_claim", decidedBy: "service" });
    await arm("ticketing_delayed");
    expect(await claim(trip.guestLink, trip.codeNonce)).toMatchObject({ waitingRunIds: [run.runId] });
    await expect.poll(() => read(run)).toMatchObject({ status: "paused", nextStepId: "ticketing" });
    await control("tick", { advanceSeconds: LATE_MILLISECONDS / 1_000 });
    await expect.poll(() => read(run)).toMatchObject({ status: "completed" });
    const { result, steps } = await read(run);
    expect(result).toMatchObject({
      tripId: trip.tripId,
      pnr: expect.stringMatching(/^ZZ/),
      flights: [
        {
          flightNumber: expect.stringMatching(/^[A-Z0-9]{2}\d+$/),
          origin: "LHR",
          destination: "CDG",
          departingAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/),
          departureTimeZone: "Europe/London",
          arrivalTimeZone: "Europe/Paris",
        },
      ],
      settled: { txHash: expect.stringMatching(/^0x/) },
      next: expect.stringMatching(/ USDC left, which close_trip returns/),
      invoice: { invoiceNumber: expect.stringMatching(/^SANDBOX-INV-\d{6}$/) },
      itinerary: { icsUrl: expect.stringContaining(".ics"), mails: [{ userId: USER, sent: false }] },
    });
    expect(Steps.parse(steps).map(({ step, state }) => `${step} ${state}`)).toEqual(
      [
        "read_trip",
        "guest_claim",
        "read_trip_travelers",
        "search_flights",
        "check_policy",
        "preview_call",
        "reserve_booking",
        "book_flight",
        "commit_booking",
        "ticketing",
        "read_order",
        "confirm_ticketing",
        "settle_booking",
        "generate_booking_invoice",
        "send_itinerary",
      ].map((step) => `${step} done`),
    );
    const { freeUsdc } = requireResult(await service.call("read_trip", { tripId: trip.tripId }));
    expect(Object(result).tripFreeUsdc).toBe(freeUsdc);
    const order = requireResult(await service.call("read_order", { orderId: Object(result).orderId }));
    expect(order).toMatchObject({ externalId: Object(result).bookingId });
    await expectRemembered(String(trip.tripId));
  });

  it("whose tickets are refused cancels in escrow, and all the money returns to the trip", async () => {
    const tripId = await claimedTrip("900");
    const before = await available();
    await arm("ticketing_failed");
    const run = await start(tripId);
    expect(run).toMatchObject({ status: "paused", nextStepId: "ticketing" });
    await control("tick", { advanceSeconds: LATE_MILLISECONDS / 1_000 });
    await expect
      .poll(() => read(run))
      .toMatchObject({ status: "failed", failure: { code: "ticketing_failed", notUndone: [] } });
    // The supplier refunded the price, and the escrow the reservation.
    await expectAllFree(tripId);
    expect(await available()).toBe(before);
  });

  it("over the policy's limit waits for a person, and ends if that person refuses", async () => {
    const tripId = await claimedTrip("9000");
    const run = await start(tripId, { cabinClass: "business" });
    expect(run).toMatchObject({ status: "paused", nextStepId: "approval", decidedBy: "person" });
    expect(run.shown).toMatchObject({
      offer: {
        id: expect.stringMatching(/^off_/),
        slices: [{ segments: [{ origin: "LHR", flightNumber: expect.any(String), departingAt: expect.any(String) }] }],
      },
      verdict: { decision: "require_approval" },
      approvalId: expect.stringMatching(/^apr_/),
    });
    const refused = await ask("resume", {
      sessionId: run.sessionId,
      resolution: { status: "rejected", approvedBy: "desk" },
    });
    expect(refused.body).toMatchObject({
      status: "failed",
      failure: { code: "approval_rejected", undone: ["hold_flight"] },
    });
    const { approvalId } = Object(run.shown);
    const decided = await byKey("GET", `/api/approvals/${approvalId}`);
    expect(decided.body).toMatchObject({ state: "rejected", tool: "book_flight", policyId: "default-corp" });
    const audited = await service.sql(
      "select actor, details from audit_log where tenant_id = $1 and subject_id = $2 and action = 'approval.decide'",
      [service.tenantId, approvalId],
    );
    expect(audited).toMatchObject([{ actor: expect.stringContaining("desk"), details: { to: "rejected" } }]);
  });

  it("is cancelled before its tickets: the order is cancelled at the supplier and the escrow returns the money", async () => {
    const tripId = await claimedTrip("900");
    await arm("ticketing_delayed");
    const run = await start(tripId);
    expect(run).toMatchObject({ status: "paused", nextStepId: "ticketing" });
    const ended = (await ask(`runs/${String(run.runId)}/cancel`, { acceptLoss: true })).body;
    expect(ended).toMatchObject({ status: "failed", failure: { code: "run_cancelled" } });
    const undo = ["cancel_order_quote", "confirm_cancel_order", "release_reservation"].map((step) => `undo:${step}`);
    expect(ended.failure).toMatchObject({ undone: ["book_flight", "reserve_booking"], notUndone: [] });
    expect(
      Steps.parse(ended.steps)
        .slice(-3)
        .map(({ step }) => step),
    ).toEqual(undo);
    await expectAllFree(tripId);
    const orders = await fetch(`${service.supplierUrl}/_sandbox/ledger`);
    const { cancellations } = Object(await orders.json());
    const Cancellations = z.array(z.object({ order_id: z.string(), confirmed_at: z.string().nullable() }));
    const ofRun = Cancellations.parse(cancellations).filter(({ order_id }) => order_id === Object(run.shown).orderId);
    expect(ofRun.filter(({ confirmed_at }) => confirmed_at !== null)).toHaveLength(1);
  });

  it("takes the cheapest fare of the same flights that its input's policy allows, and shows its terms", async () => {
    const fare = { severity: "deny", requireRefundableAbove: 0 };
    const put = await byKey("PUT", "/api/policies/refundable", { document: { flight: { fare } } }, service.operatorKey);
    expect(put.status).toBe(201);
    const run = await start(await claimedTrip("900"), { policyId: "refundable" });
    await control("tick", { advanceSeconds: LATE_MILLISECONDS / 1_000 });
    await expect.poll(() => read(run), { timeout: 10_000 }).toMatchObject({ status: "completed" });
    const { result } = await read(run);
    expect(result).toMatchObject({
      conditions: { refundBeforeDeparture: { allowed: true, penaltyCurrency: "USD" } },
      refundableUntil: expect.stringMatching(/T/),
    });
    const { flight } = requireResult(await service.call("read_order", { orderId: Object(result).orderId }));
    expect(flight).toMatchObject({ conditions: Object(result).conditions });
  });

  it("is judged by its input's policy if no other is enforced, and books a fare approved on the page once", async () => {
    const tripId = await claimedTrip("900");
    const put = (path: string, body: object) => byKey("PUT", path, body, service.operatorKey);
    await put("/api/policies/strict", { document: { flight: { maxPrice: { default: 1 } } } });
    const run = await start(tripId, { policyId: "strict" });
    expect(run).toMatchObject({ status: "paused", nextStepId: "approval", decidedBy: "person" });
    const { approvalId } = Object(run.shown);

    // Money set aside for a flight names no flight by itself, so the approver is shown its purpose.
    await put("/api/policies/payments", { document: { payments: { maxAmountUsd: 1 } } });
    await put("/api/policy-enforcement", { policyId: "payments" });
    const reserving = await start(await claimedTrip("900"));
    await put("/api/policy-enforcement", { policyId: null });
    const reservation = String(Object(reserving.shown).approvalId);
    expect((await byKey("GET", `/api/approvals/${reservation}`)).body).toMatchObject({
      tool: "reserve_booking",
      state: "pending",
      evidence: { bought: null, purpose: { kind: "flight", legs: [{ origin: "LHR", destination: "CDG" }] } },
    });

    await approveOnPage(String(approvalId), reservation);
    await expect
      .poll(() => read(run))
      .toMatchObject({
        steps: expect.arrayContaining([expect.objectContaining({ step: "book_flight", state: "done" })]),
      });
    const { steps } = await read(run);
    expect(Steps.parse(steps).filter(({ step }) => step.includes("approval"))).toEqual([
      { step: "approval", state: "done" },
    ]);
    const used = await byKey("GET", `/api/approvals/${approvalId}`);
    expect(used.body).toMatchObject({ state: "used", policyId: "strict" });
    expect((await byKey("GET", "/api/policy-enforcement")).body).toMatchObject({ policyId: null });
  });
});
