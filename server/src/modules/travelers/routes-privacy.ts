import { z } from "zod";
import { defineRoute } from "../../kernel/contracts/route.ts";
import type { Reads } from "./context.ts";
import type { PersonalData } from "./personal-data.ts";
import { TravelerPath, TravelerProfileAnswer } from "./routes.ts";

interface PrivacyPorts {
  personalData: PersonalData;
  reads: Reads;
}

/** The modules' records about a person. */
const HeldRecords = z.object({
  bookings: z
    .array(
      z.object({
        bookingId: z.string(),
        kind: z.string().describe("flight or stay"),
        orderId: z.string().nullable(),
        givenName: z.string().nullable().describe("As on the booking; null: the person booked for others"),
        familyName: z.string().nullable(),
        createdAt: z.string().meta({ format: "date-time" }),
      }),
    )
    .describe("That the person made, or travels on"),
  tripIds: z.array(z.string()).describe("Prefunded trips that the person asked for"),
  ratings: z.number().describe("How many ratings the person gave"),
  usageRecords: z.number().describe("How many calls were billed as the person's"),
  conversations: z
    .array(
      z.object({
        conversationId: z.string(),
        at: z.string().meta({ format: "date-time" }),
        text: z.string().nullable().describe("What the person wrote; null: nothing, or it was deleted"),
        reply: z.string().nullable(),
      }),
    )
    .describe("The person's messages with their replies, at most 1,000"),
});

const HeldAnswer = z.object({
  userId: z.string(),
  profile: TravelerProfileAnswer.nullable(),
  customerUserIds: z.array(z.string()).describe("The person's customers at the supplier"),
  ...HeldRecords.shape,
});

const ErasedAnswer = z.object({
  userId: z.string(),
  erased: z.literal(true),
  kept: z.array(z.string()).describe("What stays, without the person"),
});

const BUSY = "A call, a booking or a run of this traveler is pending. Send the request again when it has ended.";
const WORKS_FOR_TENANT =
  "This user works for the tenant and may decide approvals. The operator removes such a user first: npm run user -- remove.";
const NO_SUCH_TRAVELER = "This tenant has no traveler with this id.";
const KEPT = [
  "Bookings, payments, trips, ratings and usage records, as they moved money: a mark replaces the person.",
  "Invoices as they were issued, with the files made of them, as records of accounting: the operator decides for how long.",
  "Data on a public chain, where nothing names the person.",
  "Data that the supplier, the airline or the hotel holds about the booking and the customer: ask them.",
];

const exportTraveler = defineRoute({
  id: "export_traveler",
  method: "GET",
  path: "/api/travelers/:userId/export",
  tag: "travelers",
  summary: "Export everything held about a traveler",
  description: "Everything that this service holds of one of the tenant's users, in the environment of the key.",
  scope: "travelers:read",
  params: TravelerPath,
  answers: { 200: { description: "What is held.", schema: HeldAnswer } },
  errors: { not_found: NO_SUCH_TRAVELER },
  async run({ principal: { tenantId, environment }, params: { userId }, fail }, { reads }: PrivacyPorts) {
    const held = await reads(tenantId, ({ travelerRecords }) => travelerRecords.held(tenantId, userId, environment));
    if (held === undefined) throw fail("not_found");
    const { profile = null, customerUserIds, records } = held;
    return { profile, customerUserIds, ...HeldRecords.parse(records), userId };
  },
});

const eraseTraveler = defineRoute({
  id: "erase_traveler",
  method: "DELETE",
  path: "/api/travelers/:userId",
  tag: "travelers",
  summary: "Erase a traveler",
  description:
    "Deletes the profile, its customers and the user, and removes the person from all records that stay. It cannot be undone. A traveler with upcoming bookings is erased only with confirmFutureBookings=true: the bookings stay valid, and changing or cancelling them no longer shows who travels.",
  scope: "travelers:write",
  params: TravelerPath,
  query: z.object({
    confirmFutureBookings: z
      .enum(["true", "false"])
      .describe("true: also where flights or stays of the traveler are still ahead")
      .meta({ default: "false" })
      .exactOptional(),
  }),
  answers: { 200: { description: "The person is erased.", schema: ErasedAnswer } },
  errors: {
    not_found: NO_SUCH_TRAVELER,
    conflict:
      "A call, a booking or a run of this traveler is pending, or there are upcoming orders, which `orders` lists. Wait for it to end, or send confirmFutureBookings=true. Or budgets and policies name the traveler, which `rules` lists: a person with policy:administer must remove the traveler from them first.",
  },
  example: { answer: { userId: "user_ada", erased: true, kept: KEPT } },
  async run({ principal, params: { userId }, query, fail }, { personalData }: PrivacyPorts) {
    const { tenantId, environment, serviceAccountId: actor } = principal;
    const confirmFutureBookings = query.confirmFutureBookings === "true";
    const erased = await personalData.erase({ tenantId, userId, environment }, { actor, confirmFutureBookings });
    switch (erased.outcome) {
      case "unknown":
        throw fail("not_found");
      case "busy":
        throw fail("conflict", { detail: BUSY });
      case "works":
        throw fail("conflict", { detail: WORKS_FOR_TENANT });
      case "ahead":
        throw fail("conflict", { detail: sayAhead(erased.orders), extra: { orders: erased.orders } });
      case "ruled":
        throw fail("conflict", { detail: sayRuled(erased.rules), extra: { rules: erased.rules } });
      case "erased":
        return { userId, erased: true as const, kept: KEPT };
    }
  },
});

function sayAhead(orders: readonly string[]): string {
  return `This traveler has bookings that are still ahead: ${orders.join(", ")}. Cancel them first, or send confirmFutureBookings=true to erase the traveler all the same.`;
}

function sayRuled(rules: readonly string[]): string {
  return `Rules of the tenant name this traveler: ${rules.join(", ")}. A person whose key has policy:administer takes the traveler out of them first.`;
}

export const privacyRoutes = [exportTraveler, eraseTraveler];
