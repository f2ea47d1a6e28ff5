import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, isSignedBy, startTestService, type TestService } from "../../../test/support/service.ts";

const PER_MINUTE = 60;
const WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const OTHER_WALLET = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ CLAIMS_PER_MINUTE: String(PER_MINUTE) });
  await service.isFunded(service.tenantId);
});
afterAll(() => service[Symbol.asyncDispose]());

interface Prefunded {
  tripId: string;
  linkSecret: string;
  claimCode: string;
}

async function prefund(args: Record<string, unknown> = {}): Promise<Prefunded> {
  const answer = await service.call("prefund_trip", { budgetUsdc: "12.5", require2fa: true, ...args });
  expect(answer.status, answer.text).toBe(200);
  const { tripId, guestLink, claimCode } = Object(answer.body.result);
  return { tripId, linkSecret: new URL(guestLink).hash.slice(1), claimCode };
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  service.send(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const view = (tripId: string, body: unknown) => post(`/api/claims/${tripId}/view`, body);
const claim = (tripId: string, body: unknown) => post(`/api/claims/${tripId}`, body);
const usage = async () => Number((await service.sql("select count(*) from usage_record"))[0]?.count ?? Number.NaN);

describe("a viewed trip", () => {
  test("is shown to the holder of its link, as far as it concerns a guest, by a signed answer that is not cached", async () => {
    const trip = await prefund({ buyerName: "Bob\u202e", guestName: "Ada", tripSummary: "Two\u2028nights" });
    const answer = await view(trip.tripId.toUpperCase().replace("0X", "0x"), { linkSecret: trip.linkSecret });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toEqual({
      tripId: trip.tripId,
      state: "open",
      budgetUsdc: "12.50",
      expiresAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/),
      buyerName: "Bob",
      guestName: "Ada",
      tripSummary: "Two\nnights",
      requiresCode: true,
      codesLeft: 5,
      guestWallet: null,
      claimedAt: null,
      travelerMissing: ["givenName", "familyName", "bornOn", "title", "gender", "email", "phoneNumber"],
      txHash: null,
      chainId: 5042002,
      sandbox: true,
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    expect(answer.headers.get("x-service-sig")).toMatch(/^t=\d+,v1=/);
    // The tenant's own secret signs the tenant's answers.
    expect(isSignedBy(answer, service.signingSecret)).toBe(false);
  });

  test("does not reveal its existence without its link", async () => {
    const [trip, other] = [await prefund(), await prefund()];
    const answers = [
      await view(trip.tripId, { linkSecret: other.linkSecret }),
      await view(trip.tripId, { linkSecret: "" }),
      await view(`0x${"1".repeat(64)}`, { linkSecret: trip.linkSecret }),
      await view("0x12", { linkSecret: trip.linkSecret }),
      await claim(trip.tripId, { linkSecret: other.linkSecret, guestWallet: WALLET, claimCode: trip.claimCode }),
    ];
    for (const { status, body } of answers) {
      expect({ ...body, traceId: "" }).toEqual({ ...answers[0]?.body, traceId: "" });
      expect([status, body.code, body.retryable]).toEqual([404, "not_found", false]);
    }
    const { body } = await view(trip.tripId, { linkSecret: trip.linkSecret });
    expect(body.codesLeft).toBe(5);
  });
});

describe("a claim", () => {
  test("counts wrong codes and says why, is done once, answers repetitions alike, and is free", async () => {
    const trip = await prefund();
    const charged = await usage();
    const link = { linkSecret: trip.linkSecret, guestWallet: WALLET };
    const missing = await claim(trip.tripId, link);
    expect([missing.status, missing.body]).toEqual([
      409,
      expect.objectContaining({ code: "conflict", reason: "claim_code_required", retryable: false }),
    ]);
    const wrong = await claim(trip.tripId, { ...link, claimCode: trip.claimCode === "111111" ? "222222" : "111111" });
    expect([wrong.status, wrong.body]).toEqual([
      409,
      expect.objectContaining({ reason: "claim_code_wrong", attemptsLeft: 4 }),
    ]);
    const right = await claim(trip.tripId, { ...link, claimCode: trip.claimCode });
    expect([right.status, right.body]).toEqual([
      200,
      {
        tripId: trip.tripId,
        guestWallet: WALLET.toLowerCase(),
        claimedAt: expect.any(String),
        txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        chainId: 5042002,
        status: "confirmed",
      },
    ]);
    const again = await claim(trip.tripId, { ...link, claimCode: trip.claimCode });
    expect([again.status, again.body]).toEqual([200, right.body]);
    const other = await claim(trip.tripId, { ...link, guestWallet: OTHER_WALLET, claimCode: trip.claimCode });
    expect([other.status, other.body.reason]).toEqual([409, "already_claimed"]);
    const seen = await view(trip.tripId, { linkSecret: trip.linkSecret });
    expect(seen.body).toMatchObject({
      state: "claimed",
      guestWallet: WALLET.toLowerCase(),
      claimedAt: right.body.claimedAt,
      txHash: right.body.txHash,
    });
    expect(await usage()).toBe(charged);
  });

  test("of an expired trip is refused with its reason, and the trip says so itself", async () => {
    const trip = await prefund();
    await service.sql("update trip set expires_at = now() - interval '1 second' where trip_id = $1", [trip.tripId]);
    const { linkSecret, claimCode } = trip;
    const late = await claim(trip.tripId, { linkSecret, claimCode, guestWallet: WALLET });
    expect([late.status, late.body.reason]).toEqual([409, "trip_expired"]);
    expect((await view(trip.tripId, { linkSecret })).body.state).toBe("expired");
  });

  test("of a closed trip is refused with its reason, and the trip says so itself", async () => {
    const trip = await prefund();
    await service.sql("update trip set state = 'closed' where trip_id = $1", [trip.tripId]);
    const { linkSecret, claimCode } = trip;
    const late = await claim(trip.tripId, { linkSecret, claimCode, guestWallet: WALLET });
    expect([late.status, late.body.reason]).toEqual([409, "trip_closed"]);
    expect((await view(trip.tripId, { linkSecret })).body.state).toBe("closed");
  });

  test.each([
    ["no body", "", 400, "malformed_json"],
    ["a stray member", { linkSecret: "x", guestWallet: WALLET, claimcode: "1" }, 400, "invalid_input"],
    ["no wallet", { linkSecret: "x" }, 400, "invalid_input"],
    ["half a wallet", { linkSecret: "x", guestWallet: "0x12" }, 400, "invalid_input"],
    ["not a wallet", { linkSecret: "x", guestWallet: `0x${"0".repeat(40)}` }, 400, "invalid_input"],
    ["a code that is a number", { linkSecret: "x", guestWallet: WALLET, claimCode: 123456 }, 400, "invalid_input"],
    ["a long secret", { linkSecret: "x".repeat(201), guestWallet: WALLET }, 400, "invalid_input"],
    ["a long body", { linkSecret: "x".repeat(5_000), guestWallet: WALLET }, 413, "too_large"],
  ])("with %s is refused", async (_what, body, status, code) => {
    const answer = await claim(`0x${"1".repeat(64)}`, body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.text).not.toContain("xxxxxxxx");
  });

  test("for one of the chain's contracts is refused", async () => {
    const trip = await prefund();
    const answer = await service.send(`/api/trips/${trip.tripId}`, {
      headers: { authorization: `Bearer ${service.apiKey}` },
    });
    const { linkSecret, claimCode } = trip;
    const guestWallet = answer.body.escrowAddress;
    const refused = await claim(trip.tripId, { linkSecret, claimCode, guestWallet });
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_input"]);
  });
});

test("the page is not cached, framed or indexed, and runs only its own script", async () => {
  const answer = await fetch(`${service.appUrl}/claim/0x${"1".repeat(64)}`);
  const html = await answer.text();
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-robots-tag": expect.stringContaining("noindex"),
    "x-content-type-options": "nosniff",
  });
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  const policy = answer.headers.get("content-security-policy") ?? "";
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[^ ]+'; script-src 'sha256-[^ ]+'; connect-src 'self';/,
  );
  expect(policy).toContain("frame-ancestors 'none'");
  expect(html).not.toMatch(/<(script|link|img)[^>]+(src|href)="?(https?:|\/)/);
});

test("an address that asks too often must wait, on both routes together", async () => {
  const path = `0x${"1".repeat(64)}`;
  // More than an address may make in the minutes that this test takes.
  const answers = await Promise.all(
    Array.from({ length: 4 * PER_MINUTE }, () => [
      view(path, { linkSecret: "x" }),
      claim(path, { linkSecret: "x", guestWallet: WALLET }),
    ]).flat(),
  );
  const limited = answers.filter(({ status }) => status === 429);
  expect(limited.length).toBeGreaterThan(0);
  expect(limited[0]?.body).toMatchObject({ code: "rate_limited", retryable: true });
  expect(Number(limited[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
  // Keys are limited separately.
  expect((await service.call("check_treasury", {})).status).toBe(200);
});
