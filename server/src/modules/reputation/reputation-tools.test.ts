import { createHash } from "node:crypto";
import { parseEventLogs } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Agents, openAgents, storeTrip, type TestTenant } from "../../../test/support/agents.ts";
import { sendMcp } from "../../../test/support/mcp.ts";
import { type Buyer, createBuyer } from "../../../test/support/paid.ts";
import { isSignedBy, type TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { openTreasury, requireResult, type Treasury } from "../../../test/support/treasury.ts";
import { reputationRegistryAbi } from "../../generated/contracts/reputation-registry.ts";

/** Ratings of agents on a started product, over dispatch, MCP and the paid surface; the registry is read by viem. */
let service: TestService;
let treasury: Treasury;
let agents: Agents;
let demo: TestTenant;
let subject: TestTenant;
let other: TestTenant;
let buyer: Buyer;
beforeAll(async () => {
  service = await openSharedService();
  treasury = openTreasury(service);
  agents = await openAgents(service, treasury);
  [demo, subject, other] = await Promise.all([agents.demo(), agents.newTenant("Subject"), agents.newTenant("Other")]);
  buyer = createBuyer(service);
});
afterAll(async () => {
  await treasury?.close();
  await service?.[Symbol.asyncDispose]();
});

const Rated = z.object({
  txHash: z.templateLiteral(["0x", z.string()]),
  raterAddress: z.string(),
  feedbackHash: z.string(),
});
const Reputation = z.object({
  agentId: z.string().nullable(),
  agentName: z.string().nullable(),
  owner: z.string().nullable(),
  ownerAddress: z.string().nullable(),
  average: z.string().nullable(),
  count: z.number(),
  byTag: z.array(z.object({ tag: z.string(), average: z.string(), count: z.number() })),
  recent: z.array(z.looseObject({ stars: z.number(), tag: z.string(), txHash: z.string() })),
});

const rating = (change: object = {}) => ({
  subjectAgentId: subject.agentId,
  stars: 4,
  tag: "punctual",
  fromKind: "org",
  ...change,
});
const rate = (change: object = {}, as: object = demo.as) => service.call("give_feedback", rating(change), as);
const read = async (args: object = {}, as: object = demo.as) =>
  Reputation.parse(requireResult(await service.call("read_reputation", args, as)));
const outcome = ({ status, body }: { status: number; body: Record<string, unknown> }) => [status, body.code];
const usage = () => service.sql("select 1 from usage_record where tool = 'give_feedback'");

describe("agents", () => {
  it("are registered for every tenant by its own treasury; the first is the operator's", async () => {
    for (const { agentId, wallet } of [demo, subject, other]) {
      expect((await agents.readOwner(agentId)).toLowerCase()).toBe(wallet);
    }
    expect(new Set([demo.agentId, subject.agentId, other.agentId, "1"]).size).toBe(4);
    const { address } = await treasury.keys.wallet("sandbox", "relayer");
    expect((await agents.readOwner("1")).toLowerCase()).toBe(address);
  });
});

describe("give_feedback", () => {
  it("puts the rating into the registry in the tenant's name, with a verifiable hash", async () => {
    const evidenceUri = "https://example.com/Review?id=1";
    const answer = await rate({ tag: "0xAB first", stars: 3, evidenceUri });
    const result = requireResult(answer);
    expect(result).toMatchObject({
      source: "embedded-devnet",
      sandbox: true,
      chainId: 5_042_002,
      status: "confirmed",
      agentId: subject.agentId,
      stars: 3,
      tag: "0xAB first",
      fromKind: "org",
      tripId: null,
      bookingId: null,
      evidenceUri,
      raterAddress: demo.wallet,
      raterAgentId: demo.agentId,
    });
    expect(isSignedBy(answer, service.signingSecret)).toBe(true);
    const { txHash, feedbackHash } = Rated.parse(result);
    const content = [
      ["agentId", subject.agentId],
      ["bookingId", null],
      ["chainId", 5_042_002],
      ["evidenceUri", evidenceUri],
      ["fromKind", "org"],
      ["raterAddress", demo.wallet],
      ["stars", 3],
      ["tag", "0xAB first"],
      ["tripId", null],
    ];
    const text = JSON.stringify(Object.fromEntries(content));
    expect(feedbackHash).toBe(`0x${createHash("sha256").update(text).digest("hex")}`);
    const receipt = await treasury.client.getTransactionReceipt({ hash: txHash });
    const [event] = parseEventLogs({ abi: reputationRegistryAbi, eventName: "NewFeedback", logs: receipt.logs });
    expect(event?.args).toMatchObject({
      agentId: BigInt(subject.agentId),
      value: 3n,
      valueDecimals: 0,
      tag1: "0xAB first",
      feedbackURI: evidenceUri,
      feedbackHash,
    });
    expect(event?.args.clientAddress.toLowerCase()).toBe(demo.wallet);
  });

  it("answers the same call with the first rating, charged once, and refuses a different one", async () => {
    const before = await usage();
    const first = await rate({ tag: "again" });
    const again = await rate({ tag: "again" });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(requireResult(again)).toEqual(requireResult(first));
    expect(await usage()).toHaveLength(before.length + 1);
    const { txHash } = Rated.parse(requireResult(first));
    for (const change of [{ stars: 1 }, { evidenceUri: "ipfs://other" }]) {
      const refused = await rate({ tag: "again", ...change });
      expect(outcome(refused)).toEqual([500, "already_rated"]);
      expect(refused.body).toMatchObject({ txHash, stars: 4, tag: "again", retryable: false });
    }
    expect(await usage()).toHaveLength(before.length + 1);
    const onChain = await agents.readRatings(subject.agentId, demo.wallet);
    expect(onChain.filter(({ tag }) => tag === "again")).toHaveLength(1);
  });

  it("makes one rating of sixteen at once, equal or not", async () => {
    const same = await Promise.all(Array.from({ length: 16 }, () => rate({ tag: "at once" })));
    expect(new Set(same.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(same.map((answer) => Rated.parse(requireResult(answer)).txHash)).size).toBe(1);
    const different = await Promise.all(
      Array.from({ length: 16 }, (_, index) => rate({ tag: "differently", stars: 1 + (index % 5) })),
    );
    const rated = different.filter(({ status }) => status === 200);
    const [winner] = rated;
    if (winner === undefined) throw new Error("nobody won");
    const { txHash, stars } = z.object({ txHash: z.string(), stars: z.number() }).parse(requireResult(winner));
    expect(rated.every((answer) => requireResult(answer).txHash === txHash)).toBe(true);
    const refused = different.filter(({ status }) => status !== 200);
    // Three or four of sixteen agree with the winner.
    expect(refused.length).toBeGreaterThanOrEqual(12);
    for (const answer of refused) {
      expect(outcome(answer)).toEqual([500, "already_rated"]);
      expect(answer.body).toMatchObject({ txHash, stars });
    }
    const onChain = await agents.readRatings(subject.agentId, demo.wallet);
    expect(onChain.filter(({ tag }) => tag === "at once")).toHaveLength(1);
    expect(onChain.filter(({ tag }) => tag === "differently").map((one) => one.stars)).toEqual([stars]);
  });

  it("is one per booking, one per trip, and separate for tenant and users", async () => {
    const { tripId, bookingId } = await storeTrip(service, treasury.keys, demo, subject.agentId);
    const booked = await rate({ bookingId: bookingId.toUpperCase().replace("0X", "0x"), tag: "booked" });
    expect(requireResult(booked)).toMatchObject({ tripId, bookingId });
    expect(requireResult(await rate({ bookingId, tripId, tag: "booked" }))).toEqual(requireResult(booked));
    for (const change of [{ tag: "other" }, { tag: "booked", subjectAgentId: other.agentId }, { stars: 5 }]) {
      expect(outcome(await rate({ bookingId, ...change }))).toEqual([500, "already_rated"]);
    }
    const trip = await rate({ tripId, tag: "booked" });
    expect(requireResult(trip)).toMatchObject({ tripId, bookingId: null });
    expect(outcome(await rate({ tripId, tag: "other" }))).toEqual([500, "already_rated"]);
    const user = { fromKind: "user", fromUserId: "user_demo" };
    const byUser = await rate({ bookingId, tag: "booked", ...user });
    expect(byUser.status, byUser.text).toBe(200);
    const { as } = demo;
    const byCaller = await rate({ bookingId, tag: "booked", fromKind: "user" }, { ...as, userId: "user_demo" });
    expect(requireResult(byCaller)).toEqual(requireResult(byUser));
    // The key's own user is a different one.
    expect((await rate({ bookingId, tag: "booked", fromKind: "user" })).status).toBe(200);
    const given = [booked, trip, byUser].map((answer) => requireResult(answer).txHash);
    expect(new Set(given).size).toBe(3);
  });

  it("is about an agent that took part in the booking: the trip's, the vendor's or the operator's", async () => {
    const newcomer = await agents.newTenant("Took part");
    const { bookingId } = await storeTrip(service, treasury.keys, demo, subject.agentId);
    const by = (subjectAgentId: string, change: object = {}) =>
      rate({ bookingId, subjectAgentId, tag: "took part", ...change });
    expect(outcome(await by(newcomer.agentId))).toEqual([500, "agent_not_involved"]);
    await service.sql("update escrow_booking set vendor = $2 where booking_id = $1", [bookingId, newcomer.wallet]);
    expect((await by(newcomer.agentId)).status).toBe(200);
    const user = { fromKind: "user", fromUserId: "user_demo" };
    expect((await by("1", user)).status).toBe(200);
    // Without a booking any other agent can be rated.
    const { tripId } = await storeTrip(service, treasury.keys, demo, subject.agentId);
    expect((await rate({ tripId, subjectAgentId: newcomer.agentId, tag: "took part" })).status).toBe(200);
  });

  it("refuses other tenants' records, its own agent, and unknown agents", async () => {
    const before = [await usage(), await service.sql("select 1 from feedback")];
    const { tripId, bookingId } = await storeTrip(service, treasury.keys, other);
    const own = await storeTrip(service, treasury.keys, demo);
    const cases: [object, number, string][] = [
      [{ subjectAgentId: demo.agentId }, 500, "own_agent"],
      [{ subjectAgentId: `00${demo.agentId}` }, 500, "own_agent"],
      [{ subjectAgentId: "0" }, 500, "agent_not_found"],
      [{ subjectAgentId: "4000000000" }, 500, "agent_not_found"],
      [{ subjectAgentId: "9".repeat(150) }, 500, "agent_not_found"],
      [{ subjectAgentId: "9".repeat(5_000) }, 400, "invalid_input"],
      [{ tripId }, 500, "trip_not_found"],
      [{ bookingId }, 500, "booking_not_found"],
      [{ tripId: own.tripId, bookingId }, 500, "booking_not_found"],
      [{ tripId, bookingId: own.bookingId }, 500, "trip_not_found"],
      [{ tripId: own.bookingId }, 500, "trip_not_found"],
      [{ tripId: "trip-1" }, 400, "invalid_input"],
      [{ bookingId: "0x12" }, 400, "invalid_input"],
      [{ fromTenantId: other.tenantId }, 404, "tenant_not_found"],
      [{ fromKind: "user", fromUserId: "nobody" }, 500, "user_not_found"],
      [{ fromKind: "user", fromUserId: "svc:other" }, 500, "user_not_found"],
      [{ stars: 0 }, 400, "invalid_input"],
      [{ stars: 6 }, 400, "invalid_input"],
      [{ stars: 4.5 }, 400, "invalid_input"],
      [{ tag: "a\u0000" }, 400, "invalid_input"],
      [{ evidenceUri: "javascript:alert(1)" }, 400, "invalid_input"],
    ];
    for (const [change, status, code] of cases) {
      expect(outcome(await rate({ tag: "refused", ...change })), JSON.stringify(change).slice(0, 80)).toEqual([
        status,
        code,
      ]);
    }
    // The caller's own trip refers to someone else's booking.
    const two = await storeTrip(service, treasury.keys, demo);
    expect(outcome(await rate({ tripId: own.tripId, bookingId: two.bookingId }))).toEqual([500, "booking_not_found"]);
    expect([await usage(), await service.sql("select 1 from feedback")]).toEqual(before);
    expect((await rate({ tag: "own tenant named", fromTenantId: demo.tenantId })).status).toBe(200);
  });

  it("needs a key with the scope", async () => {
    const { body, status } = await buyer.pay("give_feedback", rating({ tag: "paid" }));
    expect([status, body.code]).toEqual([401, "unauthorized"]);
    const { apiKey: key } = await service.operator((identity) =>
      identity.mintKey({
        tenantId: demo.tenantId,
        environment: "sandbox",
        scopes: ["reputation:read"],
        actor: "test",
      }),
    );
    expect(outcome(await rate({ tag: "scoped" }, { ...demo.as, key }))).toEqual([403, "missing_scope"]);
  });
});

describe("read_reputation", () => {
  it("agrees with the registry", async () => {
    const stars = [5, 4, 4, 1];
    for (const [index, count] of stars.entries()) {
      const given = await rate(
        { subjectAgentId: other.agentId, tag: index < 3 ? `t${index % 2}` : "t9", stars: count },
        [demo, demo, subject, subject][index]?.as,
      );
      expect(given.status, given.text).toBe(200);
    }
    const onChain = await agents.readRatings(other.agentId);
    const reputation = await read({ agentId: other.agentId });
    const sum = onChain.reduce((total, one) => total + one.stars, 0);
    expect(onChain.every(({ decimals, isRevoked }) => decimals === 0 && !isRevoked)).toBe(true);
    expect(reputation).toMatchObject({ agentId: other.agentId, count: onChain.length });
    expect(reputation.average).toBe((sum / onChain.length).toFixed(2));
    for (const { tag, count, average } of reputation.byTag) {
      const ofTag = onChain.filter((one) => one.tag === tag);
      expect(count).toBe(ofTag.length);
      expect(average).toBe((ofTag.reduce((total, one) => total + one.stars, 0) / ofTag.length).toFixed(2));
    }
    expect(reputation.byTag.reduce((total, one) => total + one.count, 0)).toBe(onChain.length);
    expect(reputation).toMatchObject({ count: 4, average: "3.50" });
    expect(reputation.recent.map((one) => one.stars)).toEqual(stars.toReversed());
    for (const { txHash } of reputation.recent) {
      const hash = z.templateLiteral(["0x", z.string()]).parse(txHash);
      expect((await treasury.client.getTransactionReceipt({ hash })).status).toBe("success");
    }
    expect((await read({ agentId: other.agentId, recentLimit: 1 })).recent).toHaveLength(1);
    expect((await read({ agentId: other.agentId, recentLimit: 0 })).recent).toEqual([]);
  });

  it("shows the own agent by default, and zeros for an unrated one", async () => {
    expect(await read({}, other.as)).toEqual(await read({ agentId: other.agentId }, other.as));
    expect(await read({}, other.as)).toMatchObject({ owner: "you", ownerAddress: other.wallet });
    expect(await read({ agentId: other.agentId })).toMatchObject({ owner: "tenant", ownerAddress: other.wallet });
    expect(await read({ agentId: "1" })).toMatchObject({
      owner: "operator",
      agentName: expect.stringContaining("operator"),
    });
    expect(await read({ tenantId: other.tenantId }, other.as)).toEqual(await read({}, other.as));
    const unrated = await agents.newTenant("Unrated");
    expect(await read({}, unrated.as)).toEqual({
      agentId: unrated.agentId,
      agentName: "Your own agent",
      owner: "you",
      ownerAddress: unrated.wallet,
      average: null,
      count: 0,
      byTag: [],
      recent: [],
    });
    for (const agentId of ["0", "4000000000", "9".repeat(90)]) {
      expect(outcome(await service.call("read_reputation", { agentId }))).toEqual([500, "agent_not_found"]);
    }
  });

  it("shows trips and bookings to their tenant only", async () => {
    const { tripId, bookingId } = await storeTrip(service, treasury.keys, demo, subject.agentId);
    const args = { agentId: subject.agentId, recentLimit: 1 };
    const given = await rate({ bookingId, tag: "private" });
    expect(given.status, given.text).toBe(200);
    const [own] = (await read(args)).recent;
    expect(own).toMatchObject({ tag: "private", tripId, bookingId });
    const bought = await buyer.buy("read_reputation", args);
    for (const seen of [await service.call("read_reputation", args, subject.as), bought]) {
      const [recent] = Reputation.parse(requireResult(seen)).recent;
      expect(recent).toMatchObject({ tag: "private" });
      expect(recent).not.toHaveProperty("tripId");
      expect(recent).not.toHaveProperty("bookingId");
      expect(seen.text).not.toContain(bookingId.slice(2));
    }
  });

  it("shows the ratings by a user, of the own users only", async () => {
    const user = { fromKind: "user", fromUserId: "user_demo" };
    const before = await read({ userId: "user_demo" });
    for (const subjectAgentId of [subject.agentId, other.agentId]) {
      expect((await rate({ ...user, subjectAgentId, tag: "as a user" })).status).toBe(200);
    }
    expect((await rate({ tag: "as a tenant", fromUserId: "user_demo" })).status).toBe(200);
    const after = await read({ userId: "user_demo" });
    expect([after.agentId, after.count]).toEqual([null, before.count + 2]);
    expect(after.recent.slice(0, 2)).toMatchObject([
      { agentId: other.agentId, tag: "as a user" },
      { agentId: subject.agentId, tag: "as a user" },
    ]);
    const ofOne = await read({ userId: "user_demo", agentId: other.agentId });
    expect(ofOne.recent.map(({ tag }) => tag)).toEqual(["as a user"]);
    const asked = (args: object, as: object) => service.call("read_reputation", args, as).then(outcome);
    expect(await asked({ userId: "user_demo" }, other.as)).toEqual([500, "user_not_found"]);
    expect(await asked({ tenantId: demo.tenantId }, other.as)).toEqual([404, "tenant_not_found"]);
  });

  it("is sold without a key for an agent's number, and not for a tenant's records", async () => {
    const bought = await buyer.buy("read_reputation", { agentId: other.agentId });
    expect(bought.status, bought.text).toBe(200);
    expect(bought.body).toMatchObject({ paid: true, priceUsdc: "0.0005" });
    expect(Reputation.parse(requireResult(bought))).toEqual(await read({ agentId: other.agentId }, demo.as));
    const balance = await buyer.readBalance(buyer.address);
    const refused = [{}, { tenantId: demo.tenantId }, { userId: "user_demo", agentId: other.agentId }];
    for (const args of refused) {
      const answer = await buyer.pay("read_reputation", args);
      expect(outcome(answer), JSON.stringify(args)).toEqual([400, "invalid_input"]);
    }
    expect(await buyer.readBalance(buyer.address)).toBe(balance);
    expect(await service.sql("select 1 from wallet where tenant_id like 'payer:%'")).toEqual([]);
  });

  it("and give_feedback are the same tools over MCP", async () => {
    const call = async (name: string, args: object) => {
      const answer = await sendMcp(service, "tools/call", { name, arguments: args });
      return z
        .object({
          result: z.object({ isError: z.boolean().optional(), structuredContent: z.looseObject({}).optional() }),
        })
        .parse(answer.body).result;
    };
    const rated = await call("give_feedback", rating({ tag: "over MCP" }));
    expect(rated.isError).not.toBe(true);
    expect(rated.structuredContent).toMatchObject({ tag: "over MCP", status: "confirmed" });
    const reputation = await call("read_reputation", { agentId: subject.agentId });
    expect(Reputation.parse(reputation.structuredContent)).toEqual(await read({ agentId: subject.agentId }));
    expect((await call("give_feedback", rating({ tag: "over MCP", stars: 1 }))).isError).toBe(true);
  });
});
