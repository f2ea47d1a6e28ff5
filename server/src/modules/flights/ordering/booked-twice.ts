import type { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import type { PlannedOverlap } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { Maps } from "../../../ports/maps.ts";
import type { FlightOffer } from "../../../ports/supplier/flights.ts";
import type { BookingResult, Bookings, SeenOffer, Ticket } from "../../bookings/index.ts";
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
 * Throws `already_booked` if a traveler has a paid ticket for one of these flights, or a call is paying for one: nobody
 * buys a second one on purpose unasked. A search after this refusal shows that it is meant; then there are only warnings.
 */
export async function refuseSecondTicket(
  { bookings, caller }: { bookings: Pick<Bookings, "findTicket">; caller: Pick<Caller, "tenantId" | "environment"> },
  { offerId, slices, userIds }: Purchase,
): Promise<void> {
  const flights = slices.flatMap(({ segments }) =>
    segments.map(({ flightNumber, departingAt }) => ({ flightNumber, day: departingAt.slice(0, 10) })),
  );
  const ticket = await bookings.findTicket(caller.tenantId, caller.environment, { userIds, flights, offerId });
  if (ticket !== undefined) throw new SecondTicket(ticket, offerId);
}

class SecondTicket extends Failure {
  readonly bookingId: string;

  constructor({ bookingId, orderId, userId, flightNumber, day }: Ticket, offerId: string) {
    const flight = `${flightNumber} of ${day}`;
    const had =
      orderId === null
        ? `Another call is booking ${flight} for ${userId} right now. Nothing was done; list_orders shows the order once it is made. If it fails, call again.`
        : `${userId} is already booked on ${flight}, as order ${orderId}. Nothing was done. To have another fare, cancel that order first: cancel_order_quote says what is refunded.`;
    super("already_booked", {
      detail: `${had} If a second ticket is meant, search again within an hour and book an offer of that search.`,
      extra: { orderId, bookingId, offerId, differsIn: "fare" },
    });
    this.bookingId = bookingId;
  }
}

/** Stores that the caller was told of the ticket: a later search shows that a second one is meant. */
export async function tellOfTicket<T>(bookings: Pick<Bookings, "tellOfTicket">, book: Promise<T>): Promise<T> {
  try {
    return await book;
  } catch (error) {
    if (error instanceof SecondTicket) await bookings.tellOfTicket(error.bookingId);
    throw error;
  }
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
