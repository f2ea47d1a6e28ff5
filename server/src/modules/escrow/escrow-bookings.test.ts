import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Escrow, freshHash, HexText, openEscrow } from "../../../test/support/escrow.ts";
import { sendMcp } from "../../../test/support/mcp.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult, stranger, UNIT } from "../../../test/support/treasury.ts";
import type { Hex } from "../../domain/tokens.ts";

/** Bookings in escrow on a started product, over dispatch and MCP; viem reads the chain. */
let service: TestService;
let escrow: Escrow;
let own: Hex;
let collection: Hex;
beforeAll(async () => {
  service = await openSharedService();
  escrow = openEscrow(service);
  await service.isFunded(service.tenantId);
  own = await escrow.findTreasury(service.tenantId);
  collection = (await escrow.keys.wallet("sandbox", "collection")).address;
});
afterAll(async () => {
  await escrow.close();
  await service[Symbol.asyncDispose]();
});

const provenance = {
  source: "embedded-devnet",
  sourceLevel: "embedded",
  sandbox: true,
  chainId: 5_042_002,
  status: "confirmed",
};
const txHash = expect.stringMatching(/^0x[0-9a-f]{64}$/);

async function expectMined(result: Record<string, unknown>) {
  const hash = HexText.parse(result.txHash);
  expect((await escrow.client.getTransactionReceipt({ hash })).status).toBe("success");
}

/** Nothing is in progress: the tenant's books equal the chain. */
async function expectSettledBooks() {
  const { balances, available, outgoing } = await escrow.holdings();
  expect(available).toEqual(balances);
  expect(outgoing.USDC).toBe("0.00");
}

type Call = (tool: string, args: object) => Promise<Record<string, unknown>>;

const surfaces: [string, Call][] = [
  ["dispatch", async (tool, args) => requireResult(await service.call(tool, args))],
  [
    "MCP",
    async (name, args) => {
      const { body } = await sendMcp(service, "tools/call", { name, arguments: args });
      const { result } = body;
      if (typeof result !== "object" || result === null || !("structuredContent" in result)) {
        throw new Error(JSON.stringify(body));
      }
      return { ...Object(result.structuredContent) };
    },
  ],
];

describe("a booking's life", () => {
  it.each(surfaces)(
    "over %s: the vendor is paid on the chain to the micro-unit, and the rest comes back",
    async (_by, call) => {
      const vendor = stranger();
      const before = await escrow.readBalance(own);
      const { tripId } = await call("prefund_trip", { budgetUsdc: "500.000001" });
      const trip = HexText.parse(tripId);
      const reserved = await call("reserve_booking", { tripId, upperBoundUsdc: "250.5" });
      expect(reserved).toMatchObject({ ...provenance, tripId, state: "reserved", reservedUsdc: "250.50", txHash });
      const bookingId = HexText.parse(reserved.bookingId);
      expect(bookingId).toMatch(/^0x[0-9a-f]{64}$/);
      expect(await escrow.tripOnChain(trip)).toMatchObject({ free: 249_500_001n, held: 250_500_000n });
      const itineraryHash = freshHash();
      const committed = await call("commit_booking", {
        bookingId,
        vendorAmountUsdc: "231.400001",
        feeAmountUsdc: "5",
        vendorAddress: vendor,
        itineraryHash,
        itineraryCID: "bafy",
      });
      expect(committed).toMatchObject({
        ...provenance,
        bookingId,
        tripId,
        state: "committed",
        vendorAddress: vendor,
        vendorAmountUsdc: "231.400001",
        feeAmountUsdc: "5.00",
      });
      const ticketOrderHash = freshHash();
      const confirmed = await call("confirm_flight", { bookingId, ticketOrderHash });
      expect(confirmed).toMatchObject({ ...provenance, bookingId, tripId, state: "confirmed", ticketOrderHash });
      expect(await escrow.readBalance(vendor)).toBe(0n);
      const settled = await call("settle_booking", { bookingId });
      expect(settled).toMatchObject({
        ...provenance,
        bookingId,
        tripId,
        state: "settled",
        vendorPaidUsdc: "231.400001",
        feePaidUsdc: "5.00",
        refundedUsdc: "14.099999",
      });
      expect(settled).not.toHaveProperty("waitingUsdc");
      const [paid] = z.array(z.unknown()).parse((await call("list_movements", { limit: 1 })).movements);
      expect(paid).toMatchObject({
        amount: "19.099999",
        text: "From a trip's budget: settle_booking paid your fee of 5.00 USDC and returned what the booking did not use",
      });
      for (const result of [reserved, committed, confirmed, settled]) await expectMined(result);
      expect(await escrow.readBalance(vendor)).toBe(231_400_001n);
      expect(await escrow.readBalance(own)).toBe(before - 500_000_001n + 250_500_000n - 231_400_001n);
      expect(await escrow.bookingOnChain(trip, bookingId)).toMatchObject({
        state: "settled",
        vendor: expect.anything(),
      });
      expect(await escrow.tripOnChain(trip)).toMatchObject({ free: 249_500_001n, held: 0n });
      expect(await escrow.trip(trip)).toMatchObject({
        state: "funded",
        free_micro: 249_500_001n,
        held_micro: 0n,
        promised_micro: 0n,
        vendor_paid_micro: 231_400_001n,
        markup_paid_micro: 5n * UNIT,
        service_fee_paid_micro: 0n,
        refunded_micro: 14_099_999n,
      });
      expect(await escrow.steps(bookingId)).toEqual(["reserve", "commit", "confirm", "settle"]);
      await expectSettledBooks();
    },
  );

  it("gives back the whole reservation when it is cancelled, from every state before the settlement", async () => {
    const tripId = await escrow.prefund("100");
    const before = await escrow.readBalance(own);
    for (const steps of [0, 1, 2]) {
      const bookingId = await escrow.reserve(tripId, "20.25");
      const commit = { bookingId, vendorAmountUsdc: "20", vendorAddress: stranger(), itineraryHash: freshHash() };
      if (steps > 0) requireResult(await service.call("commit_booking", commit));
      if (steps > 1) requireResult(await service.call("confirm_flight", { bookingId, ticketOrderHash: freshHash() }));
      const answer = requireResult(
        await service.call("cancel_booking", { bookingId, tripId, reason: "policy_reject" }),
      );
      expect(answer).toMatchObject({
        ...provenance,
        bookingId,
        tripId,
        state: "cancelled",
        refundedUsdc: "20.25",
        refundedTo: "treasury",
        refundedToAddress: own,
        reason: "policy_reject",
      });
      expect(await escrow.bookingOnChain(tripId, bookingId)).toMatchObject({ state: "cancelled" });
    }
    expect(await escrow.readBalance(own)).toBe(before + 3n * 20_250_000n);
    expect(await escrow.trip(tripId)).toMatchObject({
      free_micro: 39_250_000n,
      held_micro: 0n,
      refunded_micro: 60_750_000n,
    });
    await expectSettledBooks();
  });

  it("is priced by the tenant's policy, and the service gets its take at the settlement", async () => {
    const vendor = stranger();
    const tripId = await escrow.prefund("300");
    const bookingId = await escrow.reserve(tripId, "250");
    const before = await escrow.readBalance(collection);
    const ask = {
      bookingId,
      costMicroUsdc: "200000099",
      markupMicroUsdc: "7000000",
      vendorAddress: vendor,
      itineraryHash: freshHash(),
    };
    const answer = requireResult(await service.call("confirm_booking", ask));
    expect(answer).toMatchObject({
      ...provenance,
      bookingId,
      tripId,
      state: "committed",
      costUsdc: "200.000099",
      markupUsdc: "7.00",
      serviceTakeUsdc: "2.00",
      totalUsdc: "209.000099",
    });
    // A later policy does not change an earlier price.
    requireResult(
      await service.call("activate_tenant_pricing_policy", {
        markupConfig: { strategy: "static", bps: 0 },
        ceilingMicroUsdc: "0",
      }),
    );
    const again = await service.call("confirm_booking", ask);
    expect(requireResult(again)).toEqual(answer);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const other = await escrow.reserve(tripId, "50");
    const dear = { ...ask, bookingId: other, costMicroUsdc: "40000000" };
    expect((await service.call("confirm_booking", dear)).body).toMatchObject({ code: "ceiling_exceeded" });
    const override = { reason: "ceiling_acknowledged", acknowledgedMicroUsdc: "7000000" };
    expect(requireResult(await service.call("confirm_booking", { ...dear, override }))).toMatchObject({
      totalUsdc: "47.40",
    });
    requireResult(
      await service.call("activate_tenant_pricing_policy", { markupConfig: { strategy: "static", bps: 0 } }),
    );
    requireResult(await service.call("confirm_flight", { bookingId, ticketOrderHash: freshHash() }));
    expect(requireResult(await service.call("settle_booking", { bookingId }))).toMatchObject({
      vendorPaidUsdc: "200.000099",
      feePaidUsdc: "9.00",
      refundedUsdc: "40.999901",
    });
    expect(await escrow.readBalance(vendor)).toBe(200_000_099n);
    expect((await escrow.readBalance(collection)) - before).toBe(2n * UNIT);
    await expectSettledBooks();
  });

  it("answers under its unlisted alias as under its name", async () => {
    const tripId = await escrow.prefund("10");
    const bookingId = await escrow.reserve(tripId, "10");
    const commit = { bookingId, vendorAmountUsdc: "9", vendorAddress: stranger(), itineraryHash: freshHash() };
    requireResult(await service.call("commit_booking", commit));
    const args = { bookingId, ticketOrderHash: freshHash() };
    const [, mcp] = surfaces[1] ?? [];
    const result = requireResult(await service.call("confirm_ticketing", args));
    expect(result).toMatchObject({ bookingId, state: "confirmed" });
    expect(await mcp?.("confirm_ticketing", args)).toEqual({ ...result, replayed: true });
    expect(requireResult(await service.call("confirm_flight", args))).toEqual(result);
    const quote = await fetch(`${service.edgeUrl}/tools/confirm_ticketing`, { method: "POST", body: "{}" });
    expect(quote.status).toBe(402);
    const listed = await sendMcp(service, "tools/list", {});
    expect(listed.text).toContain('"confirm_flight"');
    expect(listed.text).not.toContain("confirm_ticketing");
    const edge = await (await fetch(`${service.edgeUrl}/tools`)).text();
    expect(edge).toContain('"confirm_flight"');
    expect(edge).not.toContain("confirm_ticketing");
    const records = await service.sql(
      "select distinct tool from usage_record where tool like 'confirm\\_%' and tenant_id = $1",
      [service.tenantId],
    );
    expect(records.map(({ tool }) => tool).toSorted()).toEqual(["confirm_booking", "confirm_flight"]);
  });
});

describe("log_agent_action", () => {
  it("records actions on the chain, once per call, and moves the fee to the tenant's treasury", async () => {
    const tripId = await escrow.prefund("3");
    const before = await escrow.readBalance(own);
    const ask = { tripId, actionType: "search", feeMicroUsdc: "250001" };
    const answer = requireResult(await service.call("log_agent_action", ask));
    expect(answer).toMatchObject({ ...provenance, tripId, actionType: "search", feeUsdc: "0.250001", txHash });
    const other = requireResult(await service.call("log_agent_action", ask));
    expect(other.actionId).not.toBe(answer.actionId);
    const free = requireResult(await service.call("log_agent_action", { tripId }));
    expect(free).toMatchObject({ actionType: "other", feeUsdc: "0.00" });
    expect(await escrow.readBalance(own)).toBe(before + 500_002n);
    expect(await escrow.tripOnChain(tripId)).toMatchObject({ free: 3n * UNIT - 500_002n });
    expect(await escrow.trip(tripId)).toMatchObject({ action_fee_paid_micro: 500_002n, promised_micro: 0n });
    const rows = await service.sql("select action_id, transaction_hash from agent_action where trip_id = $1", [tripId]);
    expect(rows.map(({ action_id }) => action_id).toSorted()).toEqual(
      [answer, other, free].map(({ actionId }) => actionId).toSorted(),
    );
    const over = await service.call("log_agent_action", { tripId, feeMicroUsdc: "2500000" });
    expect(over.body).toMatchObject({
      code: "insufficient_budget",
      needsUsdc: "2.50",
      freeUsdc: "2.499998",
      missingUsdc: "0.000002",
    });
    await expectSettledBooks();
  });

  it("with an Idempotency-Key is one action, however often it is sent", async () => {
    const tripId = await escrow.prefund("3");
    const headers = { "idempotency-key": freshHash() };
    const ask = { tripId, actionType: "hold", feeMicroUsdc: "1000000" };
    const [first, second] = [
      await service.call("log_agent_action", ask, { headers }),
      await service.call("log_agent_action", ask, { headers }),
    ];
    expect(requireResult(second)).toEqual(requireResult(first));
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(await escrow.tripOnChain(tripId)).toMatchObject({ free: 2n * UNIT });
  });
});

describe("a vendor that the token blocks", () => {
  it("is refused at the commit; blocked later, its money alone waits in the escrow", async () => {
    const [blocked, later] = [stranger(), stranger()];
    await escrow.block("USDC", blocked);
    const tripId = await escrow.prefund("100");
    const bookingId = await escrow.reserve(tripId, "40");
    const commit = { bookingId, vendorAmountUsdc: "30", feeAmountUsdc: "2", itineraryHash: freshHash() };
    const refused = await service.call("commit_booking", { ...commit, vendorAddress: blocked });
    expect(refused.body).toMatchObject({ code: "recipient_blocked", retryable: false });
    requireResult(await service.call("commit_booking", { ...commit, vendorAddress: later }));
    requireResult(await service.call("confirm_flight", { bookingId, ticketOrderHash: freshHash() }));
    await escrow.block("USDC", later);
    const before = await escrow.readBalance(own);
    const settled = requireResult(await service.call("settle_booking", { bookingId }));
    expect(settled).toMatchObject({ vendorPaidUsdc: "30.00", refundedUsdc: "8.00", waitingUsdc: "30.00" });
    expect(requireResult(await service.call("settle_booking", { bookingId }))).toEqual(settled);
    expect(await escrow.readBalance(later)).toBe(0n);
    expect(await escrow.withdrawable(later)).toBe(30n * UNIT);
    expect((await escrow.readBalance(own)) - before).toBe(10n * UNIT);
    expect((await escrow.booking(bookingId)).waiting_micro).toBe(30n * UNIT);
    await expectSettledBooks();
  });
});
