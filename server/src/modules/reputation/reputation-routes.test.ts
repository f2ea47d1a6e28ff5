import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { type Agents, openAgents, storeTrip, type TestTenant } from "../../../test/support/agents.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { openTreasury, requireResult, type Treasury } from "../../../test/support/treasury.ts";

let service: TestService;
let treasury: Treasury;
let agents: Agents;
let rater: TestTenant;
let rated: TestTenant;
let stranger: TestTenant;
beforeAll(async () => {
  service = await openSharedService();
  treasury = openTreasury(service);
  agents = await openAgents(service, treasury);
  [rater, rated, stranger] = await Promise.all([
    agents.demo(),
    agents.newTenant("Rated"),
    agents.newTenant("Stranger"),
  ]);
});
afterAll(async () => {
  await treasury?.close();
  await service?.[Symbol.asyncDispose]();
});

async function get(path: string, { as }: TestTenant): Promise<Record<string, unknown>> {
  const answer = await service.send(path, { headers: { authorization: `Bearer ${as.key}` } });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

it("ratings are listed for who gave and who got them; the trip only for who gave them", async () => {
  const { tripId, bookingId } = await storeTrip(service, treasury.keys, rater, rated.agentId);
  const rating = { subjectAgentId: rated.agentId, stars: 4, tag: "punctual", fromKind: "org" };
  const given = requireResult(await service.call("give_feedback", { ...rating, tripId, bookingId }, rater.as));
  requireResult(await service.call("give_feedback", { ...rating, stars: 5, tag: "kind" }, rater.as));

  const own = await get("/api/reputation/feedback?limit=1", rater);
  expect(own.feedback).toMatchObject([{ agentId: rated.agentId, stars: 5, tag: "kind", tripId: null }]);
  const next = await get(`/api/reputation/feedback?limit=1&cursor=${own.nextCursor}`, rater);
  expect(next).toMatchObject({
    feedback: [{ tripId, bookingId, txHash: given.txHash, state: "confirmed", userId: expect.any(String) }],
    nextCursor: null,
  });
  const got = await get("/api/reputation/feedback?direction=received", rated);
  expect(got.feedback).toMatchObject([
    { stars: 5, tripId: null },
    { stars: 4, tripId: null, bookingId: null, userId: null, txHash: given.txHash },
  ]);
  expect((await get("/api/reputation/feedback", rated)).feedback).toEqual([]);
  expect((await get("/api/reputation/feedback?direction=received", stranger)).feedback).toEqual([]);

  const known = await get("/api/reputation/agents", rater);
  expect(known.agents).toMatchObject([
    { agentId: rater.agentId, owner: "you", average: null, count: 0 },
    { agentId: rated.agentId, owner: "tenant", average: "4.50", count: 2, given: 2 },
  ]);
  const ownAgent = await get("/api/reputation/agents", rated);
  expect(ownAgent.agents).toMatchObject([
    { owner: "you", average: "4.50", count: 2, byTag: [{ count: 1 }, { count: 1 }] },
  ]);
});

it("validations are listed for who asked, who answers, and for nobody else", async () => {
  const names = { tag: "plan", validatorAddress: rated.wallet };
  const request = { ...names, subjectAgentId: rater.agentId, ownerWalletAddress: rater.wallet };
  const { requestHash } = z
    .looseObject({ requestHash: z.string() })
    .parse(requireResult(await service.call("request_validation", request, rater.as)));
  const asked = { requestHash, state: "requested", agentId: rater.agentId, response: null };
  expect((await get("/api/reputation/validations", rater)).validations).toMatchObject([
    { ...asked, isOwn: true, isAsked: false },
  ]);
  expect((await get("/api/reputation/validations", rated)).validations).toMatchObject([
    { ...asked, isOwn: false, isAsked: true },
  ]);
  const response = { requestHash, response: 100, tag: "plan", validatorWalletAddress: rated.wallet };
  const { txHash } = requireResult(await service.call("submit_validation_response", response, rated.as));
  expect((await get("/api/reputation/validations", rater)).validations).toMatchObject([
    { requestHash, state: "answered", response: 100, responseTxHash: txHash },
  ]);
  expect((await get("/api/reputation/validations", stranger)).validations).toEqual([]);
});
