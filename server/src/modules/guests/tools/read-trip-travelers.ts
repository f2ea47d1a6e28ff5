import { z } from "zod";
import { wordsOfOthers } from "../../../domain/schemas.ts";
import { hasScope } from "../../../domain/scopes.ts";
import { buildGuestUserId } from "../../../domain/user-ids.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import { readHash, tripStateErrors } from "../../escrow/index.ts";
import {
  chooseLead,
  customerErrors,
  findOwnTraveler,
  missingForFlights,
  type TravelerProfile,
} from "../../travelers/index.ts";
import type { Trip } from "../../trips/index.ts";
import { defineTool, type Ports } from "../context.ts";

const { trip_not_found } = tripStateErrors;
const NOBODY: TravelerProfile = { loyaltyProgrammeAccounts: [], passports: [] };

const Traveler = z.object({
  userId: z.string().describe("For save_traveler"),
  customerUserId: z.string().nullable(),
  isGuest: z.boolean().describe("The trip's guest, who can also give the details on the guestLink page"),
  givenName: wordsOfOthers().nullable().describe("null: unknown, or the key lacks travelers:read"),
  familyName: wordsOfOthers().nullable(),
  missingForFlights: z.array(z.string()).describe("Fields for save_traveler"),
});

export const readTripTravelers = defineTool({
  name: "read_trip_travelers",
  title: "Read who travels",
  summary: "Show who travels if a workflow books for a trip, and which fields their profiles lack.",
  area: "escrow",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["stores", "travelers"],
  input: z.strictObject({
    tripId: z.string(),
    passengers: z.number().int().min(1).max(9).default(1),
    customerUserIds: z
      .array(z.string())
      .max(9)
      .default([])
      .describe("userId or icu_…: all travelers, or those who accompany the first one"),
  }),
  output: z.object({
    tripId: z.string(),
    travelers: z.array(Traveler).describe("In booking order"),
    missingTravelers: z.int().describe("How many are not named yet"),
  }),
  errors: {
    trip_not_found,
    ...customerErrors,
  },
  example: (_today, { tripId }) => ({ tripId }),

  async run({ tripId: text, passengers, customerUserIds }, { stores, travelers, caller, fail, invalid }) {
    const tripId = readHash(text);
    const trip =
      tripId === undefined ? undefined : await stores.trips.find(caller.tenantId, caller.environment, tripId);
    if (trip === undefined) throw fail("trip_not_found");
    if (customerUserIds.length > passengers) {
      throw invalid({ path: "customerUserIds", message: `must name at most ${passengers}: passengers says so` });
    }
    const named = [];
    for (const id of customerUserIds) {
      const userId = await findOwnTraveler(travelers, caller, id);
      if (userId === undefined) throw fail("customer_not_found", { extra: { customerUserId: id } });
      named.push({ userId, customerUserId: id === userId ? null : id });
    }
    const isFull = named.length === passengers;
    const all = isFull ? named : [{ userId: leadOfTrip(trip, caller), customerUserId: null }, ...named];
    return {
      tripId: trip.tripId,
      travelers: await Promise.all(all.map((one) => describe(travelers, caller, trip, one))),
      missingTravelers: passengers - all.length,
    };
  },
});

const leadOfTrip = (trip: Trip, caller: Caller): string =>
  trip.forGuest ? buildGuestUserId(trip.tripId) : chooseLead(caller);

async function describe(
  travelers: Ports["travelers"],
  { tenantId, environment, scopes }: Caller,
  { tripId }: Trip,
  { userId, customerUserId }: { userId: string; customerUserId: string | null },
): Promise<z.output<typeof Traveler>> {
  const profile = (await travelers.get(tenantId, userId, environment)) ?? NOBODY;
  const mayRead = hasScope(scopes, "travelers:read");
  return {
    userId,
    customerUserId,
    isGuest: userId === buildGuestUserId(tripId),
    givenName: (mayRead ? profile.givenName : undefined) ?? null,
    familyName: (mayRead ? profile.familyName : undefined) ?? null,
    missingForFlights: missingForFlights(profile),
  };
}
