import { z } from "zod";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { isSameOperation } from "../../../kernel/chain-operation.ts";
import { defineTool } from "../../../kernel/tool.ts";
import { addressOf, chainProvenance, FreeRecipient, TokenAmount } from "../../treasury/index.ts";
import { BookingWrite, commitStepErrors, toStepAnswer } from "../booking-answer.ts";
import { commitBooking as commit } from "../commit-booking.ts";
import { amountOf, EscrowAddress, FreeAmount, Hash, hashOf, readHash, requireEscrow } from "../input.ts";
import { planCommit } from "../plan-steps.ts";
import { escrowStep } from "../step-operation.ts";

const Output = BookingWrite.extend({
  vendorAddress: z.string(),
  warnings: z.array(z.string()).readonly().default([]),
  vendorAmountUsdc: DecimalAmount,
  feeAmountUsdc: DecimalAmount,
});

export const commitBooking = defineTool({
  name: "commit_booking",
  title: "Commit a booking",
  summary: "Fix what a reserved booking pays to its vendor, and your own fee; settle_booking pays it out.",
  advice:
    "Choose it when you know the amounts, which are taken as given. For a price by your pricing policy use confirm_booking; either commits the booking. itineraryHash and vendorAddress are those of book_flight or book_stay. Next, once there are tickets: confirm_flight.",
  area: "escrow",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "stores", "clock"],
  input: z.strictObject({
    bookingId: z.string(),
    vendorAmountUsdc: TokenAmount,
    feeAmountUsdc: FreeAmount.default("0").describe("Paid to your treasury at the settlement"),
    vendorAddress: FreeRecipient.describe("0x address that settle_booking pays"),
    itineraryHash: Hash,
    itineraryCID: z.string().optional(),
    escrowAddress: EscrowAddress,
  }),
  output: Output,
  errors: commitStepErrors,
  example: (_today, { reservedBookingId }) => ({
    bookingId: reservedBookingId,
    vendorAmountUsdc: "231.40",
    feeAmountUsdc: "5.00",
    vendorAddress: "0x00000000000000000000000000000000000a11ce",
    itineraryHash: `0x${"17".repeat(32)}`,
  }),
  gives: ({ bookingId }) => ({ committedBookingId: bookingId, reservedBookingId: undefined }),

  plan: ({ bookingId, vendorAddress, itineraryHash, vendorAmountUsdc, feeAmountUsdc }, { stores, caller }) =>
    planCommit(
      { stores, caller },
      { bookingId, vendor: addressOf(vendorAddress), itineraryHash: hashOf(itineraryHash) },
      async () => ({ vendorAmount: amountOf(vendorAmountUsdc), markup: amountOf(feeAmountUsdc), serviceFee: 0n }),
    ),

  async run(input, { chain, submission, stores, clock, caller: { tenantId }, call, fail }) {
    const { address: escrow } = requireEscrow(chain, input.escrowAddress);
    const bookingId = readHash(input.bookingId);
    if (bookingId === undefined) throw fail("booking_not_found");
    const vendor = addressOf(input.vendorAddress);
    const itineraryHash = hashOf(input.itineraryHash);
    const amounts = {
      vendorAmount: amountOf(input.vendorAmountUsdc),
      markup: amountOf(input.feeAmountUsdc),
      serviceFee: 0n,
    };
    const action = { name: "commit", bookingId, vendor, ...amounts, itineraryHash } as const;
    const answer = await commit(
      { chain, submission, stores, clock },
      {
        tenantId,
        callId: call.id,
        bookingId,
        vendor,
        itineraryHash,
        itineraryCid: input.itineraryCID,
        price: async () => ({
          ...amounts,
          answer: {
            vendorAmountUsdc: formatDecimal(amounts.vendorAmount),
            feeAmountUsdc: formatDecimal(amounts.markup),
            ...chainProvenance(chain, clock),
          },
        }),
        isSame(taken, { pricing }) {
          const step = escrowStep.read(taken);
          if (step === undefined || pricing !== undefined) return false;
          return isSameOperation(taken, escrowStep.of({ ...step, escrow, action }));
        },
      },
    );
    return toStepAnswer(answer, Output);
  },
});
