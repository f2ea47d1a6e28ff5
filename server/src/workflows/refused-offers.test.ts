import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { ApprovalDesk, day, type TestPerson } from "../../test/support/approval-desk.ts";
import type { TestService } from "../../test/support/service.ts";
import { openSharedService } from "../../test/support/shared-service.ts";
import { requireResult } from "../../test/support/treasury.ts";

const Allowed = z.object({ allowed: z.boolean(), penaltyAmount: z.string().nullish() }).nullish();
const Terms = z.object({
  offer: z.object({
    refundable: z.boolean().nullish(),
    refundPenaltyAmount: z.string().nullish(),
    changeable: z.boolean().nullish(),
    conditions: z.object({ refundBeforeDeparture: Allowed, changeBeforeDeparture: Allowed }).nullish(),
  }),
});

/** How a run treats offers that a policy or a person has refused. */

let service: TestService;
let desk: ApprovalDesk;
let approver: TestPerson;
beforeAll(async () => {
  service = await openSharedService();
  await service.isFunded(service.tenantId);
  desk = new ApprovalDesk(service);
  approver = await desk.newPerson("Grace", "approver");
});
afterAll(() => service?.[Symbol.asyncDispose]());

const call = async (tool: string, args: object) => requireResult(await service.call(tool, args));

async function run(days: number, more: object = {}) {
  const { tripId, guestLink, codeNonce } = await call("prefund_trip", { budgetUsdc: "3000" });
  await call("guest_claim_link", { guestLink, codeNonce, guestWallet: `0x${randomBytes(20).toString("hex")}` });
  const input = { tripId, origin: "LHR", destination: "JFK", departureDate: day(days), acceptOverlap: true, ...more };
  const { runId } = await call("run_workflow", { workflowId: "service.book_flight", input });
  const read = () => call("read_run", { runId });
  await expect.poll(async () => (await read()).status, { timeout: 30_000 }).not.toBe("running");
  return { ended: await read(), read };
}

it("names the policy that denied every offer, also if it is the one that the tenant enforces", async () => {
  const deny = { maxPrice: { default: 1, severity: "deny" } };
  await desk.enforce({}, { flight: deny, payments: undefined });
  expect((await run(130)).ended).toMatchObject({
    status: "failed",
    failure: { code: "policy_denied", detail: expect.stringMatching(/^The policy approving denies/) },
  });
});

it("continues with another flight if a person has rejected the first one before", async () => {
  await desk.enforce({}, { payments: undefined });
  const Shown = z.looseObject({ approvalId: z.string() });
  const first = await run(131);
  expect(first.ended).toMatchObject({ status: "paused", nextStepId: "approval" });
  const { approvalId } = Shown.parse(first.ended.shown);
  const rejected = await desk.decide(approvalId, { decision: "reject", reason: "Too early." }, approver.key);
  expect(rejected.status, rejected.text).toBe(200);
  await expect.poll(async () => (await first.read()).status, { timeout: 30_000 }).toBe("failed");
  const { ended: second } = await run(131);
  expect(second).toMatchObject({ status: "paused", nextStepId: "approval" });
  expect(Shown.parse(second.shown).approvalId).not.toBe(approvalId);
});

it("buys only a fare as it was wished for, and nothing if there is none", async () => {
  await desk.enforce({}, { payments: undefined });
  const { ended: none } = await run(133, { fare: { mostUsdc: "1.00" } });
  expect(none).toMatchObject({ status: "failed", failure: { code: "no_fare_as_wished" } });
  expect(JSON.stringify(none)).toMatch(/The cheapest fare that meets the other requirements costs [\d.]+ USDC/);
  const { ended: free } = await run(133, { fare: { fullyRefundable: true } });
  // The sandbox has fares with a fee and without one; what was chosen has none.
  expect(free).toMatchObject({ status: "paused", nextStepId: "approval" });
  const chosen = Terms.parse(free.shown).offer;
  expect(Number(chosen.refundPenaltyAmount ?? chosen.conditions?.refundBeforeDeparture?.penaltyAmount ?? "1")).toBe(0);
  const { ended } = await run(133, { fare: { refundable: true, changeable: true, checkedBags: 1, mostUsdc: "3000" } });
  expect(ended).toMatchObject({ status: "paused", nextStepId: "approval" });
  const { refundable, changeable, conditions } = Terms.parse(ended.shown).offer;
  expect([
    refundable ?? conditions?.refundBeforeDeparture?.allowed,
    changeable ?? conditions?.changeBeforeDeparture?.allowed,
  ]).toEqual([true, true]);
});
