import type { SeenStay } from "../bookings/index.ts";

interface Named {
  givenName: string;
  familyName: string;
}

/** Says what the accommodation may ask if the quote covers more guests than are named. */
export function sayUnnamed({ guests, childAges = [] }: SeenStay, named: readonly Named[]): string[] {
  // Bookings of early releases do not name their guests.
  if (guests === undefined || named.length === 0 || named.length >= guests) return [];
  const names = named.map(({ givenName, familyName }) => `${givenName} ${familyName}`).join(", ");
  const missing = guests - named.length;
  const others = missing === 1 ? "1 guest is unnamed" : `${missing} guests are unnamed`;
  return [
    `The quote is for ${guests} guests${sayAges(guests, childAges)} and names ${names}: ${others}, and the hotel may ask who they are. Nobody can be added here afterwards.`,
  ];
}

function sayAges(guests: number, childAges: readonly number[]): string {
  if (childAges.length === 0) return "";
  const adults = guests - childAges.length;
  return ` (${adults} ${adults === 1 ? "adult" : "adults"}, children aged ${childAges.join(", ")})`;
}

/** The supplier's names. Any other bed may sleep two. */
const FOR_ONE: ReadonlySet<string> = new Set(["single", "twin"]);
/** Younger children sleep in a cot. */
const BED_AGE = 2;

type Beds = readonly { type: string; count: number }[];

interface Sleepers {
  rooms: number;
  guests?: number | undefined;
  childAges?: readonly number[] | undefined;
  beds?: Beds | undefined;
}

export type Party = Required<Pick<Sleepers, "rooms">> & { guests: number; childAges?: readonly number[] | undefined };

/** The guests that these beds take in each room. Null: the supplier does not say. */
const countInRoom = (beds: Beds): number | null =>
  beds.length === 0 ? null : beds.reduce((sum, { type, count }) => sum + count * (FOR_ONE.has(type) ? 1 : 2), 0);

const needBeds = (guests: number, childAges: readonly number[]): number =>
  guests - childAges.filter((age) => age < BED_AGE).length;

/** The guests that the beds of all rooms take, and whether that may be all of the party. */
export function countSleeping(beds: Beds, { guests, childAges = [], rooms }: Party) {
  const inRoom = countInRoom(beds);
  const sleeps = inRoom === null ? null : inRoom * rooms;
  return { sleeps, mayFit: sleeps === null || sleeps >= needBeds(guests, childAges) };
}

/** For a search: that no room shown has beds for all, and who needs a cot. */
export function sayParty({ guests, childAges = [], rooms }: Party, doesAnyFit: boolean): string[] {
  const cots = guests - needBeds(guests, childAges);
  const sleeping = guests - cots;
  const adults = guests - childAges.length;
  const more = rooms < adults ? `search with rooms: ${rooms + 1}, or ask` : "ask";
  return [
    ...(doesAnyFit
      ? []
      : [`No rate shown has beds for all ${sleeping} guests who need one (sleeps): ${more} the hotel for more beds.`]),
    ...(cots === 0
      ? []
      : [
          `Children under ${BED_AGE} are counted in a cot, which no rate promises: ask for ${cots === 1 ? "one" : cots} in accommodationSpecialRequests of book_stay.`,
        ]),
  ];
}

/** Too few beds for the guests, and what to do about it. Empty if there are enough, or they are unknown. */
export function sayBeds({ guests, childAges = [], beds = [], rooms }: Sleepers, isBooked = false): string[] {
  const inRoom = countInRoom(beds);
  if (guests === undefined || inRoom === null) return [];
  const places = inRoom * rooms;
  const sleeping = needBeds(guests, childAges);
  if (places >= sleeping) return [];
  const words = beds.map(({ type, count }) => `${count} ${type}`).join(", ");
  const where = rooms === 1 ? "" : ` in each of ${rooms} rooms`;
  const who = sleeping === guests ? `there are ${guests} guests` : `${sleeping} of the ${guests} guests need a bed`;
  const enough = Math.ceil(sleeping / inRoom);
  // Searches want an adult in each room.
  const search = enough <= guests - childAges.length ? `search with rooms: ${enough}` : "take another rate";
  const others = isBooked ? "" : `, or ${search}`;
  return [`Its beds (${words}${where}) sleep ${places}, but ${who}: ask the hotel for more beds${others}.`];
}
