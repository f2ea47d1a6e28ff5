import { randomBytes } from "node:crypto";
import { z } from "zod";
import { parseDecimal } from "../../src/domain/money.ts";
import type { Hex } from "../../src/domain/tokens.ts";
import { tripEscrowAbi } from "../../src/generated/contracts/trip-escrow.ts";
import type { CallOptions, TestService } from "./service.ts";
import { openTreasury, requireResult } from "./treasury.ts";

/** 32 bytes that nobody has used. */
export const freshHash = (): Hex => `0x${randomBytes(32).toString("hex")}`;

export const HexText = z.templateLiteral(["0x", z.string()]);
const Trip = z.object({ tripId: HexText, escrowAddress: HexText });
const Booking = z.object({ bookingId: HexText, tripId: HexText });
const bookingStates = ["none", "reserved", "committed", "confirmed", "settled", "cancelled"] as const;
const Holdings = z.record(z.string(), z.unknown()).and(
  z.object({
    balances: z.object({ USDC: z.string() }),
    available: z.object({ USDC: z.string() }),
    outgoing: z.object({ USDC: z.string() }),
  }),
);

export const micro = (text: unknown): bigint => {
  const amount = parseDecimal(String(text));
  if (amount === undefined) throw new Error(`${String(text)} is no amount`);
  return amount;
};

export type BookingTool = "reserve_booking" | "commit_booking" | "confirm_flight" | "settle_booking" | "cancel_booking";

export const commitArgs = (bookingId: Hex) => ({
  bookingId,
  vendorAmountUsdc: "9",
  feeAmountUsdc: "0.5",
  vendorAddress: "0x00000000000000000000000000000000000a11ce",
  itineraryHash: `0x${"17".repeat(32)}`,
});
export const ticketArgs = (bookingId: Hex) => ({ bookingId, ticketOrderHash: `0x${"19".repeat(32)}` });
export const cancelArgs = (bookingId: Hex, tripId: Hex) => ({ bookingId, tripId, reason: "buyer_cancel" });

/** The steps after the reservation, in order. */
export const journey: readonly { tool: BookingTool; after: BookingTool; buildArgs(bookingId: Hex): object }[] = [
  { tool: "commit_booking", after: "reserve_booking", buildArgs: commitArgs },
  { tool: "confirm_flight", after: "commit_booking", buildArgs: ticketArgs },
  { tool: "settle_booking", after: "confirm_flight", buildArgs: (bookingId) => ({ bookingId }) },
];

/** The escrow of a started product: its tools as callers have them, and its contract as anybody with viem sees it. */
export function openEscrow(service: TestService) {
  const treasury = openTreasury(service);
  const { client } = treasury;

  async function escrowAddress(): Promise<Hex> {
    const [row] = await service.sql("select contracts from chain_network where network = 'sandbox' and is_home");
    return z.object({ contracts: z.object({ escrow: HexText }) }).parse(row).contracts.escrow;
  }

  async function prefund(budgetUsdc: string, args: object = {}, as: CallOptions = {}): Promise<Hex> {
    return Trip.parse(requireResult(await service.call("prefund_trip", { budgetUsdc, ...args }, as))).tripId;
  }

  async function reserve(tripId: Hex, upperBoundUsdc: string, as: CallOptions = {}): Promise<Hex> {
    return Booking.parse(requireResult(await service.call("reserve_booking", { tripId, upperBoundUsdc }, as)))
      .bookingId;
  }

  /** A booking of 10 that has gone so far. */
  async function bookingAfter(tripId: Hex, last: BookingTool): Promise<Hex> {
    const bookingId = await reserve(tripId, "10");
    // A cancelled booking was committed before.
    const count = last === "cancel_booking" ? 1 : journey.findIndex(({ tool }) => tool === last) + 1;
    for (const { tool, buildArgs } of journey.slice(0, count))
      requireResult(await service.call(tool, buildArgs(bookingId)));
    if (last === "cancel_booking") requireResult(await service.call(last, cancelArgs(bookingId, tripId)));
    return bookingId;
  }

  return {
    ...treasury,
    escrowAddress,
    bookingAfter,
    /** How many steps were ever stored. */
    async countSteps(): Promise<number> {
      return (
        await service.sql("select id from chain_transaction where purpose like 'escrow%' and tenant_id = $1", [
          service.tenantId,
        ])
      ).length;
    },
    prefund,
    reserve,
    async tripOnChain(tripId: Hex) {
      const address = await escrowAddress();
      const { free, held, isClosed, guest, funder, expiresAt } = await client.readContract({
        address,
        abi: tripEscrowAbi,
        functionName: "trips",
        args: [tripId],
      });
      return { free, held, isClosed, guest, funder, expiresAt };
    },
    async bookingOnChain(tripId: Hex, bookingId: Hex) {
      const address = await escrowAddress();
      const booking = await client.readContract({
        address,
        abi: tripEscrowAbi,
        functionName: "bookings",
        args: [tripId, bookingId],
      });
      return { ...booking, state: bookingStates[booking.state] };
    },
    async withdrawable(account: Hex) {
      const address = await escrowAddress();
      return await client.readContract({ address, abi: tripEscrowAbi, functionName: "withdrawable", args: [account] });
    },
    /** A trip's record. */
    async trip(tripId: Hex) {
      const [row] = await service.sql("select * from trip where trip_id = $1", [tripId]);
      return z
        .looseObject({
          state: z.string(),
          pending: z.unknown(),
          budget_micro: z.coerce.bigint(),
          free_micro: z.coerce.bigint(),
          held_micro: z.coerce.bigint(),
          promised_micro: z.coerce.bigint(),
          vendor_paid_micro: z.coerce.bigint(),
          markup_paid_micro: z.coerce.bigint(),
          service_fee_paid_micro: z.coerce.bigint(),
          action_fee_paid_micro: z.coerce.bigint(),
          refunded_micro: z.coerce.bigint(),
        })
        .parse(row);
    },
    async booking(bookingId: Hex) {
      const [row] = await service.sql("select * from escrow_booking where booking_id = $1", [bookingId]);
      return z.looseObject({ state: z.string(), pending: z.unknown(), waiting_micro: z.coerce.bigint() }).parse(row);
    },
    /** Each step's transaction, oldest first. */
    async steps(bookingId: Hex): Promise<string[]> {
      const rows = await service.sql("select step from escrow_step where booking_id = $1 order by id", [bookingId]);
      return rows.map(({ step }) => String(step));
    },
    async holdings(as: CallOptions = {}) {
      return Holdings.parse(requireResult(await service.call("check_treasury", {}, as)));
    },
  };
}

export type Escrow = ReturnType<typeof openEscrow>;
