import { isDeepStrictEqual } from "node:util";
import { invalidInput } from "../../domain/errors.ts";
import { buildGuestUserId } from "../../domain/user-ids.ts";
import { lockTrip, requireOpen } from "../escrow/index.ts";
import type { GuestLink } from "../invitations/index.ts";
import { birthProblem, missingForFlights, type TravelerProfile } from "../travelers/index.ts";
import type { Trip } from "../trips/index.ts";
import { type ClaimPorts, openClaim, requireCode } from "./claim-trip.ts";
import type { Aggregates, Ports } from "./context.ts";
import { guestFailure } from "./errors.ts";

/** The details that guests give about themselves. */
type GuestDetails = Pick<
  TravelerProfile,
  "givenName" | "familyName" | "bornOn" | "title" | "gender" | "email" | "phoneNumber"
>;

export interface TravelerRequest extends GuestLink {
  claimCode?: string | undefined;
  traveler: GuestDetails;
}

/** Runs of workflows wait for this event. */
const GUEST_TRAVELER_GIVEN = "guest_traveler_given";

const NOBODY: TravelerProfile = { loyaltyProgrammeAccounts: [], passports: [] };

/** The missing profile fields of the trip's guest for a flight. Null: the trip was not prefunded for a guest. */
export async function missingOfGuest(
  { stores: { travelerRecords } }: { stores: Pick<Aggregates, "travelerRecords"> },
  trip: Trip,
): Promise<readonly string[] | null> {
  if (!trip.forGuest) return null;
  return missingForFlights(withAddress((await findGuest(travelerRecords, trip)) ?? NOBODY, trip));
}

const findGuest = (
  travelerRecords: Pick<Aggregates["travelerRecords"], "get">,
  { tenantId, environment, tripId }: Trip,
) => travelerRecords.get(tenantId, buildGuestUserId(tripId), environment);

/**
 * Stores the guest's identity, once: whoever sees the link later cannot put somebody else on the flight. The same details again
 * are accepted. Throws Failure with a code of `guestTravelerErrors`, `claimErrors` or `tripStateErrors`.
 */
export async function giveTraveler(ports: ClaimPorts, request: TravelerRequest): Promise<{ userId: string }> {
  const { chain, stores, clock } = ports;
  const { tripId } = request;
  const issues = birthProblem(request.traveler.bornOn, clock);
  if (issues.length > 0) throw invalidInput(issues);
  await openClaim(ports, request);
  await requireCode(ports, request);
  const userId = buildGuestUserId(tripId);
  await stores.transaction(async ({ trips, travelerRecords, runEvents }) => {
    const trip = await lockTrip(trips, chain.environment, undefined, tripId);
    requireGuest(trip, clock);
    const { tenantId, environment } = trip;
    const known = await findGuest(travelerRecords, trip);
    const profile = { ...NOBODY, ...known, ...withAddress(request.traveler, trip) };
    if (known !== undefined && missingForFlights(known).length === 0 && !isDeepStrictEqual(profile, known)) {
      throw guestFailure("traveler_given");
    }
    const missing = missingForFlights(profile);
    if (missing.length > 0) throw invalidInput(missing.map((path) => ({ path, message: "is missing" })));
    await travelerRecords.put(tenantId, userId, environment, profile, "guest");
    await runEvents.raise({
      tenantId,
      environment,
      name: GUEST_TRAVELER_GIVEN,
      subject: tripId,
      resolution: { status: "given" },
    });
  });
  return { userId };
}

function requireGuest(trip: Trip, clock: Ports["clock"]): void {
  if (!trip.forGuest) throw guestFailure("no_guest_traveler");
  requireOpen(trip, clock);
  if (trip.guestWallet === undefined) throw guestFailure("not_claimed");
}

/** Defaults to the address that the buyer gave. */
function withAddress<Details extends GuestDetails>(traveler: Details, { guestEmail }: Trip): Details {
  if (traveler.email !== undefined || guestEmail === undefined) return traveler;
  return { ...traveler, email: guestEmail };
}
