import { Failure } from "../../../domain/errors.ts";
import { PlanReads } from "../../../kernel/call/plan-reads.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { SeenOffer } from "../../bookings/index.ts";
import { chooseLead, findOwnTraveler, type TravelerProfile, type Travelers } from "../../travelers/index.ts";
import { findTravelDay, inPlaces } from "../searching/passenger-types.ts";

type ProfileReads = PlanReads<TravelerProfile | undefined>;
type ReadProfile = (
  travelers: Pick<Travelers, "get">,
  caller: Pick<Caller, "tenantId" | "environment">,
  userId: string,
) => Promise<TravelerProfile | undefined>;

/** A traveler who is erased meanwhile is found when the booking is stored. */
const plannedProfiles: ProfileReads = new PlanReads();
/** Those with which the run has booked, for the warnings in its answer. */
const bookedProfiles: ProfileReads = new PlanReads();

/** Returns the traveler's profile: the first time the one that the call's plan read. */
export const getProfile: ReadProfile = (travelers, caller, userId) =>
  bookedProfiles.read(caller, userId, () =>
    plannedProfiles.take(caller, userId, () => getFresh(travelers, caller, userId)),
  );

/** The same for whoever judges the plan. */
export const peekProfile: ReadProfile = (travelers, caller, userId) =>
  plannedProfiles.peek(caller, userId, () => getFresh(travelers, caller, userId));

/** The profile with which the call has booked; for a repeated call, which books nothing, as it is now. */
export const takeBookedProfile: ReadProfile = (travelers, caller, userId) =>
  bookedProfiles.take(caller, userId, () => getFresh(travelers, caller, userId));

const getFresh: ReadProfile = (travelers, { tenantId, environment }, userId) =>
  travelers.get(tenantId, userId, environment);

/** The travelers of an offer as `book_flight` finds them. Undefined if one is not a user, or the number of passengers is unknown. */
export async function plannedTravelers(
  { travelers, caller }: { travelers: Travelers; caller: Caller },
  customerUserIds: readonly string[],
  seen: SeenOffer | undefined,
): Promise<readonly string[] | undefined> {
  const found = await Promise.all(customerUserIds.map((id) => findOwnTraveler(travelers, caller, id)));
  const named = found.filter((userId) => userId !== undefined);
  if (named.length < found.length || seen?.kind !== "flight" || seen.passengers === null) return undefined;
  return named.length === seen.passengers ? named : [chooseLead(caller), ...named];
}

/** The traveler in a refusal: by the id that the call named, too, if that is the supplier's. */
export const asNamed = (userId: string, named: string | undefined): { userId: string; customerUserId?: string } =>
  named === undefined || named === userId ? { userId } : { userId, customerUserId: named };

/** The same, as far as known. The lead counts as a traveler unless the others are known to fill the offer. */
export async function namedTravelers(
  ports: { travelers: Travelers; caller: Caller },
  customerUserIds: readonly string[],
  seen: SeenOffer | undefined,
): Promise<readonly string[]> {
  const planned = await plannedTravelers(ports, customerUserIds, seen);
  if (planned !== undefined) return planned;
  const found = await Promise.all(customerUserIds.map((id) => findOwnTraveler(ports.travelers, ports.caller, id)));
  return [chooseLead(ports.caller), ...found.filter((userId) => userId !== undefined)];
}

/** The refusal by age that `book_flight` would give, if the offer was shown and every profile has a date of birth. */
export async function refusalByAge(
  ports: { travelers: Travelers; caller: Caller },
  customerUserIds: readonly string[],
  seen: SeenOffer | undefined,
): Promise<Failure | undefined> {
  const userIds = await plannedTravelers(ports, customerUserIds, seen);
  if (userIds === undefined || seen?.kind !== "flight" || seen.expected === undefined) return undefined;
  const day = findTravelDay(seen.legs.map(({ departingAt }) => departingAt));
  const { tenantId, environment } = ports.caller;
  const profiles = await Promise.all(
    userIds.map((userId) =>
      plannedProfiles.read(ports.caller, userId, () => ports.travelers.get(tenantId, userId, environment)),
    ),
  );
  const aged = userIds.flatMap((userId, index) => {
    const bornOn = profiles[index]?.bornOn;
    const named = customerUserIds[index - (userIds.length - customerUserIds.length)];
    return bornOn === undefined ? [] : [{ ...asNamed(userId, named), bornOn }];
  });
  const { expected } = seen;
  const isForAges = expected.some(({ age }) => age !== undefined);
  if (day === undefined || aged.length < userIds.length || (aged.length < expected.length && !isForAges))
    return undefined;
  try {
    inPlaces(aged, expected, day);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
