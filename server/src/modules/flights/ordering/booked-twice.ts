import type { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import type { PlannedOverlap } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { Maps } from "../../../ports/maps.ts";
import type { FlightOffer } from "../../../ports/supplier/flights.ts";
import type { BookingResult, SeenOffer } from "../../bookings/index.ts";
import type { FlightsAsked } from "../../orders/index.ts";
import type { Stores } from "../context.ts";

interface Leg {
  flights?: readonly string[] | undefined;
  origin: string;
  destination: string;
  /** By the clocks of the airports. */
  departingAt: string | null;
  arrivingAt: string | null;
}

interface Asked {
  /** The call's own booking: other orders are compared with it. */
  offerId: string;
  userIds: readonly string[];
  legs: readonly Leg[];
}

interface Ports {
  stores: Pick<Stores, "orders">;
  maps: Pick<Maps, "airport">;
  caller: Pick<Caller, "tenantId" | "environment">;
}

/** For an offer as the tenant was shown it. */
export async function findTwiceOfOffer(
  ports: Ports,
  { seen, ...asked }: Omit<Asked, "legs"> & { seen: SeenOffer },
): Promise<PlannedOverlap[]> {
  return seen.kind === "flight" ? await findTwice(ports, { ...asked, legs: seen.legs }) : [];
}

type Ordered = Pick<z.output<typeof BookingResult>, "offerId" | "travelers" | "slices">;

/** For an order as it was booked or held. `found`: the answer to `askForTwice`, if it is known. */
export async function findTwiceOfOrder(
  ports: Ports,
  { offerId, travelers, slices }: Ordered,
  found?: readonly Found[],
): Promise<PlannedOverlap[]> {
  const userIds = travelers.flatMap(({ userId }) => userId ?? []);
  return await findTwice(ports, { offerId, userIds, legs: listLegs(slices) }, found);
}

/** The question for other flights of an order's travelers, to be asked together with another one. */
export function askForTwice({ offerId, travelers, slices }: Ordered): FlightsAsked {
  const userIds = travelers.flatMap(({ userId }) => userId ?? []);
  return { userIds, periods: listPeriods(listLegs(slices)), exceptOfferId: offerId };
}

type Found = Awaited<ReturnType<Ports["stores"]["orders"]["findFlights"]>>[number];

/**
 * Names earlier orders with which a traveler is already on one of the flights, as after a time-out and a new search, or on
 * another flight at the same time.
 */
async function findTwice(
  { stores, maps, caller: { tenantId, environment } }: Ports,
  { offerId, userIds, legs }: Asked,
  known?: readonly Found[],
): Promise<PlannedOverlap[]> {
  const asked = { userIds, periods: listPeriods(legs), exceptOfferId: offerId };
  const found = known ?? (await stores.orders.findFlights(tenantId, environment, asked));
  const isSame = (one: Found) => isOn(legs, one);
  const isAtOnce = (one: Found) => legs.some((leg) => overlap(leg, one, maps));
  const byOrder = Map.groupBy(found, ({ orderId, userId }) => `${orderId} ${userId}`);
  return [...byOrder.values()].flatMap((flights) => {
    const [{ orderId, userId } = { orderId: "", userId: "" }] = flights;
    const same = flights.filter(isSame);
    const close = same.length > 0 ? same : flights.filter(isAtOnce);
    if (close.length === 0) return [];
    const named = [...new Set(close.map(({ flightNumber, day }) => `${flightNumber} of ${day}`))].join(", ");
    const atOnce = same.length > 0 ? "" : ", which flies at the same time";
    const warning = `Careful: ${userId} is already booked on ${named}, as order ${orderId}${atOnce}. If that is not intended, cancel one of them: cancel_order_quote says what is refunded.`;
    return [{ orderId, warning }];
  });
}

const isOn = (legs: readonly Leg[], { flightNumber, day }: Pick<Found, "flightNumber" | "day">): boolean =>
  legs.some(({ flights = [], departingAt }) => flights.includes(flightNumber) && departingAt?.slice(0, 10) === day);

interface Slice {
  origin: string;
  destination: string;
  segments: readonly { flightNumber: string; departingAt: string; arrivingAt: string }[];
}

const listLegs = (slices: readonly Slice[]) =>
  slices.map(({ origin, destination, segments }) => ({
    flights: segments.map(({ flightNumber }) => flightNumber),
    origin,
    destination,
    departingAt: segments[0]?.departingAt ?? null,
    arrivingAt: segments.at(-1)?.arrivingAt ?? null,
  }));

const listPeriods = (legs: readonly Leg[]) =>
  legs.flatMap(({ departingAt, arrivingAt }) =>
    departingAt === null || arrivingAt === null ? [] : [{ from: addDays(departingAt, -1), to: addDays(arrivingAt, 1) }],
  );

interface Purchase {
  offerId: string;
  slices: FlightOffer["slices"];
  userIds: readonly string[];
}

/**
 * Throws `already_booked` if a traveler has paid for one of these flights already with an offer of the same search, such
 * as another fare: nobody does that on purpose. A new search shows that it is meant; then there are only warnings.
 */
export async function refuseSecondTicket(
  {
    stores,
    caller,
  }: { stores: Pick<Stores, "orders" | "seenOffers">; caller: Pick<Caller, "tenantId" | "environment"> },
  { offerId, slices, userIds }: Purchase,
): Promise<void> {
  const { tenantId, environment } = caller;
  const legs = listLegs(slices);
  const asked = { userIds, periods: listPeriods(legs), exceptOfferId: offerId };
  const found = await stores.orders.findFlights(tenantId, environment, asked);
  const paid = found.filter((one) => !one.isHeld && isOn(legs, one));
  if (paid.length === 0) return;
  const seen = await stores.seenOffers.findAll(caller, [offerId, ...paid.map((one) => one.offerId)]);
  const findSearch = (id: string) => {
    const offer = seen.get(id);
    return offer?.kind === "flight" ? offer.searchId : null;
  };
  const searchId = findSearch(offerId);
  const twin = paid.find((one) => searchId !== null && findSearch(one.offerId) === searchId);
  if (twin === undefined) return;
  const { orderId, userId, flightNumber, day } = twin;
  throw new Failure("already_booked", {
    detail: `${userId} is already booked on ${flightNumber} of ${day}, as order ${orderId}, with another offer of the same search. Nothing was done. To have another fare, cancel that order first: cancel_order_quote says what is refunded. If a second ticket is meant, search again and book the offer that you find then.`,
    extra: { orderId, offerId, differsIn: "fare" },
  });
}

/** Clocks of airports differ by up to 26 hours. */
const addDays = (local: string, days: number): string => Temporal.PlainDateTime.from(local).add({ days }).toString();

function overlap(leg: Leg, other: Found, maps: Pick<Maps, "airport">): boolean {
  const at = (airport: string, local: string | null) => {
    const timeZone = maps.airport(airport)?.timeZone;
    if (timeZone === undefined || local === null) return undefined;
    return Temporal.PlainDateTime.from(local).toZonedDateTime(timeZone).toInstant();
  };
  const [starts, ends] = [at(leg.origin, leg.departingAt), at(leg.destination, leg.arrivingAt)];
  const [otherStarts, otherEnds] = [at(other.origin, other.departingAt), at(other.destination, other.arrivingAt)];
  if (!starts || !ends || !otherStarts || !otherEnds) return false;
  return Temporal.Instant.compare(starts, otherEnds) < 0 && Temporal.Instant.compare(otherStarts, ends) < 0;
}
