import { afterAll, beforeAll, expect, it } from "vitest";
import { ApprovalDesk, type TestPerson } from "../../../test/support/approval-desk.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult, stranger } from "../../../test/support/treasury.ts";

/** An agent learns of its approvals without a person's key. */

let service: TestService;
let desk: ApprovalDesk;
let approver: TestPerson;
beforeAll(async () => {
  service = await openSharedService();
  await service.isFunded(service.tenantId);
  desk = new ApprovalDesk(service);
  approver = await desk.newPerson("Grace", "approver");
  await desk.enforce({});
});
afterAll(() => service?.[Symbol.asyncDispose]());

const read = async (args: object = {}, as: object = {}) => requireResult(await service.call("read_approval", args, as));
const send = (as: object = {}) => service.call("send_tokens", { to: stranger(), amount: "5", token: "USDC" }, as);

it("the refusal names who decides, and the decision is named by the approval and the order", async () => {
  expect((await read()).approval).toBeNull();
  const offerId = await desk.anOffer(83);
  const { body } = await service.call("book_flight", { offerId });
  expect(body).toMatchObject({
    code: "approval_required",
    role: "approver",
    deciders: expect.arrayContaining([{ userId: approver.id, name: "Grace" }]),
    detail: expect.stringContaining("A person with the role approver or admin decides; see deciders."),
  });
  // The detail is kept with failed calls, which name nobody.
  expect(body.detail).not.toContain("Grace");
  const { approvalId } = body;
  expect(await read({ approvalId })).toMatchObject({
    approval: { approvalId, state: "pending", evidence: { bought: { kind: "flight" } } },
    deciders: body.deciders,
    decidedByName: null,
    next: expect.stringContaining("/docs/approvals"),
  });
  const { approvals } = requireResult(await service.call("list_approvals", {}));
  expect(approvals).toMatchObject([{ approvalId, state: "pending", tool: "book_flight" }]);

  await desk.decide(approvalId, { decision: "approve", reason: "The client pays." }, approver.key);
  expect(await read({ approvalId })).toMatchObject({ deciders: [], next: expect.stringContaining("same call again") });
  const { orderId } = Object(requireResult(await service.call("book_flight", { offerId })));
  expect(requireResult(await service.call("read_order", { orderId })).approval).toMatchObject({
    ...{ approvalId, decidedBy: approver.id, decidedByName: "Grace", reason: "The client pays." },
  });
  expect(await read()).toMatchObject({
    approval: { approvalId, state: "used", reason: "The client pays." },
    decidedByName: "Grace",
  });
});

it("names who travels, and what the preview warned of", async () => {
  const profile = { familyName: "Hart", bornOn: "1988-02-03", title: "ms", gender: "f", phoneNumber: "+442080160509" };
  const person = { userId: "carol", givenName: "Carol", email: "carol.hart@example.com", ...profile };
  requireResult(await service.call("save_traveler", person));
  const { customerUserId } = requireResult(await service.call("ensure_flight_customer", { clerkUserId: "carol" }));
  const args = { offerId: await desk.anOffer(84), additionalCustomerUserIds: [customerUserId] };
  const { warnings } = requireResult(await service.call("preview_call", { tool: "book_flight", args }));
  expect(warnings).toEqual([expect.stringContaining("has no passport in the profile")]);
  const { approvalId } = (await service.call("book_flight", args)).body;
  expect((await read({ approvalId })).approval).toMatchObject({
    travelerId: "carol",
    travelerIds: ["carol"],
    evidence: { warnings },
  });
});

it("the refusal says that nobody may decide", async () => {
  await desk.enforce({ role: "finance" });
  // An approver does not decide for finance.
  const { body } = await send();
  expect(body).toMatchObject({ code: "approval_required", deciders: [] });
  expect(body.detail).toContain(`npm run user -- add --tenant ${service.tenantId} --roles finance`);
  const { id: userId } = await desk.newPerson("Linus", "finance");
  expect((await send()).body.deciders).toEqual([{ userId, name: "Linus" }]);
  await desk.enforce({});
});

it("an approval is read by its own tenant only", async () => {
  const { approvalId } = (await send()).body;
  const { apiKey: key, tenant } = await service.operator((identity) =>
    identity.createTenant({ name: "Other", monthlyCapMicroUsdc: 1_000_000n, actor: "test" }),
  );
  const other = { key, tenantId: tenant.id };
  expect((await service.call("read_approval", { approvalId }, other)).body.code).toBe("approval_not_found");
  expect(requireResult(await service.call("list_approvals", {}, other)).approvals).toEqual([]);
  expect((await read({}, other)).approval).toBeNull();
});
