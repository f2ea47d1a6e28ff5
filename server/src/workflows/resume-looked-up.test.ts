import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../test/support/service.ts";
import { requireResult } from "../../test/support/treasury.ts";

/** The supplier's clock is moved by hand. */
const LATE_MILLISECONDS = 600_000;

let service: TestService;
let departureDate: string;
beforeAll(async () => {
  service = await startTestService();
  await service.isFunded(service.tenantId);
  departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const JSON_TYPE = { "content-type": "application/json" };
const control = (path: string, body: object) =>
  fetch(`${service.supplierUrl}/_sandbox/${path}`, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) });
const ask = (path: string, body?: object, token = service.internalToken, headers: Record<string, string> = {}) =>
  service.send(`/api/workflows/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { ...JSON_TYPE, authorization: `Bearer ${token}`, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const start = (input: object, workflowId = "service.book_flight", headers = {}) =>
  ask("run", { workflowId, tenantId: service.tenantId, input }, service.internalToken, headers);
const flight = (tripId: string, more: object = {}) => ({
  tripId,
  origin: "LHR",
  destination: "CDG",
  departureDate,
  acceptOverlap: true,
  ...more,
});
const read = async ({ runId }: Record<string, unknown>) => (await ask(`runs/${String(runId)}`)).body;
const resume = ({ sessionId }: Record<string, unknown>, resolution: object) => ask("resume", { sessionId, resolution });
const preview = async ({ sessionId }: Record<string, unknown>, resolution: object) =>
  requireResult(await service.call("preview_call", { tool: "resume_run", args: { sessionId, resolution } }));

async function prefund(budgetUsdc = "900") {
  const { tripId, guestLink, codeNonce } = requireResult(await service.call("prefund_trip", { budgetUsdc }));
  return { tripId: String(tripId), guestLink, codeNonce };
}
const claim = async ({ guestLink, codeNonce }: Record<string, unknown>) => {
  const guestWallet = `0x${randomBytes(20).toString("hex")}`;
  return requireResult(await service.call("guest_claim_link", { guestLink, codeNonce, guestWallet }));
};
/** Imitates a missed event: `work` happens while no pause waits for it. */
async function unheard({ runId }: Record<string, unknown>, work: () => Promise<unknown>): Promise<void> {
  const [pause] = await service.sql("select about from workflow_pause where run_id = $1 and resolved_at is null", [
    runId,
  ]);
  await service.sql("update workflow_pause set about = 'nothing' where run_id = $1 and resolved_at is null", [runId]);
  await work();
  await service.sql("update workflow_pause set about = $2 where run_id = $1 and resolved_at is null", [
    runId,
    pause?.about,
  ]);
}

describe("a pause that waits for a claim", () => {
  it("is resolved by a caller only in agreement with the trip, and stays open otherwise", async () => {
    const trip = await prefund();
    const { body: run } = await start(flight(trip.tripId));
    expect(run).toMatchObject({ status: "paused", nextStepId: "guest_claim" });
    for (const status of ["claimed", "expired"]) {
      const refused = await resume(run, { status });
      expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
      expect(refused.body.detail).toContain("has not claimed the trip");
    }
    const byTool = await service.call("resume_run", { sessionId: run.sessionId, resolution: { status: "claimed" } });
    expect(byTool.body).toMatchObject({ code: "resolved_by_event", detail: expect.stringContaining("not claimed") });
    expect(await read(run)).toMatchObject({ status: "paused", sessionId: run.sessionId });

    await unheard(run, () => claim(trip));
    expect((await resume(run, { status: "expired" })).status).toBe(409);
    const resumed = await resume(run, { status: "claimed" });
    expect(resumed.status, resumed.text).toBe(200);
    expect(resumed.body.nextStepId).not.toBe("guest_claim");
  });

  it("is resolved by the chain's state if the records have none", async () => {
    const trip = await prefund();
    const { body: run } = await start(flight(trip.tripId));
    await unheard(run, async () => {
      await claim(trip);
      await service.sql("update trip set guest_wallet = null, claimed_at = null where trip_id = $1", [trip.tripId]);
    });
    const resumed = await resume(run, { status: "claimed" });
    expect(resumed.status, resumed.text).toBe(200);
  });

  it("ends the run of a trip that expired unclaimed", async () => {
    const trip = await prefund();
    const { body: run } = await start(flight(trip.tripId));
    await service.sql("update trip set expires_at = now() - interval '1 hour' where trip_id = $1", [trip.tripId]);
    const { body } = await resume(run, { status: "expired" });
    expect(body).toMatchObject({ status: "failed", failure: { code: "claim_expired" } });
  });
});

describe("a pause that waits for tickets", () => {
  it("is resolved by a caller only in agreement with the supplier's order", async () => {
    for (const path of ["/air/orders", "/air/payments"]) {
      const fault = { fault: "ticketing_delayed", times: 1, delayMs: LATE_MILLISECONDS };
      await control("scenarios", { match: { path, method: "POST" }, ...fault });
    }
    const trip = await prefund();
    await claim(trip);
    const { body: run } = await start(flight(trip.tripId));
    expect(run).toMatchObject({ status: "paused", nextStepId: "ticketing" });
    for (const status of ["ticketed", "failed"]) {
      const refused = await resume(run, { status });
      expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
      const { detail } = refused.body;
      expect(await preview(run, { status })).toMatchObject({ problem: { code: "resolved_by_event", detail } });
    }
    expect(await read(run)).toMatchObject({ status: "paused", sessionId: run.sessionId });
    await unheard(run, async () => {
      await control("tick", { advanceSeconds: LATE_MILLISECONDS / 1_000 });
      const { orderId } = Object(run.shown);
      const ticketed = async () => requireResult(await service.call("read_order", { orderId })).ticketOrderHash;
      await expect.poll(ticketed, { timeout: 20_000 }).toMatch(/^0x/);
      // Its event is handled after the order shows it, and would store it once more.
      const heard = "select outcome from webhook_event where order_id = $1 and type = 'air.payment.succeeded'";
      await expect.poll(() => service.sql(heard, [orderId]), { timeout: 20_000 }).toEqual([{ outcome: "order read" }]);
    });
    expect((await resume(run, { status: "failed" })).status).toBe(409);
    // As if the records had missed the tickets too: the supplier is asked.
    await service.sql("update booking set ticketing = 'pending' where order_id = $1", [Object(run.shown).orderId]);
    expect(await preview(run, { status: "ticketed" })).toMatchObject({ accepted: true, problem: null });
    // A preview asks the supplier, too, but stores nothing of its answer.
    const stored = await service.sql("select ticketing from booking where order_id = $1", [Object(run.shown).orderId]);
    expect(stored).toEqual([{ ticketing: "pending" }]);
    expect(await read(run)).toMatchObject({ status: "paused", sessionId: run.sessionId });
    const resumed = await resume(run, { status: "ticketed" });
    expect(resumed.status, resumed.text).toBe(200);
    await expect.poll(() => read(run), { timeout: 20_000 }).toMatchObject({ status: "completed" });
  });
});

describe("an approval of a run", () => {
  it("that nobody gives in time ends the run as expired, and a token names the person who decides", async () => {
    const trip = await prefund("9000");
    await claim(trip);
    const { body: run } = await start(flight(trip.tripId, { cabinClass: "business" }));
    expect(run).toMatchObject({ status: "paused", nextStepId: "approval" });
    for (const approvedBy of [undefined, " ", 7]) {
      const unnamed = await resume(run, { status: "approved", approvedBy });
      expect([unnamed.status, unnamed.body.code]).toEqual([400, "invalid_input"]);
      expect(unnamed.body.issues).toMatchObject([{ path: "resolution.approvedBy" }]);
    }
    await service.sql("update workflow_pause set expires_at = now() - interval '1 second' where run_id = $1", [
      run.runId,
    ]);
    await expect
      .poll(() => read(run), { timeout: 20_000 })
      .toMatchObject({ status: "failed", failure: { code: "approval_expired" } });
  });
});

describe("the input of a run", () => {
  const problems = async (input: object, workflowId?: string) => {
    const answer = await start(input, workflowId);
    expect([answer.status, answer.body.code], answer.text).toEqual([400, "invalid_input"]);
    return Object(answer.body.issues).map(({ path }: { path: string }) => path);
  };

  it("is refused before the run begins if a tool would refuse it", async () => {
    const { tripId } = await prefund();
    const count = async () => (await service.sql("select count(*)::int as runs from workflow_run"))[0]?.runs;
    const before = await count();
    const past = "2020-01-01";
    expect(await problems(flight(tripId, { policyId: "nobodys" }))).toEqual(["input.policyId"]);
    expect(await problems(flight(tripId, { departureDate: past }))).toEqual(["input.departureDate"]);
    expect(await problems(flight(tripId, { origin: "QQQ" }))).toEqual(["input.origin"]);
    expect(await problems(flight(tripId, { destination: "LHR" }))).toEqual(["input.destination"]);
    expect(await problems(flight(tripId, { customerUserIds: ["icu_nobody"] }))).toEqual(["input.customerUserIds.0"]);
    const stay = { tripId, location: "London", checkInDate: departureDate, email: "a@example.com" };
    expect(await problems({ ...stay, checkOutDate: departureDate }, "service.book_stay")).toEqual([
      "input.checkOutDate",
    ]);
    expect(await problems({ ...stay, checkInDate: past, checkOutDate: departureDate }, "service.book_stay")).toEqual([
      "input.checkInDate",
    ]);
    expect(await count()).toBe(before);
  });

  it("that has started a run returns that run again, even if it would be refused by now", async () => {
    const { tripId } = await prefund();
    const put = await service.send("/api/travelers/user_gone", {
      method: "PUT",
      headers: { ...JSON_TYPE, authorization: `Bearer ${service.apiKey}` },
      body: JSON.stringify({
        givenName: "Gone",
        familyName: "Soon",
        email: "gone@example.com",
        phoneNumber: "+442080160508",
      }),
    });
    expect(put.status).toBe(201);
    const customer = requireResult(await service.call("ensure_flight_customer", { clerkUserId: "user_gone" }));
    const input = flight(tripId, { customerUserIds: [customer.customerUserId] });
    const once = { "idempotency-key": `gone-${tripId}` };
    const { body: run } = await start(input, "service.book_flight", once);
    expect(run).toMatchObject({ status: "paused", nextStepId: "guest_claim" });
    const headers = { authorization: `Bearer ${service.apiKey}` };
    expect((await service.send("/api/travelers/user_gone", { method: "DELETE", headers })).status).toBe(200);
    expect((await start(input)).status).toBe(400);
    expect((await start(input, "service.book_flight", once)).body).toMatchObject({ runId: run.runId });
  });
});

describe("a caller without a valid token", () => {
  it("learns about the token, and about both if it has neither", async () => {
    const bad = await ask("runs", undefined, "itk_0000000000000000000000000000000000000000");
    expect([bad.status, bad.body.code]).toEqual([401, "unauthorized"]);
    expect(bad.body.detail).toContain("internal token");
    expect(bad.body.detail).not.toMatch(/API key|ak_/);
    const neither = await ask("runs", undefined, "something");
    expect(neither.body.detail).toMatch(/internal token.*API key/);
    const keyed = await service.send("/api/usage", { headers: { authorization: "Bearer something" } });
    expect(keyed.body.detail).not.toContain("internal token");
  });
});
