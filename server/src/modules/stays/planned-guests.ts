import type { Caller } from "../../kernel/contracts/tool.ts";
import { findOwnCustomer, type Travelers } from "../travelers/index.ts";

interface NamedGuest {
  givenName: string;
  familyName: string;
  customerUserId?: string | undefined;
}

/** The users who would stay. Undefined: a guest is only named, or is no user of ours. */
export async function plannedGuests(
  ports: { travelers: Travelers; caller: Caller },
  guests: readonly NamedGuest[],
): Promise<readonly string[] | undefined> {
  const found = await knownGuests(ports, guests);
  return found.length === guests.length ? found : undefined;
}

/** The guests with their user ids, as far as they are users of the tenant. */
export async function asUsers(
  ports: { travelers: Travelers; caller: Caller },
  guests: readonly NamedGuest[],
): Promise<(NamedGuest & { userId: string | undefined })[]> {
  return await Promise.all(guests.map(async (guest) => ({ ...guest, userId: await findGuest(ports, guest) })));
}

/** The guests who are users of the tenant. */
export async function knownGuests(
  ports: { travelers: Travelers; caller: Caller },
  guests: readonly NamedGuest[],
): Promise<readonly string[]> {
  const found = await Promise.all(guests.map((guest) => findGuest(ports, guest)));
  return found.filter((userId) => userId !== undefined);
}

/** The user who is the guest: by customer id or, in a run, by the lead traveler's names. */
export async function findGuest(
  {
    travelers,
    caller,
  }: { travelers: Travelers; caller: Pick<Caller, "tenantId" | "environment" | "travelerId" | "leadTravelerId"> },
  { givenName, familyName, customerUserId }: NamedGuest,
): Promise<string | undefined> {
  if (customerUserId !== undefined) return await findOwnCustomer(travelers, caller, customerUserId);
  const { tenantId, environment, leadTravelerId } = caller;
  if (leadTravelerId === undefined) return undefined;
  const lead = await travelers.get(tenantId, leadTravelerId, environment);
  return lead?.givenName === givenName && lead.familyName === familyName ? leadTravelerId : undefined;
}
