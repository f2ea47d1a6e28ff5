import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { cancelArgs, commitArgs, type Escrow, micro, openEscrow, ticketArgs } from "../../../../test/support/escrow.ts";
import type { Answer, TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";
import { newFundedTenant, requireResult } from "../../../../test/support/treasury.ts";
import type { Hex } from "../../../domain/tokens.ts";

/** A booking that ends and leaves its reserved money in its trip. */
let service: TestService;
let escrow: Escrow;
let own: Hex;
beforeAll(async () => {
  service = await openSharedService();
  escrow = openEscrow(service);
  await service.isFunded(service.tenantId);
  own = await escrow.findTreasury(service.tenantId);
});
afterAll(async () => {
  await escrow?.close();
  await service?.[Symbol.asyncDispose]();
});

const releaseArgs = (bookingId: Hex, tripId: Hex) => ({ bookingId, tripId, reason: "timeout" });
const release = async (bookingId: Hex, tripId: Hex) =>
  requireResult(await service.call("release_reservation", releaseArgs(bookingId, tripId)));
const previewed = async (tool: string, args: object) =>
  requireResult(await service.call("preview_call", { tool, args }));
const read = async (tripId: Hex) => requireResult(await service.call("read_trip", { tripId }));
const expire = (tripId: Hex) =>
  service.sql("update trip set expires_at = now() - interval '1 second' where trip_id = $1", [tripId]);

/** Records and chain agree. */
async function expectTrip(tripId: Hex, free: bigint, held: bigint): Promise<void> {
  expect(await escrow.trip(tripId)).toMatchObject({ free_micro: free, held_micro: held });
  expect(await escrow.tripOnChain(tripId)).toMatchObject({ free, held });
}

/** A repetition of another tool's step is charged and recorded as this tool's. */
async function expectOwnRecord(tool: string, { headers }: Answer): Promise<void> {
  const usage = await service.sql("select tool from usage_record where id = $1", [headers.get("x-service-meter-id")]);
  expect(usage).toEqual([{ tool }]);
}

describe("release_reservation", () => {
  it.each(["reserve_booking", "commit_booking"] as const)(
    "after %s puts the money back into the trip, which can spend it again",
    async (last) => {
      const tripId = await escrow.prefund("10");
      const bookingId = await escrow.bookingAfter(tripId, last);
      const balance = await escrow.readBalance(own);
      const plan = await previewed("release_reservation", releaseArgs(bookingId, tripId));
      expect(plan).toMatchObject({
        accepted: true,
        movements: [{ amount: "10.00", from: "booking_reservation", to: "trip_budget" }],
        inAllParts: { paidToOthersUsdc: "0.00" },
      });
      const released = await release(bookingId, tripId);
      expect(released).toMatchObject({
        bookingId,
        tripId,
        state: "cancelled",
        reason: "timeout",
        status: "confirmed",
        returnedTo: "trip",
        returnedUsdc: "10.00",
        freeUsdc: "10.00",
        walletBecause: null,
        walletPaysUsdc: "0.00",
        next: expect.stringContaining("start the run again"),
        txHash: expect.stringMatching(/^0x/),
      });
      await expectTrip(tripId, 10_000_000n, 0n);
      expect(await escrow.bookingOnChain(tripId, bookingId)).toMatchObject({ state: "cancelled" });
      expect(await escrow.readBalance(own)).toBe(balance);
      const { balances, available, outgoing } = await escrow.holdings();
      expect([available, outgoing.USDC]).toEqual([balances, "0.00"]);

      const { bookings, record } = await read(tripId);
      expect(bookings).toMatchObject([
        { state: "cancelled", returnedToTripUsdc: "10.00", refundedUsdc: "0.00", cancelReason: "timeout" },
      ]);
      expect(z.array(z.object({ text: z.string() })).parse(record)).toContainEqual({
        text: "A booking was cancelled, and 10.00 USDC went back into the trip's budget.",
      });
      const again = await escrow.bookingAfter(tripId, "settle_booking");
      expect(await escrow.bookingOnChain(tripId, again)).toMatchObject({ state: "settled" });
      await expectTrip(tripId, 0n, 0n);
    },
  );

  it("happens once: a repetition, even with another key, gets the same answer", async () => {
    const tripId = await escrow.prefund("20");
    const bookingId = await escrow.bookingAfter(tripId, "reserve_booking");
    const both = await Promise.all([release(bookingId, tripId), release(bookingId, tripId)]);
    const again = await service.call("release_reservation", releaseArgs(bookingId, tripId), {
      headers: { "idempotency-key": `again ${bookingId}` },
    });
    for (const answer of [...both, requireResult(again)]) {
      const { replayed: _, ...rest } = answer;
      expect(rest).toEqual(Object.fromEntries(Object.entries(both[0] ?? {}).filter(([name]) => name !== "replayed")));
    }
    expect(await escrow.steps(bookingId)).toEqual(["reserve", "return"]);
    await expectTrip(tripId, 20_000_000n, 0n);
    const cancelled = await service.call("cancel_booking", cancelArgs(bookingId, tripId));
    expect(cancelled.body).toMatchObject({ code: "wrong_state", state: "cancelled" });
  });

  it("of a booking ended by cancel_booking reports that the wallet has the money", async () => {
    const tripId = await escrow.prefund("20");
    const bookingId = await escrow.bookingAfter(tripId, "cancel_booking");
    expect((await previewed("release_reservation", releaseArgs(bookingId, tripId))).movements).toEqual([]);
    const said = await service.call("release_reservation", releaseArgs(bookingId, tripId));
    expect(requireResult(said)).toMatchObject({
      returnedTo: "wallet",
      returnedUsdc: "10.00",
      freeUsdc: "10.00",
      walletBecause: "cancelled_before",
    });
    await expectOwnRecord("release_reservation", said);
    expect(await escrow.steps(bookingId)).toEqual(["reserve", "commit", "cancel"]);
    await expectTrip(tripId, 10_000_000n, 0n);
  });

  it.each(["trip_expired", "trip_closed"])("pays the wallet if the trip can no longer spend: %s", async (why) => {
    const tripId = await escrow.prefund("20");
    const bookingId = await escrow.bookingAfter(tripId, "commit_booking");
    if (why === "trip_expired") await expire(tripId);
    else requireResult(await service.call("close_trip", { tripId }));
    const { free_micro: free } = await escrow.trip(tripId);
    const balance = await escrow.readBalance(own);
    const plan = await previewed("release_reservation", releaseArgs(bookingId, tripId));
    expect(plan).toMatchObject({
      movements: [{ amount: "10.00", from: "booking_reservation", to: "treasury" }],
      note: expect.stringContaining("The money goes to your wallet: the trip"),
    });
    expect(await release(bookingId, tripId)).toMatchObject({
      state: "cancelled",
      returnedTo: "wallet",
      returnedUsdc: "10.00",
      walletBecause: why,
      next: expect.stringMatching(/went to your wallet: the trip (has expired|is closed)\. .*prefund another trip/),
    });
    expect(await escrow.readBalance(own)).toBe(balance + 10_000_000n);
    await expectTrip(tripId, free, 0n);
    // Cancelling it again succeeds.
    const cancelled = await service.call("cancel_booking", cancelArgs(bookingId, tripId));
    expect(requireResult(cancelled)).toMatchObject({
      state: "cancelled",
      refundedUsdc: "10.00",
      refundedTo: "treasury",
    });
    await expectOwnRecord("cancel_booking", cancelled);
  });

  it("refuses a booking that is confirmed, settled or another tenant's, and moves nothing", async () => {
    const tripId = await escrow.prefund("100");
    for (const last of ["confirm_flight", "settle_booking"] as const) {
      const bookingId = await escrow.bookingAfter(tripId, last);
      const { problem } = await previewed("release_reservation", releaseArgs(bookingId, tripId));
      const refused = await service.call("release_reservation", releaseArgs(bookingId, tripId));
      expect([problem, refused.body], last).toMatchObject([{ code: "wrong_state" }, { code: "wrong_state" }]);
    }
    const bookingId = await escrow.bookingAfter(tripId, "commit_booking");
    const other = await newFundedTenant(service, "Other");
    const elsewhere = await escrow.prefund("5");
    const theirs = await service.call("release_reservation", releaseArgs(bookingId, tripId), other.as);
    const wrongTrip = await service.call("release_reservation", releaseArgs(bookingId, elsewhere));
    const wrongEscrow = await service.call("release_reservation", {
      ...releaseArgs(bookingId, tripId),
      escrowAddress: own,
    });
    expect([theirs, wrongTrip, wrongEscrow].map(({ body }) => body.code)).toEqual([
      ...["booking_not_found", "booking_not_found", "invalid_input"],
    ]);
    const theirPreview = { tool: "release_reservation", args: releaseArgs(bookingId, tripId) };
    expect(requireResult(await service.call("preview_call", theirPreview, other.as))).toMatchObject({
      accepted: false,
      problem: { code: "booking_not_found" },
    });
    expect((await escrow.booking(bookingId)).state).toBe("committed");
    requireResult(await service.call("confirm_flight", ticketArgs(bookingId)));
  });

  it("and the closing of the trip wait for each other", async () => {
    const tripId = await escrow.prefund("20");
    const bookingId = await escrow.bookingAfter(tripId, "reserve_booking");
    const pending = (table: string, step: object | null) =>
      service.sql(`update ${table} set pending = $2 where trip_id = $1`, [tripId, step && JSON.stringify(step)]);
    const refusal = async (tool: string, args: object) => {
      const { problem } = await previewed(tool, args);
      const refused = await service.call(tool, args);
      expect([problem, refused.body]).toMatchObject([{ code: refused.body.code }, { retryable: true }]);
      return refused.body.code;
    };
    await pending("escrow_booking", { step: "return", transactionId: "none", details: {} });
    expect(await refusal("close_trip", { tripId })).toBe("trip_in_progress");
    await pending("escrow_booking", null);
    await pending("trip", { step: "close", transactionId: "none" });
    expect(await refusal("release_reservation", releaseArgs(bookingId, tripId))).toBe("trip_in_progress");
    await pending("trip", null);
    await release(bookingId, tripId);
    const closed = requireResult(await service.call("close_trip", { tripId }));
    expect(closed).toMatchObject({ returnedNowUsdc: "20.00", returnedUsdc: "20.00", heldUsdc: "0.00" });
    expect(micro((await read(tripId)).refundedUsdc)).toBe(20_000_000n);
  });

  it("frees a reservation for amounts that did not fit into it", async () => {
    const tripId = await escrow.prefund("20");
    const bookingId = await escrow.reserve(tripId, "5");
    const over = commitArgs(bookingId);
    expect((await service.call("commit_booking", over)).body).toMatchObject({ code: "exceeds_reservation" });
    await release(bookingId, tripId);
    requireResult(await service.call("commit_booking", commitArgs(await escrow.reserve(tripId, "20"))));
  });
});
