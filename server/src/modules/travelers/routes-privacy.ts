import { z } from "zod";
import { defineRoute } from "../../kernel/route.ts";
import type { Reads } from "../../kernel/stores.ts";
import type { PersonalData } from "./personal-data.ts";
import { TravelerPath, TravelerProfileAnswer } from "./routes.ts";

interface PrivacyPorts {
  personalData: PersonalData;
  reads: Reads;
}

const HeldAnswer = z.object({
  userId: z.string(),
  profile: TravelerProfileAnswer.nullable(),
  customerUserIds: z.array(z.string()).describe("The person's customers at the supplier"),
  bookings: z
    .array(
      z.object({
        bookingId: z.string(),
        kind: z.string().describe("flight or stay"),
        orderId: z.string().nullable(),
        givenName: z.string().nullable().describe("As it stands on the booking; null: the person booked for others"),
        familyName: z.string().nullable(),
        createdAt: z.string().meta({ format: "date-time" }),
      }),
    )
    .describe("That the person made, or travels on"),
  tripIds: z.array(z.string()).describe("Prefunded trips that the person asked for"),
  ratings: z.number().describe("How many ratings the person gave"),
  usageRecords: z.number().describe("How many calls were billed as the person's"),
});

const ErasedAnswer = z.object({
  userId: z.string(),
  erased: z.literal(true),
  kept: z.array(z.string()).describe("What stays, without the person"),
});

const WORKS_FOR_TENANT =
  "This user works for the tenant and may decide approvals. The operator removes such a user first: npm run user -- remove.";
const NO_SUCH_TRAVELER = "This tenant has no traveler with this id.";
const KEPT = [
  "Bookings, trips, ratings and usage records, as money was moved by them: they name a mark in place of the person.",
  "The audit log, which names the user's id and never what was in the profile.",
  "What the supplier, the airline or the hotel holds of the booking and the customer: ask them.",
];

const exportTraveler = defineRoute({
  id: "export_traveler",
  method: "GET",
  path: "/api/travelers/:userId/export",
  tag: "travelers",
  summary: "Export what is held of a traveler",
  description: "Everything that this service holds of one of the tenant's users, in the environment of the key.",
  scope: "travelers:read",
  params: TravelerPath,
  answers: { 200: { description: "What is held.", schema: HeldAnswer } },
  errors: { not_found: NO_SUCH_TRAVELER },
  async run({ principal: { tenantId, environment }, params: { userId }, fail }, { reads }: PrivacyPorts) {
    const held = await reads(tenantId, ({ travelerRecords }) => travelerRecords.held(tenantId, userId, environment));
    if (held === undefined) throw fail("not_found");
    const bookings = held.bookings.map((booking) => ({ ...booking, createdAt: booking.createdAt.toString() }));
    return { ...held, userId, profile: held.profile ?? null, bookings };
  },
});

const eraseTraveler = defineRoute({
  id: "erase_traveler",
  method: "DELETE",
  path: "/api/travelers/:userId",
  tag: "travelers",
  summary: "Erase a traveler",
  description:
    "Deletes the profile, its customers and the user, and takes the person out of the records that have to stay. It cannot be undone.",
  scope: "travelers:write",
  params: TravelerPath,
  answers: { 200: { description: "The person is erased.", schema: ErasedAnswer } },
  errors: {
    not_found: NO_SUCH_TRAVELER,
    conflict: "A booking or a run of this traveler is under way. Send the request again when it has ended.",
  },
  example: { answer: { userId: "user_ada", erased: true, kept: KEPT } },
  async run({ principal, params: { userId }, fail }, { personalData }: PrivacyPorts) {
    const { tenantId, environment, serviceAccountId } = principal;
    const outcome = await personalData.erase(tenantId, userId, environment, serviceAccountId);
    if (outcome === "unknown") throw fail("not_found");
    if (outcome === "busy") throw fail("conflict");
    if (outcome === "works") throw fail("conflict", { detail: WORKS_FOR_TENANT });
    return { userId, erased: true as const, kept: KEPT };
  },
});

export const privacyRoutes = [exportTraveler, eraseTraveler];
