import type { Caller } from "../../kernel/contracts/tool.ts";
import { findOwnTraveler, type Travelers } from "../travelers/index.ts";

interface NamedGuest {
  givenName: string;
  familyName: string;
  /** Also a userId. */
  customerUserId?: string | undefined;
}

interface Named<Guest extends NamedGuest = NamedGuest> {
  guests: readonly Guest[];
  /** The address that the booking is made with. */
  email: string;
}

interface Ports {
  travelers: Travelers;
  caller: Pick<Caller, "tenantId" | "environment" | "travelerId" | "leadTravelerId">;
}

/** The users who would stay. Undefined: a guest is only named, or is no user of ours. */
export async function plannedGuests(ports: Ports, named: Named): Promise<readonly string[] | undefined> {
  const found = await knownGuests(ports, named);
  return found.length === named.guests.length ? found : undefined;
}

/** The guests with their user ids, as far as they are users of the tenant. */
export async function asUsers<Guest extends NamedGuest>(
  ports: Ports,
  { guests, email }: Named<Guest>,
): Promise<(Guest & { userId: string | undefined })[]> {
  return await Promise.all(guests.map(async (guest) => ({ ...guest, userId: await findGuest(ports, guest, email) })));
}

/** The guests who are users of the tenant. */
export async function knownGuests(ports: Ports, named: Named): Promise<readonly string[]> {
  return (await asUsers(ports, named)).flatMap(({ userId }) => userId ?? []);
}

/** The user who is the guest: by id; in a run by the lead traveler's names; or by names and the address of the booking. */
async function findGuest(
  { travelers, caller }: Ports,
  { givenName, familyName, customerUserId }: NamedGuest,
  email: string,
): Promise<string | undefined> {
  if (customerUserId !== undefined) return await findOwnTraveler(travelers, caller, customerUserId);
  const { tenantId, environment, leadTravelerId } = caller;
  if (leadTravelerId !== undefined) {
    const lead = await travelers.get(tenantId, leadTravelerId, environment);
    if (lead?.givenName === givenName && lead.familyName === familyName) return leadTravelerId;
  }
  return await travelers.findByNameAndEmail(tenantId, environment, { givenName, familyName, email });
}
