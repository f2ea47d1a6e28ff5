import type { z } from "zod";
import { TripRecordAnswer } from "../memory/index.ts";
import { BookingAnswer, Claim, TripAnswer, TripSummary } from "./trip-answers.ts";

/** A trip in the middle of its life, for the API description. */

const tripId = "0x9c22ff5f21f0b81b113e63f7db6da94fedef11b2119b4088b89664fb9a3cb658";
const treasury = "0x4e59b44847b379578588920ca78fbf26c0b4956c";
const guestWallet = "0x00000000000000000000000000000000000a11ce";
const transaction = (step: string, at: string) => ({
  step,
  txHash: `0x${step.length.toString(16).repeat(64)}`,
  at,
});

export const tripSummary: z.output<typeof TripSummary> = TripSummary.parse({
  tripId,
  state: "funded",
  budgetUsdc: "500.00",
  freeUsdc: "76.00",
  heldUsdc: "424.00",
  refundedUsdc: "0.00",
  expiresAt: "2026-12-21T09:00:00Z",
  isExpired: false,
  guestWallet,
  sandbox: true,
  createdAt: "2026-11-21T09:00:00Z",
  updatedAt: "2026-11-21T09:12:00Z",
});

export const claim: z.output<typeof Claim> = Claim.parse({
  requiresCode: true,
  wrongCodes: 0,
  codesLeft: 5,
  isLocked: false,
  guestWallet: null,
  claimedAt: null,
});

export const booking: z.output<typeof BookingAnswer> = BookingAnswer.parse({
  bookingId: `0x${"b0".repeat(32)}`,
  externalId: `0x${"b0".repeat(32)}`,
  tripId,
  state: "committed",
  pendingStep: null,
  reservedUsdc: "424.00",
  vendorAddress: "0x00000000000000000000000000000000000b0b01",
  vendorAmountUsdc: "400.00",
  markupUsdc: "20.00",
  serviceFeeUsdc: "4.00",
  pricing: { policyVersion: 1, costMicroUsdc: "400000000", markupMicroUsdc: "20000000", totalMicroUsdc: "424000000" },
  itineraryHash: `0x${"17".repeat(32)}`,
  itineraryCID: null,
  ticketHash: null,
  cancelReason: null,
  vendorPaidUsdc: "0.00",
  feePaidUsdc: "0.00",
  refundedUsdc: "0.00",
  returnedToTripUsdc: "0.00",
  waitingUsdc: "0.00",
  transactions: [transaction("reserve", "2026-11-21T09:10:00Z"), transaction("commit", "2026-11-21T09:12:00Z")],
  sandbox: true,
  createdAt: "2026-11-21T09:10:00Z",
  updatedAt: "2026-11-21T09:12:00Z",
});

export const trip: z.output<typeof TripAnswer> = TripAnswer.parse({
  ...tripSummary,
  escrowAddress: "0x1c91347f2a44538ce62453bebd9aa907c662b4bd",
  funder: treasury,
  promisedUsdc: "0.00",
  vendorPaidUsdc: "0.00",
  markupPaidUsdc: "0.00",
  serviceFeePaidUsdc: "0.00",
  actionFeePaidUsdc: "0.00",
  pendingStep: null,
  claim: { ...claim, guestWallet, claimedAt: "2026-11-21T09:05:00Z" },
  codeNonce: `0x${"5a".repeat(32)}`,
  guestEmail: "a***@example.com",
  mail: "sent",
  keptMail: null,
  details: { guestName: "Ada", tripSummary: "Lisbon in December", linkOrigin: "https://wayfare.example" },
  bookings: [booking],
  actions: [],
  transactions: [transaction("fund", "2026-11-21T09:00:02Z"), transaction("claim", "2026-11-21T09:05:00Z")],
});

export const record: z.output<typeof TripRecordAnswer> = TripRecordAnswer.parse({
  summary: "2026-11-21 09:05 The guest claimed the trip.\nEntries: claim 1, money 2.",
  record: [
    {
      at: "2026-11-21T09:12:00Z",
      kind: "money",
      text: "424.00 USDC were committed to a booking.",
      details: { step: "commit", bookingId: `0x${"b0".repeat(32)}`, vendorAmountUsdc: "400.00" },
      userId: null,
    },
  ],
  nextCursor: "3",
});
