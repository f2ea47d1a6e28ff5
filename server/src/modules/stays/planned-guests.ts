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
  const found = await Promise.all(guests.map(async (guest) => ({ guest, ...(await findGuest(ports, guest, email)) })));
  const known = new Set(found.flatMap(({ userId }) => userId ?? []));
  // A booking has one address, so those who travel with its owner, or with another known user, are told by their names.
  const isParty = known.size > 0;
  const namesakes = found.flatMap(({ userId, alike }) => (userId === undefined ? alike : []));
  const isOnly = (userId: string) => !known.has(userId) && namesakes.filter((one) => one === userId).length === 1;
  return found.map(({ guest, userId, alike }) => {
    const [only] = alike.length === 1 && isParty ? alike.filter(isOnly) : [];
    return { ...guest, userId: userId ?? only };
  });
}

/** The guests who are users of the tenant. */
export async function knownGuests(ports: Ports, named: Named): Promise<readonly string[]> {
  return (await asUsers(ports, named)).flatMap(({ userId }) => userId ?? []);
}

/**
 * The user who is the guest: by id; in a run by the lead traveler's names; or by names and the address of the booking.
 * `alike`: the users of the same name, if none of these is one.
 */
async function findGuest(
  { travelers, caller }: Ports,
  { givenName, familyName, customerUserId }: NamedGuest,
  email: string,
): Promise<{ userId: string | undefined; alike: readonly string[] }> {
  if (customerUserId !== undefined)
    return { userId: await findOwnTraveler(travelers, caller, customerUserId), alike: [] };
  const { tenantId, environment, leadTravelerId } = caller;
  if (leadTravelerId !== undefined) {
    const lead = await travelers.get(tenantId, leadTravelerId, environment);
    if (lead?.givenName === givenName && lead.familyName === familyName) return { userId: leadTravelerId, alike: [] };
  }
  const namesakes = await travelers.listByName(tenantId, environment, { givenName, familyName });
  const owners = namesakes.filter((one) => one.email?.toLowerCase() === email.toLowerCase());
  const [owner] = owners.length === 1 ? owners : [];
  return { userId: owner?.userId, alike: owner === undefined ? namesakes.map(({ userId }) => userId) : [] };
}

type Guests = readonly { givenName: string; familyName: string; userId?: string | null | undefined }[];

/** Names the guests that the booking could not tell from saved travelers of the same name. */
export async function sayUnlinked(
  travelers: Pick<Travelers, "listByName">,
  { tenantId, environment }: Pick<Caller, "tenantId" | "environment">,
  guests: Guests,
): Promise<string[]> {
  const known = new Set(guests.flatMap(({ userId }) => userId ?? []));
  const unlinked = guests.filter(({ userId }) => userId === undefined || userId === null);
  const said = await Promise.all(
    unlinked.map(async (names) => {
      const alike = await travelers.listByName(tenantId, environment, names);
      const ids = alike.flatMap(({ userId }) => (known.has(userId) ? [] : [userId]));
      return ids.length === 0 ? [] : [`${names.givenName} ${names.familyName} (userId ${ids.join(" or ")})`];
    }),
  );
  const who = said.flat();
  if (who.length === 0) return [];
  return [
    `Not linked to a saved traveler: ${who.join(", ")}. list_orders with that userId leaves this stay out. Pass customerUserId for each guest who has a userId when you book.`,
  ];
}
