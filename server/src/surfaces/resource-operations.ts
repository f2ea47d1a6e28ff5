import { z } from "zod";
import { isUserId, USER_ID_RULE } from "../domain/user-ids.ts";
import type { Operation } from "./operation.ts";
import { OrderAnswer, OrdersAnswer, OrdersQuery } from "./orders.ts";
import { TravelerAnswer, TravelerBody } from "./travelers.ts";
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
