import { z } from "zod";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount, wordsOfOthers } from "../../../domain/schemas.ts";
import { composeGuestMail } from "../../invitations/index.ts";
import {
  type AgentAction,
  type EscrowBooking,
  MOST_WRONG_CODES,
  type StepTransaction,
  type Trip,
} from "../../trips/index.ts";

/** Trips and bookings in escrow as their resource routes show them, without values derived from the code nonce and our key. */

const Time = z.string().meta({ format: "date-time" });
const Transactions = z
  .array(z.object({ step: z.string(), txHash: z.string(), at: Time.describe("When the service recorded it") }))
  .describe("One per step, oldest first");
const PendingStep = z.string().nullable().describe("The step whose transaction is in progress");

export const NO_SUCH_TRIP = "This tenant has no trip with this id. GET /api/trips lists them.";

export const TripSummary = z.object({
  tripId: z.string(),
  state: z
    .enum(["funding", "funded", "closed", "failed"])
    .describe(
      "funding: the budget transfer is pending; closed: nothing new can be reserved; failed: it was never funded",
    ),
  budgetUsdc: DecimalAmount.describe("The sum of free, held, and everything paid and refunded"),
  freeUsdc: DecimalAmount,
  heldUsdc: DecimalAmount.describe("Reserved for bookings"),
  refundedUsdc: DecimalAmount.describe("Given back to the treasury wallet"),
  expiresAt: Time,
  isExpired: z.boolean(),
  guestWallet: z.string().nullable().describe("null: not claimed"),
  details: z.record(z.string(), wordsOfOthers("As given to prefund_trip")),
  sandbox: z.boolean(),
  createdAt: Time,
  updatedAt: Time,
});

export const Claim = z.object({
  requiresCode: z.boolean(),
  wrongCodes: z.int().describe("Since the claim was last unlocked"),
  codesLeft: z.int().describe("Remaining wrong codes before the claim is locked"),
  isLocked: z.boolean().describe("True: after five wrong codes; the buyer unlocks it"),
  guestWallet: z.string().nullable().describe("null: not claimed"),
  claimedAt: Time.nullable(),
});

export const BookingAnswer = z.object({
  bookingId: z.string(),
  externalId: z.string().describe("The same id, in the form that order records use"),
  tripId: z.string(),
  state: z
    .enum(["reserving", "reserved", "committed", "confirmed", "settled", "cancelled", "failed"])
    .describe("reserving: its first transaction is in progress; failed: that had no effect"),
  pendingStep: PendingStep,
  reservedUsdc: DecimalAmount,
  vendorAddress: z.string().nullable(),
  vendorAmountUsdc: DecimalAmount.describe("Committed to the vendor; 0.00 before"),
  markupUsdc: DecimalAmount.describe("Committed to the tenant"),
  serviceFeeUsdc: DecimalAmount.describe("Committed to the service"),
  pricing: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("Set by confirm_booking: how the price was calculated"),
  itineraryHash: z.string().nullable(),
  itineraryCID: z.string().nullable(),
  ticketHash: z.string().nullable(),
  cancelReason: z.string().nullable(),
  vendorPaidUsdc: DecimalAmount,
  feePaidUsdc: DecimalAmount.describe("Markup and service fee"),
  refundedUsdc: DecimalAmount.describe("Given back to the treasury wallet"),
  returnedToTripUsdc: DecimalAmount.describe("For a cancelled booking: the amount returned to the trip's budget"),
  waitingUsdc: DecimalAmount.describe(
    "The part that could not be paid out when the booking ended; the escrow keeps it for its recipient",
  ),
  transactions: Transactions,
  sandbox: z.boolean(),
  createdAt: Time,
  updatedAt: Time,
});

export const TripAnswer = TripSummary.extend({
  escrowAddress: z.string(),
  funder: z.string().describe("The treasury wallet that pays and gets the remainder back"),
  promisedUsdc: DecimalAmount.describe("The part of the free budget that pending transactions will take"),
  vendorPaidUsdc: DecimalAmount,
  markupPaidUsdc: DecimalAmount,
  serviceFeePaidUsdc: DecimalAmount,
  actionFeePaidUsdc: DecimalAmount.describe("Fees of logged agent actions"),
  pendingStep: PendingStep,
  claim: Claim,
  codeNonce: z.string(),
  guestEmail: z.string().nullable().describe("As given to prefund_trip, with most of the name masked; null: none"),
  mail: z
    .enum(["none", "pending", "sent", "failed", "kept"])
    .describe("Email to the guest; kept: shown here, not delivered"),
  keptMail: z
    .object({
      to: z.string(),
      subject: z.string(),
      text: z.string().describe("Without the link, which was shown once"),
    })
    .nullable()
    .describe("The mail that the guest would have received"),
  bookings: z.array(BookingAnswer).describe("Newest first"),
  actions: z
    .array(
      z.object({
        actionId: z.string(),
        actionType: wordsOfOthers(),
        feeUsdc: DecimalAmount,
        txHash: z.string(),
        at: Time,
      }),
    )
    .describe("The latest, newest first"),
  transactions: Transactions,
});

export const TripClosed = TripSummary.extend({
  txHash: z.string().nullable().describe("The transaction that returned the free budget; null: somebody else's"),
});

export function describeTrip(trip: Trip, now: Temporal.Instant): z.output<typeof TripSummary> {
  return {
    tripId: trip.tripId,
    state: trip.state,
    budgetUsdc: formatDecimal(trip.budget),
    freeUsdc: formatDecimal(trip.free),
    heldUsdc: formatDecimal(trip.held),
    refundedUsdc: formatDecimal(trip.refunded),
    expiresAt: trip.expiresAt.toString(),
    isExpired: Temporal.Instant.compare(now, trip.expiresAt) >= 0,
    guestWallet: trip.guestWallet ?? null,
    details: { ...trip.details },
    sandbox: trip.environment === "sandbox",
    createdAt: trip.createdAt.toString(),
    updatedAt: trip.updatedAt.toString(),
  };
}

/** A trip with all its parts. */
export interface WholeTrip {
  trip: Trip;
  /** Newest first, like the actions. */
  bookings: readonly EscrowBooking[];
  actions: readonly AgentAction[];
}

const LATEST_BOOKINGS = 200;

export function describeWhole(
  { trip, bookings, actions }: WholeTrip,
  now: Temporal.Instant,
): z.output<typeof TripAnswer> {
  return {
    ...describeTrip(trip, now),
    escrowAddress: trip.escrow,
    funder: trip.funder,
    promisedUsdc: formatDecimal(trip.promised),
    vendorPaidUsdc: formatDecimal(trip.vendorPaid),
    markupPaidUsdc: formatDecimal(trip.markupPaid),
    serviceFeePaidUsdc: formatDecimal(trip.serviceFeePaid),
    actionFeePaidUsdc: formatDecimal(trip.actionFeePaid),
    pendingStep: trip.pending?.step ?? null,
    claim: describeClaim(trip),
    codeNonce: trip.codeNonce,
    guestEmail: trip.guestEmail === undefined ? null : trip.guestEmail.replace(/(?<=^.)[^@]*/u, "***"),
    mail: trip.mail,
    keptMail: describeKeptMail(trip),
    bookings: bookings.slice(0, LATEST_BOOKINGS).map(describeBooking),
    actions: actions.map(({ actionId, actionType, fee, transactionHash, at }) => ({
      actionId,
      actionType,
      feeUsdc: formatDecimal(fee),
      txHash: transactionHash,
      at: at.toString(),
    })),
    transactions: trip.transactions.map(describeTransaction),
  };
}

function describeKeptMail(trip: Trip): z.output<typeof TripAnswer>["keptMail"] {
  if (trip.mail !== "kept" || trip.guestEmail === undefined) return null;
  const { to, subject, text } = composeGuestMail(trip, trip.guestEmail, "(the guest link from prefund_trip)");
  return { to: to.address, subject, text };
}

export function describeClaim(trip: Trip): z.output<typeof Claim> {
  const { requiresCode, wrongCodes, guestWallet, claimedAt } = trip;
  return {
    requiresCode,
    wrongCodes,
    codesLeft: Math.max(0, MOST_WRONG_CODES - wrongCodes),
    isLocked: wrongCodes >= MOST_WRONG_CODES,
    guestWallet: guestWallet ?? null,
    claimedAt: claimedAt?.toString() ?? null,
  };
}

export function describeBooking(booking: EscrowBooking): z.output<typeof BookingAnswer> {
  const { bookingId, details } = booking;
  return {
    bookingId,
    externalId: bookingId,
    tripId: booking.tripId,
    state: booking.state,
    pendingStep: booking.pending?.step ?? null,
    reservedUsdc: formatDecimal(booking.reserved),
    vendorAddress: booking.vendor ?? null,
    vendorAmountUsdc: formatDecimal(booking.vendorAmount),
    markupUsdc: formatDecimal(booking.markup),
    serviceFeeUsdc: formatDecimal(booking.serviceFee),
    pricing: details.pricing ?? null,
    itineraryHash: booking.itineraryHash ?? null,
    itineraryCID: details.itineraryCid ?? null,
    ticketHash: booking.ticketHash ?? null,
    cancelReason: details.cancelReason ?? null,
    vendorPaidUsdc: formatDecimal(booking.vendorPaid),
    feePaidUsdc: formatDecimal(booking.feePaid),
    refundedUsdc: formatDecimal(booking.refunded),
    returnedToTripUsdc: formatDecimal(booking.returned),
    waitingUsdc: formatDecimal(booking.waiting),
    transactions: booking.transactions.map(describeTransaction),
    sandbox: booking.environment === "sandbox",
    createdAt: booking.createdAt.toString(),
    updatedAt: booking.updatedAt.toString(),
  };
}

function describeTransaction({ step, transactionHash, at }: StepTransaction) {
  return { step, txHash: transactionHash, at: at.toString() };
}
