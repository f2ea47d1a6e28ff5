import { z } from "zod";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { isSameOperation } from "../../../kernel/contracts/chain-operation.ts";
import { chainProvenance, FreeRecipient, requireAddress, TokenAmount } from "../../treasury/index.ts";
import { BookingWrite, commitStepErrors, toStepAnswer } from "../bookings/booking-answer.ts";
import { checkCommit, commitBooking as commit, planCommit } from "../bookings/commit-booking.ts";
import { defineTool } from "../context.ts";
import { checkEscrow } from "../escrows/trip-escrow.ts";
import { EscrowAddress, FreeAmount, Hash, readHash, requireAmount, requireHash } from "../input.ts";
import { escrowStep } from "../step-machine/step-operation.ts";
import type { IsSameStep } from "../step-machine/take-booking-step.ts";

const Output = BookingWrite.extend({
  vendorAddress: z.string(),
  warnings: z.array(z.string()).readonly().default([]),
  vendorAmountUsdc: DecimalAmount,
  feeAmountUsdc: DecimalAmount,
});

const Input = z.strictObject({
  bookingId: z.string(),
  vendorAmountUsdc: TokenAmount,
  feeAmountUsdc: FreeAmount.default("0").describe("Paid to your treasury at settlement"),
  vendorAddress: FreeRecipient.describe("0x address that settle_booking pays"),
  itineraryHash: Hash,
  itineraryCID: z.string().optional(),
  escrowAddress: EscrowAddress,
});
type Input = z.output<typeof Input>;

export const commitBooking = defineTool({
  name: "commit_booking",
  title: "Commit a booking",
  summary: "Set what a reserved booking pays its vendor and your own fee; settle_booking pays it out.",
  advice:
    "Use it if you know the amounts; confirm_booking takes the price from your pricing policy. itineraryHash and vendorAddress come from book_flight or book_stay. Next, once ticketed: confirm_flight.",
  area: "escrow",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "stores", "clock"],
  input: Input,
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

  plan(input, { stores, chain, clock, caller }) {
    const { bookingId, escrowAddress } = input;
    const { vendor, itineraryHash, ...amounts } = readTerms(input);
    return planCommit(
      { stores, chain, clock, caller, escrowAddress },
      { bookingId, vendor, itineraryHash, isSame: isSameCommit(input) },
      async () => amounts,
    );
  },

  async probe(input, { stores, chain, caller }) {
    const { bookingId, vendorAddress } = input;
    const asked = { caller, bookingId: requireHash(bookingId), vendor: requireAddress(vendorAddress) };
    await checkCommit({ stores, chain }, { ...asked, isSame: isSameCommit(input) });
  },

  async run(input, { chain, submission, stores, clock, caller, call, fail }) {
    await checkEscrow({ chain, stores }, { ...input, tenantId: caller.tenantId });
    const bookingId = readHash(input.bookingId);
    if (bookingId === undefined) throw fail("booking_not_found");
    const { vendor, itineraryHash, ...amounts } = readTerms(input);
    const answer = await commit(
      { chain, submission, stores, clock },
      {
        caller,
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
        isSame: isSameCommit(input),
      },
    );
    return toStepAnswer(answer, Output);
  },
});

const readTerms = (input: Input) => ({
  vendor: requireAddress(input.vendorAddress),
  vendorAmount: requireAmount(input.vendorAmountUsdc),
  markup: requireAmount(input.feeAmountUsdc),
  serviceFee: 0n,
  itineraryHash: requireHash(input.itineraryHash),
});

/** Whether a stored commit is the requested one. */
const isSameCommit =
  (input: Input): IsSameStep =>
  (taken, { pricing }) => {
    const step = escrowStep.read(taken);
    const bookingId = readHash(input.bookingId);
    if (step === undefined || pricing !== undefined || bookingId === undefined) return false;
    const action = { name: "commit", bookingId, ...readTerms(input) } as const;
    return isSameOperation(taken, escrowStep.of({ ...step, action }));
  };
