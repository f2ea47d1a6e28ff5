import { z } from "zod";
import { isUserId, USER_ID_RULE } from "../../domain/user-ids.ts";
import type { Operation } from "../http/operation.ts";
import { OrderAnswer, OrdersAnswer, OrdersQuery } from "./orders.ts";
import { TravelerAnswer, TravelerBody } from "./travelers.ts";
import { BookingAnswer, TripAnswer, TripClosed, TripUnlocked } from "./trip-answers.ts";
import { booking, claim, trip, tripSummary } from "./trip-examples.ts";
import { TripsAnswer, TripsQuery } from "./trips.ts";
import { UsageAnswer, UsageQuery } from "./usage.ts";

/** What each keyed resource route is: `resources.ts` adds what it does. */

const TravelerPath = z.object({
  userId: z
    .string()
    .refine(isUserId)
    .meta({ maxLength: 128 })
    .describe(`Your own id of the user, or svc:<keyId>: ${USER_ID_RULE}`),
});

const profile: z.input<typeof TravelerBody> = {
  givenName: "Ada",
  familyName: "Lovelace",
  bornOn: "1985-12-10",
  title: "ms",
  gender: "f",
  email: "ada@example.com",
  phoneNumber: "+14155550123",
  preferredLanguage: "en-GB",
  loyaltyProgrammeAccounts: [{ airlineIataCode: "BA", accountNumber: "12345678" }],
  passports: [{ nationality: "GBR", number: "533401372", issuedOn: "2022-03-01", expiresOn: "2032-03-01" }],
};
const traveler: z.output<typeof TravelerAnswer> = TravelerAnswer.parse({ userId: "user_ada", ...profile });

export const readUsageOperation = {
  id: "read_usage",
  method: "GET",
  path: "/api/usage",
  tag: "usage",
  summary: "List usage records",
  description: "The tenant's usage records, newest first, and what it spent of its monthly cap.",
  access: { scope: "usage:read" },
  query: UsageQuery,
  answers: { 200: { description: "One page of records.", schema: UsageAnswer } },
  problems: [],
} satisfies Operation;

export const listOrdersOperation = {
  id: "list_orders",
  method: "GET",
  path: "/api/orders",
  tag: "orders",
  summary: "List orders",
  description: "The tenant's orders of flights and stays, newest first, as they were read at the supplier last.",
  access: { scope: "flights:read" },
  query: OrdersQuery,
  answers: { 200: { description: "One page of orders.", schema: OrdersAnswer } },
  problems: [],
} satisfies Operation;

export const readOrderOperation = {
  id: "read_order",
  method: "GET",
  path: "/api/orders/{orderId}",
  tag: "orders",
  summary: "Read an order",
  description: "One of the tenant's orders: its documents, and its changes, refunds, credits and history.",
  access: { scope: "flights:read" },
  pathParameters: z.object({ orderId: z.string().describe("As the booking answered it") }),
  answers: { 200: { description: "The order.", schema: OrderAnswer } },
  problems: ["not_found"],
} satisfies Operation;

const TripPath = z.object({ tripId: z.string().describe("0x and 64 hex digits, as prefund_trip answered it") });

export const listTripsOperation = {
  id: "list_trips",
  method: "GET",
  path: "/api/trips",
  tag: "escrow",
  summary: "List trips",
  description: "The tenant's prefunded trips, newest first, and where their money is.",
  access: { scope: "escrow:read" },
  query: TripsQuery,
  answers: {
    200: {
      description: "One page of trips.",
      schema: TripsAnswer,
      example: { trips: [tripSummary], nextCursor: null },
    },
  },
  problems: [],
} satisfies Operation;

export const readTripOperation = {
  id: "read_trip",
  method: "GET",
  path: "/api/trips/{tripId}",
  tag: "escrow",
  summary: "Read a trip",
  description: "One of the tenant's trips: its money, its claim, its bookings, agent actions and transactions.",
  access: { scope: "escrow:read" },
  pathParameters: TripPath,
  answers: { 200: { description: "The trip.", schema: TripAnswer, example: trip } },
  problems: ["not_found"],
} satisfies Operation;

export const readBookingOperation = {
  id: "read_booking",
  method: "GET",
  path: "/api/bookings/{bookingId}",
  tag: "escrow",
  summary: "Read a booking in escrow",
  description: "One of the tenant's bookings in escrow, with the transaction of each step.",
  access: { scope: "escrow:read" },
  pathParameters: z.object({ bookingId: z.string().describe("0x and 64 hex digits, as reserve_booking answered it") }),
  answers: { 200: { description: "The booking.", schema: BookingAnswer, example: booking } },
  problems: ["not_found"],
} satisfies Operation;

export const unlockTripOperation = {
  id: "unlock_trip",
  method: "POST",
  path: "/api/trips/{tripId}/unlock",
  tag: "escrow",
  summary: "Unlock a trip's claim",
  description:
    "Lets the guest try codes again after too many wrong ones. Asked again it changes nothing. 409 when the trip cannot be claimed any more.",
  access: { scope: "escrow:write" },
  pathParameters: TripPath,
  answers: {
    200: { description: "It is unlocked.", schema: TripUnlocked, example: { tripId: trip.tripId, claim } },
  },
  problems: ["not_found", "conflict"],
} satisfies Operation;

export const closeTripOperation = {
  id: "close_trip",
  method: "POST",
  path: "/api/trips/{tripId}/close",
  tag: "escrow",
  summary: "Close a trip",
  description:
    "Gives what is free back to the treasury wallet, and waits until the chain has it. Nothing new is reserved then; bookings go on. Asked again it answers the same.",
  access: { scope: "escrow:spend" },
  pathParameters: TripPath,
  answers: {
    200: {
      description: "It is closed.",
      schema: TripClosed,
      example: {
        ...tripSummary,
        state: "closed",
        freeUsdc: "0.00",
        refundedUsdc: "76.00",
        txHash: "0x5d2a0a4f2b1c9e8d7f6a5b4c3d2e1f00998877665544332211ffeeddccbbaa99",
      },
    },
  },
  problems: ["not_found", "conflict", "in_progress", "sandbox_unavailable"],
} satisfies Operation;

export const readTravelerOperation = {
  id: "read_traveler",
  method: "GET",
  path: "/api/travelers/{userId}",
  tag: "travelers",
  summary: "Read a traveler profile",
  description: "The profile of one of the tenant's users.",
  access: { scope: "travelers:read" },
  pathParameters: TravelerPath,
  answers: { 200: { description: "The profile.", schema: TravelerAnswer, example: traveler } },
  problems: ["not_found"],
} satisfies Operation;

export const writeTravelerOperation = {
  id: "write_traveler",
  method: "PUT",
  path: "/api/travelers/{userId}",
  tag: "travelers",
  summary: "Replace a traveler profile",
  description:
    "Creates the user when it is new. The body replaces the profile: a field that is left out is gone. Document numbers are encrypted at rest.",
  access: { scope: "travelers:write" },
  pathParameters: TravelerPath,
  body: { schema: TravelerBody, example: profile },
  answers: {
    200: { description: "The profile was replaced.", schema: TravelerAnswer, example: traveler },
    201: { description: "The user was created.", schema: TravelerAnswer, example: traveler },
  },
  problems: [],
} satisfies Operation;
