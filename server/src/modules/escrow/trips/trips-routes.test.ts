import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type ApiDescription, readApiDescription } from "../../../../test/support/api-description.ts";
import { type Escrow, freshHash, micro, openEscrow } from "../../../../test/support/escrow.ts";
import { isSignedBy, type TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";
import { newFundedTenant, requireResult, stranger } from "../../../../test/support/treasury.ts";
import type { Hex } from "../../../domain/tokens.ts";

/** Trips and bookings in escrow as their tenant reads, unlocks and closes them. */
let service: TestService;
let escrow: Escrow;
let api: ApiDescription;
let own: Hex;
beforeAll(async () => {
  service = await openSharedService();
  escrow = openEscrow(service);
  await service.isFunded(service.tenantId);
  own = await escrow.findTreasury(service.tenantId);
  api = readApiDescription((await get("/api/openapi.json")).text);
});
afterAll(async () => {
  await escrow?.close();
  await service?.[Symbol.asyncDispose]();
});

const send = (method: string, path: string, key = service.apiKey) =>
  service.send(path, { method, headers: { authorization: `Bearer ${key}` } });
const get = (path: string, key?: string) => send("GET", path, key);
const post = (path: string, key?: string) => send("POST", path, key);
const result = async (tool: string, args: object) => requireResult(await service.call(tool, args));

const Prefunded = z.object({
  tripId: z.templateLiteral(["0x", z.string()]),
  guestLink: z.string(),
  claimCode: z.string(),
});
const Page = z.object({ trips: z.array(z.looseObject({ tripId: z.string() })), nextCursor: z.string().nullable() });
const Steps = z.object({ transactions: z.array(z.object({ step: z.string(), txHash: z.string() })) });
const stepsIn = (body: unknown): string[] => Steps.parse(body).transactions.map(({ step }) => step);

const withCode = async (budgetUsdc = "10") =>
  Prefunded.parse(await result("prefund_trip", { budgetUsdc, require2fa: true }));
const guess = (trip: z.infer<typeof Prefunded>, claimCode: string) =>
  service.call("guest_claim_link", { guestLink: trip.guestLink, guestWallet: stranger(), claimCode });
const wrong = ({ claimCode }: z.infer<typeof Prefunded>): string => (claimCode === "000000" ? "000001" : "000000");

const metered = async (): Promise<string> =>
  JSON.stringify(
    await service.sql(
      "select (select count(*) from call where tenant_id = $1), (select count(*) from usage_record where tenant_id = $1) as records",
      [service.tenantId],
    ),
  );

/** Expects a signed answer that fits the API description. */
async function expectDescribed(method: "get" | "post", path: string, described: string) {
  const answer = await send(method.toUpperCase(), path);
  expect(api.answerProblems(described, method, answer)).toEqual([]);
  expect(isSignedBy(answer, service.signingSecret)).toBe(true);
  return answer;
}

describe("a trip", () => {
  it("shows its money, its guest, its bookings, its actions and every transaction", async () => {
    const prefunded = Prefunded.parse(
      await result("prefund_trip", {
        budgetUsdc: "500.5",
        expiresInDays: 3,
        require2fa: true,
        guestName: "Ada",
        tripSummary: "Lisbon",
      }),
    );
    const { tripId, guestLink, claimCode } = prefunded;
    expect((await guess(prefunded, wrong(prefunded))).body.code).toBe("claim_code_wrong");
    const guestWallet = stranger();
    await result("guest_claim_link", { guestLink, guestWallet, claimCode });
    const first = await escrow.reserve(tripId, "100.25");
    const vendorAddress = stranger();
    const itineraryHash = freshHash();
    await result("confirm_booking", {
      bookingId: first,
      costMicroUsdc: "80000000",
      markupMicroUsdc: "5000000",
      vendorAddress,
      itineraryHash,
      itineraryCID: "bafy",
    });
    const second = await escrow.reserve(tripId, "50");
    await result("cancel_booking", { bookingId: second, tripId, reason: "policy_reject" });
    await result("log_agent_action", { tripId, actionType: "search", feeMicroUsdc: "500000" });

    const answer = await expectDescribed("get", `/api/trips/${tripId}`, "/api/trips/{tripId}");
    expect(answer.body).toMatchObject({
      tripId,
      state: "funded",
      budgetUsdc: "500.50",
      freeUsdc: "349.75",
      heldUsdc: "100.25",
      promisedUsdc: "0.00",
      refundedUsdc: "50.00",
      vendorPaidUsdc: "0.00",
      actionFeePaidUsdc: "0.50",
      isExpired: false,
      guestWallet,
      escrowAddress: await escrow.escrowAddress(),
      funder: own,
      pendingStep: null,
      claim: { requiresCode: true, isLocked: false, guestWallet, claimedAt: expect.stringMatching(/Z$/) },
      codeNonce: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      mail: "none",
      details: { guestName: "Ada", tripSummary: "Lisbon" },
      bookings: [
        { bookingId: second, state: "cancelled", refundedUsdc: "50.00", cancelReason: "policy_reject" },
        { bookingId: first, state: "committed" },
      ],
      actions: [{ actionType: "search", feeUsdc: "0.50" }],
      sandbox: true,
    });
    expect(stepsIn(answer.body)).toEqual(["fund", "claim", "log"]);
    // A reader of the trip cannot claim with it.
    const [, secret = "none"] = guestLink.split("#");
    expect(answer.text).not.toContain(secret);
    expect(answer.text).not.toContain(`"${claimCode}"`);

    const booking = await expectDescribed("get", `/api/bookings/${first}`, "/api/bookings/{bookingId}");
    expect(booking.body).toMatchObject({
      bookingId: first,
      externalId: first,
      tripId,
      state: "committed",
      reservedUsdc: "100.25",
      vendorAddress,
      vendorAmountUsdc: "80.00",
      markupUsdc: "5.00",
      serviceFeeUsdc: "0.80",
      pricing: { policyVersion: 0, totalMicroUsdc: "85800000" },
      itineraryHash,
      itineraryCID: "bafy",
      ticketHash: null,
      waitingUsdc: "0.00",
    });
    expect(stepsIn(booking.body)).toEqual(["reserve", "commit"]);
    for (const { txHash } of Steps.parse(booking.body).transactions) {
      expect(
        await escrow.client.getTransactionReceipt({ hash: z.templateLiteral(["0x", z.string()]).parse(txHash) }),
      ).toMatchObject({
        status: "success",
      });
    }
    // The id is not case-sensitive.
    expect((await get(`/api/bookings/0x${first.slice(2).toUpperCase()}`)).body).toEqual(booking.body);

    const ticketOrderHash = freshHash();
    await result("confirm_flight", { bookingId: first, ticketOrderHash });
    await escrow.block("USDC", vendorAddress);
    await result("settle_booking", { bookingId: first });
    const settled = await expectDescribed("get", `/api/bookings/${first}`, "/api/bookings/{bookingId}");
    expect(settled.body).toMatchObject({
      state: "settled",
      ticketHash: ticketOrderHash,
      vendorPaidUsdc: "80.00",
      feePaidUsdc: "5.80",
      refundedUsdc: "14.45",
      // A failed payout belongs to the vendor and waits for it.
      waitingUsdc: "80.00",
    });
    expect(await escrow.withdrawable(vendorAddress)).toBe(80_000_000n);
    expect(stepsIn(settled.body)).toEqual(["reserve", "commit", "confirm", "settle"]);
  });

  it("is listed with the tenant's others, newest first, page by page", async () => {
    const other = await newFundedTenant(service, "Lister");
    const ids: string[] = [];
    for (const budget of ["1", "2", "3"]) ids.unshift(await escrow.prefund(budget, {}, other.as));
    const page = async (query = "") => Page.parse((await get(`/api/trips${query}`, other.apiKey)).body);
    const all = await page();
    expect(all.trips.map(({ tripId }) => tripId)).toEqual(ids);
    expect(all.trips[0]).toMatchObject({ state: "funded", budgetUsdc: "3.00", freeUsdc: "3.00", guestWallet: null });
    expect(all.nextCursor).toBeNull();
    const first = await page("?limit=2");
    expect(first.trips.map(({ tripId }) => tripId)).toEqual(ids.slice(0, 2));
    const second = await page(`?limit=2&cursor=${first.nextCursor}`);
    expect([second.trips.map(({ tripId }) => tripId), second.nextCursor]).toEqual([ids.slice(2), null]);
    expect((await page("?limit=3")).nextCursor).toBeNull();
    // Another tenant's cursor is invalid.
    const foreign = await get(`/api/trips?cursor=${first.nextCursor}`);
    expect([foreign.status, foreign.body.code]).toEqual([400, "invalid_input"]);
    await expectDescribed("get", "/api/trips", "/api/trips");
  });

  it.each([["?limit=0"], ["?limit=201"], ["?limit=x"], ["?cursor=0x12"], [`?cursor=0x${"ab".repeat(32)}`]])(
    "is not listed by %s",
    async (query) => {
      const { status, body } = await expectDescribed("get", `/api/trips${query}`, "/api/trips");
      expect([status, body.code]).toEqual([400, "invalid_input"]);
    },
  );

  it("is invisible to other tenants", async () => {
    const other = await newFundedTenant(service, "Others");
    const tripId = await escrow.prefund("5");
    const bookingId = await escrow.reserve(tripId, "2");
    const unknown = freshHash();
    for (const [method, described, own, none] of [
      ["get", "/api/trips/{tripId}", `/api/trips/${tripId}`, `/api/trips/${unknown}`],
      ["get", "/api/bookings/{bookingId}", `/api/bookings/${bookingId}`, `/api/bookings/${unknown}`],
      ["post", "/api/trips/{tripId}/unlock", `/api/trips/${tripId}/unlock`, `/api/trips/${unknown}/unlock`],
      ["post", "/api/trips/{tripId}/close", `/api/trips/${tripId}/close`, `/api/trips/${unknown}/close`],
    ] as const) {
      const theirs = await send(method.toUpperCase(), own, other.apiKey);
      const nobodys = await expectDescribed(method, none, described);
      expect([theirs.status, theirs.body.code], own).toEqual([404, "not_found"]);
      expect([nobodys.status, nobodys.body.detail], none).toEqual([404, theirs.body.detail]);
      for (const odd of ["%00", "a%00b", "%ff", "%ed%a0%80", "0x", "__proto__"]) {
        const answer = await send(method.toUpperCase(), none.replace(unknown, odd));
        expect([answer.status, answer.body.code], odd).toEqual([404, "not_found"]);
      }
      expect((await send(method.toUpperCase(), own, "ak_none")).status).toBe(401);
    }
    expect((await get("/api/trips", other.apiKey)).body).toEqual({ trips: [], nextCursor: null });
    expect(await escrow.tripOnChain(tripId)).toMatchObject({ free: 3_000_000n, held: 2_000_000n, isClosed: false });
  });

  it("needs a separate scope for reading, unlocking and closing", async () => {
    const { tenantId } = service;
    const keyWith = async (scope: string) =>
      (
        await service.operator((identity) =>
          identity.mintKey({ tenantId, environment: "sandbox", scopes: [scope], actor: "test" }),
        )
      ).apiKey;
    const tripId = await escrow.prefund("1");
    const before = await metered();
    const routes = [
      ["GET", "/api/trips", "escrow:read"],
      ["GET", `/api/trips/${tripId}`, "escrow:read"],
      ["GET", `/api/bookings/${freshHash()}`, "escrow:read"],
      ["POST", `/api/trips/${tripId}/unlock`, "escrow:write"],
      ["POST", `/api/trips/${tripId}/close`, "escrow:spend"],
    ] as const;
    for (const scope of ["escrow:read", "escrow:write", "escrow:spend"]) {
      const key = await keyWith(scope);
      for (const [method, path, needed] of routes) {
        const { status, body } = await send(method, path, key);
        if (scope === needed) expect(status, `${method} ${path}`).not.toBe(403);
        else expect([status, body.scope], `${method} ${path}`).toEqual([403, needed]);
      }
    }
    // None of these is a paid call.
    expect(await metered()).toBe(before);
  });
});

describe("a claim", () => {
  it("is locked by five wrong codes and unlocked by the buyer, without a limit", async () => {
    const trip = await withCode();
    const path = `/api/trips/${trip.tripId}`;
    for (let left = 4; left >= 0; left -= 1) {
      expect((await guess(trip, wrong(trip))).body.code).toBe("claim_code_wrong");
      const claim = { wrongCodes: 5 - left, codesLeft: left, isLocked: left === 0 };
      expect((await get(path)).body).toMatchObject({ claim });
    }
    expect((await guess(trip, trip.claimCode)).body.code).toBe("claim_locked");
    const unlocked = await expectDescribed("post", `${path}/unlock`, "/api/trips/{tripId}/unlock");
    expect(unlocked.status).toBe(200);
    expect(unlocked.body).toEqual({
      tripId: trip.tripId,
      guestLink: trip.guestLink,
      claim: {
        requiresCode: true,
        wrongCodes: 0,
        codesLeft: 5,
        isLocked: false,
        guestWallet: null,
        claimedAt: null,
      },
    });
    expect((await post(`${path}/unlock`)).body).toEqual(unlocked.body);
    expect(requireResult(await guess(trip, trip.claimCode))).toMatchObject({ tripId: trip.tripId });
    const late = await expectDescribed("post", `${path}/unlock`, "/api/trips/{tripId}/unlock");
    expect([late.status, late.body.code]).toEqual([409, "conflict"]);
    expect(late.body.detail).toContain("claimed");
  });
});

describe("closing", () => {
  it("returns the free budget once, and bookings continue", async () => {
    const tripId = await escrow.prefund("80");
    const bookingId = await escrow.reserve(tripId, "30");
    const before = await escrow.readBalance(own);
    const closed = await expectDescribed("post", `/api/trips/${tripId}/close`, "/api/trips/{tripId}/close");
    expect(closed.status).toBe(200);
    expect(closed.body).toMatchObject({
      tripId,
      state: "closed",
      budgetUsdc: "80.00",
      freeUsdc: "0.00",
      heldUsdc: "30.00",
      refundedUsdc: "50.00",
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect(await escrow.readBalance(own)).toBe(before + micro("50"));
    expect(await escrow.tripOnChain(tripId)).toMatchObject({ isClosed: true, free: 0n, held: 30_000_000n });
    expect((await post(`/api/trips/${tripId}/close`)).body).toEqual(closed.body);
    const unlocked = await post(`/api/trips/${tripId}/unlock`);
    expect([unlocked.status, unlocked.body.code]).toEqual([409, "conflict"]);
    expect((await service.call("reserve_booking", { tripId, upperBoundUsdc: "1" })).body.code).toBe("trip_closed");
    await result("cancel_booking", { bookingId, tripId, reason: "buyer_cancel" });
    expect((await get(`/api/trips/${tripId}`)).body).toMatchObject({ heldUsdc: "0.00", refundedUsdc: "80.00" });
    expect(await escrow.readBalance(own)).toBe(before + micro("80"));
    expect(stepsIn((await get(`/api/trips/${tripId}`)).body)).toEqual(["fund", "close"]);
  });

  it("sixteen times concurrently happens once", async () => {
    const tripId = await escrow.prefund("7");
    const before = await escrow.readBalance(own);
    const answers = await Promise.all(Array.from({ length: 16 }, () => post(`/api/trips/${tripId}/close`)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 200, body: { state: "closed", refundedUsdc: "7.00" } });
    expect(await escrow.readBalance(own)).toBe(before + micro("7"));
    const orders =
      "select id from chain_transaction where chain_order->>'tripId' = $1 and chain_order->'action'->>'name' = 'close'";
    expect(await service.sql(orders, [tripId])).toHaveLength(1);
  });

  it("and reserving concurrently leaves the reservation, and nothing twice", async () => {
    const tripId = await escrow.prefund("20");
    const before = await escrow.readBalance(own);
    const [closed, reserved] = await Promise.all([
      post(`/api/trips/${tripId}/close`),
      service.call("reserve_booking", { tripId, upperBoundUsdc: "4" }),
    ]);
    // The second request waits for the first, or is told to.
    expect([200, 409]).toContain(closed.status);
    if (closed.status === 409) expect([closed.body.code, closed.body.retryable]).toEqual(["in_progress", true]);
    const last = await post(`/api/trips/${tripId}/close`);
    expect(last.status).toBe(200);
    const held = reserved.status === 200 ? 4_000_000n : 0n;
    expect(await escrow.tripOnChain(tripId)).toMatchObject({ isClosed: true, free: 0n, held });
    expect(await escrow.readBalance(own)).toBe(before + 20_000_000n - held);
  });
});
