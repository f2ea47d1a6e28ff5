import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { ApprovalDesk, type TestPerson } from "../../../test/support/approval-desk.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";

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

const ask = (...args: Parameters<ApprovalDesk["ask"]>) => desk.ask(...args);

test("lists as expired, and no longer as pending, whose time ran out before a decision or a use", async () => {
  const approvalId = await desk.askToPay("6");
  const list = async (state: string) => {
    const answer = await ask(`/api/approvals?state=${state}`, undefined, approver.key);
    expect(answer.status, answer.text).toBe(200);
    return z.array(z.looseObject({ approvalId: z.string(), state: z.string() })).parse(answer.body.approvals);
  };
  expect(await list("expired")).toEqual([]);
  const change = (set: string) =>
    service.sql(`update approval set ${set} where tenant_id = $1 and id = $2`, [service.tenantId, approvalId]);
  for (const state of ["pending", "approved"]) {
    await change(`state = '${state}', expires_at = now() - interval '1 minute'`);
    expect(await list("expired")).toMatchObject([{ approvalId, state: "expired" }]);
    expect((await list("pending")).map((one) => one.approvalId)).not.toContain(approvalId);
  }
  await change("state = 'rejected'");
  expect(await list("expired")).toEqual([]);
});

test("names who asked, whom it is for and who decided, and travelers only to those who may know them", async () => {
  const approvalId = await desk.askToPay("5");
  const keys = await service.operator(({ mintKey }) =>
    Promise.all(
      [["approvals:read"], ["approvals:read", "travelers:read"]].map((scopes) =>
        mintKey({ tenantId: service.tenantId, environment: "sandbox", name: "Reader", scopes, actor: "test" }),
      ),
    ),
  );
  const [narrow = "", wide = ""] = keys.map(({ apiKey }) => apiKey);
  const read = async (key: string) => (await ask(`/api/approvals/${approvalId}`, undefined, key)).body;
  const seen = await read(wide);
  expect(seen).toMatchObject({
    travelers: [{ userId: seen.travelerId, name: expect.stringMatching(/\S+ \S+/) }],
    requestedByName: expect.any(String),
    requestedForName: null,
    decidedByName: null,
  });
  expect(String(seen.requestedByName)).not.toMatch(/^(svc:|key_)/);
  expect(await read(narrow)).toMatchObject({ travelers: [{ userId: seen.travelerId, name: null }] });
  const [listed] = z
    .array(z.looseObject({ approvalId: z.string() }))
    .parse((await ask("/api/approvals", undefined, approver.key)).body.approvals);
  expect(listed).toMatchObject({ approvalId, travelers: seen.travelers, requestedByName: seen.requestedByName });
  const decided = await desk.decide(approvalId, { decision: "reject", reason: "Too dear." }, approver.key);
  expect(decided.body).toMatchObject({ decidedBy: approver.id, decidedByName: "Grace", travelers: seen.travelers });
  expect(await read(narrow)).toMatchObject({ decidedByName: "Grace" });
});
