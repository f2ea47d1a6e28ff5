import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { ApprovalDesk, type TestPerson } from "../../../test/support/approval-desk.ts";
import type { CallOptions, TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { stranger } from "../../../test/support/treasury.ts";

/** An agent's key acts for travelers, but never as a person who books for others, approves or administers. */

let service: TestService;
let desk: ApprovalDesk;
let grace: TestPerson;
let olga: TestPerson;
let agent: string;
beforeAll(async () => {
  service = await openSharedService();
  await service.isFunded(service.tenantId);
  desk = new ApprovalDesk(service);
  grace = await desk.newPerson("Grace", "approver");
  olga = await desk.newPerson("Olga", "booker");
  const { keyId } = Account.parse((await service.call("read_account", {})).body.result);
  agent = `svc:${keyId}`;
  for (const userId of [grace.id, olga.id, "user_cy"]) await saveTraveler(userId);
});
beforeEach(() => desk.enforce({}));
afterAll(() => service?.[Symbol.asyncDispose]());

const Account = z.object({ keyId: z.string() });

async function saveTraveler(userId: string) {
  const profile = {
    givenName: userId.slice("user_".length),
    familyName: "Tester",
    bornOn: "1985-12-10",
    title: "ms",
    gender: "f",
    email: `${userId}@example.com`,
    phoneNumber: "+14155550123",
  };
  const answer = await desk.ask(`/api/travelers/${userId}`, profile, service.apiKey, "PUT");
  expect(answer.status, answer.text).toBeLessThan(300);
}

const send = (options: CallOptions) =>
  service.call("send_tokens", { to: stranger(), amount: "5", token: "USDC" }, options);
const read = async (approvalId: unknown) => (await desk.ask(`/api/approvals/${String(approvalId)}`)).body;
const decideAs = (person: TestPerson, approvalId: unknown) =>
  desk.decide(approvalId, { decision: "approve" }, person.key);
const waitingFor = async (person: TestPerson) =>
  z
    .array(z.object({ approvalId: z.string() }))
    .parse((await desk.ask("/api/approvals", undefined, person.key)).body.approvals)
    .map(({ approvalId }) => approvalId);

it("a rule about the booker is not evaded by naming a person, or another key, as the user", async () => {
  const allowed = [
    { booker: olga.id, travelers: "anyone" },
    { booker: "*", travelers: "self" },
  ];
  await desk.enforce({}, { flight: undefined, booking: { severity: "deny", allowed } });
  const offerId = await desk.anOffer(100);
  const { body: ensured } = await service.call("ensure_flight_customer", {
    clerkUserId: "user_cy",
    givenName: "cy",
    familyName: "Tester",
    email: "user_cy@example.com",
  });
  const { customerUserId } = z.object({ customerUserId: z.string() }).parse(ensured.result);
  const bookForCy = (options: CallOptions) =>
    service.call("book_flight", { offerId, additionalCustomerUserIds: [customerUserId] }, options);
  const { keyId: otherKey } = Account.parse((await service.call("read_account", {}, { key: olga.key })).body.result);
  for (const userId of [undefined, olga.id, `svc:${otherKey}`]) {
    const { body } = await bookForCy(userId === undefined ? {} : { userId });
    expect(body, userId).toMatchObject({ code: "policy_denied", violations: [{ rule: "booking.allowed" }] });
    expect(JSON.stringify(body.violations)).toContain(agent);
  }
  // A traveler is a user like any other: the agent may book in the traveler's name.
  const forHerself = await service.call(
    "preview_call",
    { tool: "book_flight", args: { offerId } },
    { userId: "user_cy" },
  );
  expect(forHerself.body.result, forHerself.text).toMatchObject({ problem: null });
  const booked = await bookForCy({ key: olga.key });
  expect(booked.status, booked.text).toBe(200);
});

it("an approval names the requesting key and the user, and the named person can decide it", async () => {
  const { body } = await send({ userId: grace.id });
  expect(body.code).toBe("approval_required");
  const { approvalId } = body;
  expect(await read(approvalId)).toMatchObject({ requestedBy: agent, requestedByKey: agent, requestedFor: grace.id });
  const link = new URL(await desk.findLink(approvalId, grace));
  const proof = { personId: grace.id, linkSecret: link.hash.slice(1) };
  const view = await desk.ask(`/api/approval-links/${String(approvalId)}/view`, proof);
  expect(view.body).toMatchObject({ isAgents: true, requestedByKey: agent, requestedFor: "grace Tester" });
  expect((await decideAs(grace, approvalId)).status).toBe(200);
  const audit = await service.sql(
    "select actor, details from audit_log where tenant_id = $1 and subject_id = $2 and action = 'approval.request'",
    [service.tenantId, approvalId],
  );
  expect(audit).toMatchObject([
    { actor: agent, details: { keyId: agent.slice("svc:".length), evidence: { askedForUserId: grace.id } } },
  ]);
  // A request in a traveler's name also names the key.
  const asked = (await send({ userId: "user_cy" })).body;
  expect(await read(asked.approvalId)).toMatchObject({ requestedBy: "user_cy", requestedByKey: agent });
});

it("nobody approves what their own key asked for in somebody else's name", async () => {
  const own = await service.operator(({ mintKey }) =>
    mintKey({
      ...{ tenantId: service.tenantId, environment: "sandbox", personId: grace.id },
      ...{ scopes: ["*", "approvals:decide"], actor: "test" },
    }),
  );
  const { approvalId, code } = (await send({ userId: "user_cy", key: own.apiKey })).body;
  expect(code).toBe("approval_required");
  expect(await read(approvalId)).toMatchObject({ requestedBy: "user_cy", requestedByKey: `svc:${own.key.id}` });
  const refused = await desk.decide(approvalId, { decision: "approve" }, own.apiKey);
  expect(refused.body).toMatchObject({ code: "may_not_decide", detail: expect.stringContaining("yourself") });
  expect((await decideAs(grace, approvalId)).body.code).toBe("may_not_decide");
  const ida = await desk.newPerson("Ida", "approver");
  expect((await decideAs(ida, approvalId)).status).toBe(200);
});

it("nobody approves their own trip, whoever asked for it", async () => {
  const ada = await desk.newPerson("Ada", "approver");
  const offerId = await desk.anOffer(101);
  const { body } = await service.call("book_flight", { offerId }, { userId: grace.id });
  expect(body.code).toBe("approval_required");
  const { approvalId } = body;
  expect(await waitingFor(grace)).not.toContain(approvalId);
  expect(await waitingFor(ada)).toContain(approvalId);
  const refused = await decideAs(grace, approvalId);
  expect(refused.body).toMatchObject({ code: "may_not_decide", detail: expect.stringContaining("their own trip") });
  expect((await decideAs(ada, approvalId)).status).toBe(200);
  const booked = await service.call("book_flight", { offerId }, { userId: grace.id });
  expect(booked.status, booked.text).toBe(200);
});
