import { z } from "zod";
import { canonicalJson } from "../../../domain/canonical-json.ts";
import { MicroAmount, readMicro, requireMicro } from "../../../domain/micro-amount.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import { chainProvenance, FreeRecipient, requireAddress } from "../../treasury/index.ts";
import { BookingWrite, commitStepErrors, toStepAnswer } from "../bookings/booking-answer.ts";
import { checkCommit, commitBooking, planCommit } from "../bookings/commit-booking.ts";
import { priceBooking, priceErrors } from "../bookings/price-booking.ts";
import { defineTool, type Stores } from "../context.ts";
import { checkEscrow } from "../escrows/trip-escrow.ts";
import { EscrowAddress, Hash, readHash, requireHash } from "../input.ts";
import { escrowStep } from "../step-machine/step-operation.ts";
import type { IsSameStep } from "../step-machine/take-booking-step.ts";

const Output = BookingWrite.extend({
  vendorAddress: z.string(),
  warnings: z.array(z.string()).readonly().default([]),
  costUsdc: DecimalAmount,
  markupUsdc: DecimalAmount,
  serviceTakeUsdc: DecimalAmount,
  totalUsdc: DecimalAmount,
});

const Override = z.strictObject({
  reason: z.enum(["ceiling_acknowledged"]),
  acknowledgedMicroUsdc: MicroAmount.describe("Exactly the markup over the ceiling"),
});

/** A malformed amount is already reported. */
const isPositive = (text: string): boolean => readMicro(text) !== 0n;

export const confirmBooking = defineTool({
  name: "confirm_booking",
  title: "Price and commit a booking",
  summary:
    "Commit a reserved booking at its net cost plus your pricing policy's markup and the service's fee of 1 % of the cost. Only after the traveler's approval.",
  advice:
    "To set the amounts yourself, use commit_booking. This does not confirm tickets: call confirm_flight next. itineraryHash and vendorAddress come from the order.",
  area: "escrow",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "stores", "clock"],
  input: z
    .strictObject({
      bookingId: z.string(),
      costMicroUsdc: MicroAmount.refine(isPositive, { message: "must be more than 0" }).describe(
        "Supplier's net rate in micro-USDC: 25 USDC is 25000000",
      ),
      markupBps: z.int().min(0).max(10_000).optional().describe("Of the cost: 500 is 5 %; default: your policy's"),
      markupMicroUsdc: MicroAmount.optional().describe("Not together with markupBps"),
      override: Override.optional(),
      itineraryHash: Hash,
      itineraryCID: z.string().optional(),
      vendorAddress: FreeRecipient.describe("0x address that settle_booking pays"),
      escrowAddress: EscrowAddress,
    })
    .superRefine(({ markupBps, markupMicroUsdc }, context) => {
      if (markupBps === undefined || markupMicroUsdc === undefined) return;
      context.addIssue({
        code: "custom",
        path: ["markupMicroUsdc"],
        message: "must not be given together with markupBps",
      });
    }),
  output: Output,
  errors: { ...commitStepErrors, ...priceErrors },
  example: (_today, { reservedBookingId }) => ({
    bookingId: reservedBookingId,
    costMicroUsdc: "220000000",
    markupBps: 500,
    itineraryHash: `0x${"18".repeat(32)}`,
    vendorAddress: "0x00000000000000000000000000000000000a11ce",
  }),
  gives: () => ({ reservedBookingId: undefined }),

  plan: (input, { stores, chain, clock, caller }) =>
    planCommit(
      { stores, chain, clock, caller, escrowAddress: input.escrowAddress },
      {
        bookingId: input.bookingId,
        vendor: requireAddress(input.vendorAddress),
        itineraryHash: requireHash(input.itineraryHash),
        isSame: isSameCommit(input),
      },
      async () => (await priceByPolicy(stores, caller, input)).committed,
    ),

  async probe(input, { stores, chain, caller }) {
    const { bookingId, vendorAddress } = input;
    const asked = { caller, bookingId: requireHash(bookingId), vendor: requireAddress(vendorAddress) };
    await checkCommit({ stores, chain }, { ...asked, isSame: isSameCommit(input) });
  },

  async run(input, { chain, submission, stores, clock, caller, call, fail }) {
    await checkEscrow({ chain, stores }, { ...input, tenantId: caller.tenantId });
    const bookingId = readHash(input.bookingId);
    if (bookingId === undefined) throw fail("booking_not_found");
    const vendor = requireAddress(input.vendorAddress);
    const itineraryHash = requireHash(input.itineraryHash);
    const asked = pickAskedPrice(input);
    const answer = await commitBooking(
      { chain, submission, stores, clock },
      {
        caller,
        callId: call.id,
        bookingId,
        vendor,
        itineraryHash,
        itineraryCid: input.itineraryCID,
        async price() {
          const { committed, pricing, answer } = await priceByPolicy(stores, caller, input);
          return {
            ...committed,
            pricing: { ...pricing, asked },
            answer: { ...answer, ...chainProvenance(chain, clock) },
          };
        },
        isSame: isSameCommit(input),
      },
    );
    return toStepAnswer(answer, Output);
  },
});

/** The inputs of the price: a repetition with the same inputs is the same commit, even under a changed policy. */
function pickAskedPrice({ costMicroUsdc, markupBps, markupMicroUsdc, override }: PriceInput) {
  return {
    costMicroUsdc,
    ...(markupBps === undefined ? {} : { markupBps }),
    ...(markupMicroUsdc === undefined ? {} : { markupMicroUsdc }),
    ...(override === undefined ? {} : { acknowledgedMicroUsdc: override.acknowledgedMicroUsdc }),
  };
}

/** Whether a stored commit is the requested one. */
const isSameCommit =
  (input: PriceInput & { vendorAddress: string; itineraryHash: string }): IsSameStep =>
  (taken, { pricing }) => {
    const action = escrowStep.read(taken)?.action;
    return (
      action?.name === "commit" &&
      action.vendor === requireAddress(input.vendorAddress) &&
      action.itineraryHash === requireHash(input.itineraryHash) &&
      pricing !== undefined &&
      canonicalJson(pricing.asked) === canonicalJson(pickAskedPrice(input))
    );
  };

/** Throws a Failure with a code of `priceErrors`. */
async function priceByPolicy(
  stores: Pick<Stores, "pricingPolicies">,
  { tenantId, environment }: Caller,
  { costMicroUsdc, markupBps, markupMicroUsdc, override }: PriceInput,
) {
  return priceBooking({
    cost: requireMicro(costMicroUsdc),
    markupBps,
    markup: markupMicroUsdc === undefined ? undefined : requireMicro(markupMicroUsdc),
    acknowledged: override === undefined ? undefined : requireMicro(override.acknowledgedMicroUsdc),
    policy: await stores.pricingPolicies.active(tenantId, environment),
  });
}

interface PriceInput {
  costMicroUsdc: string;
  markupBps?: number | undefined;
  markupMicroUsdc?: string | undefined;
  override?: z.output<typeof Override> | undefined;
}
