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
        givenName: z.string().nullable().describe("Name as on the booking; null: the person booked for others"),
        familyName: z.string().nullable(),
        createdAt: z.string().meta({ format: "date-time" }),
      }),
    )
    .describe("Bookings that the person made or travels on"),
  tripIds: z.array(z.string()).describe("Prefunded trips that the person requested"),
  ratings: z.number().describe("Number of ratings that the person gave"),
  usageRecords: z.number().describe("Number of calls billed to the person"),
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
  customerUserIds: z.array(z.string()).describe("The person's customer records at the supplier"),
  ...HeldRecords.shape,
});

const ErasedAnswer = z.object({
  userId: z.string(),
  erased: z.literal(true),
  kept: z.array(z.string()).describe("What stays, without personal data"),
});

const BUSY = "A call, a booking or a run of this traveler is pending. Send the request again once it has ended.";
const WORKS_FOR_TENANT =
  "This user works for the tenant and may decide approvals. The operator removes such a user first: npm run user -- remove.";
const NO_SUCH_TRAVELER = "This tenant has no traveler with this id.";
const KEPT = [
  "Bookings, payments, trips, ratings and usage records, because they moved money: a placeholder replaces the person.",
  "Invoices as issued, with their files, because they are accounting records: the operator decides for how long.",
  "Data on a public chain, which does not name the person.",
  "Data that the supplier, the airline or the hotel holds about the booking and the customer: ask them.",
];

const exportTraveler = defineRoute({
  id: "export_traveler",
  method: "GET",
  path: "/api/travelers/:userId/export",
  tag: "travelers",
  summary: "Export everything held about a traveler",
  description: "Everything that this service holds about one of the tenant's users, in the environment of the key.",
  scope: "travelers:read",
  params: TravelerPath,
  answers: { 200: { description: "The data held.", schema: HeldAnswer } },
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
    "Deletes the profile, its customer records and the user, and removes the person from all remaining records. It cannot be undone. A traveler with upcoming bookings is erased only with confirmFutureBookings=true: the bookings stay valid, and changing or cancelling them no longer shows who travels.",
  scope: "travelers:write",
  params: TravelerPath,
  query: z.object({
    confirmFutureBookings: z
      .enum(["true", "false"])
      .describe("true: erase even if the traveler has upcoming flights or stays")
      .meta({ default: "false" })
      .exactOptional(),
  }),
  answers: { 200: { description: "The person was erased.", schema: ErasedAnswer } },
  errors: {
    not_found: NO_SUCH_TRAVELER,
    conflict:
      "A call, a booking or a run of this traveler is pending, or there are upcoming orders, which `orders` lists. Wait for it to end, or send confirmFutureBookings=true. Or budgets or policies name the traveler, which `rules` lists: a person with policy:administer must first remove the traveler from them.",
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
  return `This traveler has upcoming bookings: ${orders.join(", ")}. Cancel them first, or send confirmFutureBookings=true to erase the traveler anyway.`;
}

function sayRuled(rules: readonly string[]): string {
  return `Rules of the tenant name this traveler: ${rules.join(", ")}. A person whose key has policy:administer must first remove the traveler from them.`;
}

export const privacyRoutes = [exportTraveler, eraseTraveler];
