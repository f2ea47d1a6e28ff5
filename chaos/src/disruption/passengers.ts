import { z } from "zod";
import { outputSchemas } from "../../../server/src/contributions.ts";
import type { Client } from "../client.ts";
import type { Random } from "../random.ts";

/** The airport over which everybody travels. */
export const HUB = "LHR";
const OTHERS = ["CDG", "AMS", "FCO", "JFK"] as const;
const DAYS_AHEAD = 40;
const DAYS = 60;
const AT_ONCE = 12;
const MOST_SEARCHES = 600;
const MOST_TRIES = 20;
const CALL_MILLISECONDS = 120_000;

const Booked = z.object({
  orderId: z.string(),
  slices: z.array(z.object({ origin: z.string(), destination: z.string() })),
});

export interface Passenger {
  readonly tenantId: string;
  readonly client: Client;
  readonly userId: string;
  readonly email: string;
  readonly orderId: string;
  readonly day: string;
  readonly origin: string;
  readonly destination: string;
}

export interface Tenant {
  readonly client: Client;
  readonly tenantId: string;
}

interface Wanted extends Tenant {
  readonly number: number;
  readonly userId: string;
  readonly email: string;
}

/** Profiles and bookings of so many travelers, each with an order of their own over the hub. */
export async function bookPassengers(
  tenants: readonly [Tenant, ...Tenant[]],
  count: number,
  { random, today }: { random: Random; today: Temporal.PlainDate },
): Promise<readonly Passenger[]> {
  const wanted = Array.from({ length: count }, (_, number): Wanted => {
    const userId = `stranded_${number}`;
    return { ...(tenants[number % tenants.length] ?? tenants[0]), number, userId, email: `${userId}@chaos.example` };
  });
  const passengers: Passenger[] = [];
  let searches = 0;
  async function work(own: Random): Promise<void> {
    for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
      if (searches > MOST_SEARCHES + count) throw new Error("The sandbox does not sell enough flights.");
      searches += 1;
      passengers.push(await bookOne(next, own.fork(next.userId), today));
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => work(random.fork(`booker-${index}`))));
  return passengers;
}

async function bookOne(wanted: Wanted, random: Random, today: Temporal.PlainDate): Promise<Passenger> {
  const { client, tenantId, number, userId, email } = wanted;
  await client.put(`/api/travelers/${userId}`, {
    ...{ givenName: "Stranded", familyName: "Traveler", bornOn: "1990-01-01", title: "ms", gender: "f" },
    ...{ email, phoneNumber: `+1415555${String(1_000 + number).slice(-4)}`, preferredLanguage: "en" },
    loyaltyProgrammeAccounts: [],
    passports: [],
  });
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const other = random.pick(OTHERS);
    const [origin, destination] = random.chance(0.5) ? [HUB, other] : [other, HUB];
    const day = today.add({ days: DAYS_AHEAD + random.between(0, DAYS) }).toString();
    const orderId = await buyFlight(client, { origin, destination, departureDate: day }, userId, random);
    if (orderId !== undefined) return { tenantId, client, userId, email, orderId, day, origin, destination };
  }
  throw new Error(`No flight of ${userId} could be booked.`);
}

/** Returns the order; undefined: there is no such flight, or somebody was faster. `withSeat`: the first free seat of the flight. */
export async function buyFlight(
  client: Client,
  way: { origin: string; destination: string; departureDate: string },
  userId: string,
  random: Random,
  withSeat = false,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(CALL_MILLISECONDS);
  const found = await client.call({ tool: "search_flights", args: { ...way }, userId }, signal);
  const offers = found.kind === "ok" ? outputSchemas.search_flights.safeParse(found.result).data?.offers : undefined;
  const [offer] = withSeat ? (offers ?? []) : random.shuffle(offers ?? []);
  if (offer === undefined) return undefined;
  const services = withSeat ? await findFirstSeat(client, offer.id, userId, signal) : [];
  const request = { tool: "book_flight", args: { offerId: offer.id, services }, userId };
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const answer = await client.call(request, signal);
    if (answer.kind === "ok") return Booked.parse(answer.result).orderId;
    if (answer.kind === "refused" && !answer.retryable) return undefined;
  }
  return undefined;
}

async function findFirstSeat(
  client: Client,
  offerId: string,
  userId: string,
  signal: AbortSignal,
): Promise<{ id: string }[]> {
  const listed = await client.call({ tool: "list_flight_ancillaries", args: { offerId }, userId }, signal);
  if (listed.kind !== "ok") return [];
  const [seat] = outputSchemas.list_flight_ancillaries.safeParse(listed.result).data?.seats ?? [];
  return seat === undefined ? [] : [{ id: seat.id }];
}
