import { z } from "zod";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { ChainResult, chainProvenance } from "../../treasury/index.ts";
import { toStepAnswer } from "../bookings/booking-answer.ts";
import { defineTool } from "../context.ts";
import { stepErrors, tripStateErrors } from "../errors.ts";
import { readHash } from "../input.ts";
import { planTripStep } from "../step-machine/plan-step.ts";
import { describeClosing, requireTrip, takeClosing } from "../trips/close-trip.ts";

const Output = ChainResult.extend({
  tripId: z.string(),
  state: z.literal("closed"),
  returnedNowUsdc: DecimalAmount.nullable()
    .default(null)
    .describe("Amount returned by this call; null: the trip was already closed"),
  returnedUsdc: DecimalAmount.describe("Everything of the trip's budget that has returned to your treasury wallet"),
  returnedTo: z.string().optional().describe("Address of your treasury wallet, which funded the trip"),
  heldUsdc: DecimalAmount.describe("Still reserved for bookings, which continue: settle_booking or cancel_booking"),
  txHash: z.string().nullable().describe("Transaction that returned the free money; null: nothing was free"),
  status: z.literal("confirmed"),
});

const { trip_not_found, trip_not_funded, trip_in_progress } = tripStateErrors;

export const closeTrip = defineTool({
  name: "close_trip",
  title: "Close a trip",
  summary:
    "Return the free part of a trip's budget to your treasury wallet. Nothing new can be reserved; existing bookings continue.",
  area: "escrow",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "stores", "clock"],
  input: z.strictObject({ tripId: z.string().describe("From prefund_trip or list_trips") }),
  output: Output,
  errors: { ...stepErrors, trip_not_found, trip_not_funded, trip_in_progress },
  example: (_today, { tripId }) => ({ tripId }),
  usesUp: ["tripId"],

  plan: ({ tripId }, { stores, chain, clock, caller }) =>
    planTripStep({ stores, chain, clock, caller }, tripId, { name: "close" }),

  async run(input, { chain, submission, stores, clock, caller: { tenantId }, call, fail }) {
    const tripId = readHash(input.tripId);
    if (tripId === undefined) throw fail("trip_not_found");
    const ports = { chain, submission, stores, clock };
    const answer = await takeClosing(ports, { tenantId, tripId, callId: call.id });
    if (answer !== undefined && "returnedUsdc" in answer.result) return toStepAnswer(answer, Output);
    // It was released after its expiry, or closed by an earlier version.
    const trip = await requireTrip(ports, tenantId, tripId);
    const given = trip.transactions.findLast(({ step }) => step === "close" || step === "release");
    return {
      ...describeClosing(trip),
      ...chainProvenance(chain, clock),
      chainId: chain.chainId,
      txHash: given?.transactionHash ?? null,
      status: "confirmed" as const,
    };
  },
});
