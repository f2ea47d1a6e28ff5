import { z } from "zod";
import { wordsOfOthers } from "../../domain/schemas.ts";
import { hasScope } from "../../domain/scopes.ts";
import { findFirstDeparture } from "../../domain/travel/first-departure.ts";
import { Conditions, DescribedSlice, NamedPassengers, VoidWindow } from "../../domain/travel/offer-schema.ts";
import { DueAtAccommodation } from "../../domain/travel/say-due.ts";
import { findTimeZones, TimeZones } from "../../domain/travel/time-zones.ts";
import type { Maps } from "../../ports/maps.ts";
import type { FlightServicing } from "../../ports/supplier/flight-servicing.ts";
import type { StayBookings } from "../../ports/supplier/stay-bookings.ts";
import type { BookedTraveler } from "../bookings/index.ts";
import { ERASED_NAME } from "../travelers/index.ts";
import type { OrderRecord } from "./orders.ts";

/** The supplier's details of an order, as read now. */

export const ShownTraveler = z.object({
  givenName: wordsOfOthers(),
  familyName: wordsOfOthers(),
  userId: z.string().optional(),
  customerUserId: z.string().optional(),
});

/** Callers that may not read travelers see only how many there are. */
export function describeTravelers(
  travelers: readonly BookedTraveler[],
  scopes: readonly string[],
): z.output<typeof ShownTraveler>[] {
  const isShown = hasScope(scopes, "travelers:read");
  return travelers.map(({ isCaller: _, givenName, familyName, ...ids }) =>
    isShown ? { givenName, familyName, ...ids } : { givenName: mask(givenName), familyName: mask(familyName) },
  );
}

/** Keeps the first letter, to tell several travelers of a booking apart. */
function mask(name: string): string {
  const [first = ""] = name;
  return `${first}***`;
}

/** The cost of changes and refunds, and their deadlines. */
export const FlightTerms = z.object({
  conditions: Conditions,
  changeableUntil: z
    .string()
    .nullable()
    .describe(
      "The first departure, in airport local time with offset, if the conditions allow changes at all; null: the fare does not; availableActions of read_order says whether the airline accepts one anyway",
    ),
  refundableUntil: z
    .string()
    .nullable()
    .describe("The same for refunds; null: not refundable, or the airline does not say"),
});

export const FlightNow = FlightTerms.extend({
  slices: z.array(DescribedSlice).readonly(),
  timeZones: TimeZones,
  availableActions: z
    .array(z.string())
    .readonly()
    .describe("Any of cancel (cancel_order_quote) and change (request_order_change)"),
  voidWindowEndsAt: VoidWindow,
  passengers: NamedPassengers.describe(
    "The people behind passengerId: id, givenName and familyName, shortened like those of travelers",
  ),
});

export function flightTerms(
  {
    cancelledAt,
    conditions,
    slices,
  }: Pick<Awaited<ReturnType<FlightServicing["getOrderDetails"]>>, "cancelledAt" | "conditions" | "slices">,
  maps: Pick<Maps, "airport">,
) {
  const isChangeable = cancelledAt === null && conditions.changeBeforeDeparture?.allowed !== false;
  const isRefundable = cancelledAt === null && conditions.refundBeforeDeparture?.allowed === true;
  const departingAt = findFirstDeparture(slices, maps);
  return {
    conditions,
    changeableUntil: isChangeable ? departingAt : null,
    refundableUntil: isRefundable ? departingAt : null,
  };
}

/** The supplier's actions for which there is a tool. */
const ACTIONS: ReadonlySet<string> = new Set(["cancel", "change"]);

export async function readFlightNow(
  { flightServicing, maps }: { flightServicing: Pick<FlightServicing, "getOrderDetails">; maps: Pick<Maps, "airport"> },
  { orderId, travelers }: { orderId: string; travelers: readonly BookedTraveler[] },
  scopes: readonly string[],
) {
  const order = await flightServicing.getOrderDetails(orderId);
  const { slices, availableActions, voidWindowEndsAt, services, airlineChanges } = order;
  const isShown = hasScope(scopes, "travelers:read");
  return {
    slices,
    timeZones: findTimeZones(slices, maps),
    ...flightTerms(order, maps),
    availableActions: availableActions.filter((action) => ACTIONS.has(action)),
    voidWindowEndsAt,
    services,
    scheduleChanges: airlineChanges.map(({ actionTaken: _, ...unanswered }) => unanswered),
    passengers: withoutErased(order.passengers, travelers).map(({ id, givenName, familyName }) =>
      isShown ? { id, givenName, familyName } : { id, givenName: mask(givenName), familyName: mask(familyName) },
    ),
  };
}

const isErased = ({ familyName }: Pick<BookedTraveler, "familyName">): boolean => familyName === ERASED_NAME;
const LONGEST_REQUEST = 1_000;

/** The supplier still has travelers whom this service has erased: such an order shows the names of the others only. */
function withoutErased<Passenger extends { givenName: string; familyName: string }>(
  passengers: readonly Passenger[],
  travelers: readonly BookedTraveler[],
): Passenger[] {
  if (!travelers.some(isErased)) return [...passengers];
  const fullName = (one: { givenName: string; familyName: string }) =>
    `${one.givenName} ${one.familyName}`.toLowerCase();
  const others = new Set(travelers.map(fullName));
  return passengers.map((passenger) =>
    others.has(fullName(passenger)) ? passenger : { ...passenger, givenName: ERASED_NAME, familyName: ERASED_NAME },
  );
}

export const StayNow = z.object({
  accommodationName: wordsOfOthers(),
  accommodationAddress: wordsOfOthers().nullable(),
  accommodationPhone: wordsOfOthers().nullable(),
  checkInDate: z.string(),
  checkOutDate: z.string(),
  refundable: z.boolean(),
  refunds: z
    .array(z.object({ before: z.string(), refundAmount: z.string(), currency: z.string() }))
    .readonly()
    .describe("What cancelling before each moment refunds; nothing afterwards"),
  keyCollectionInstructions: wordsOfOthers().nullable(),
  accommodationSpecialRequests: wordsOfOthers(
    "The wishes that it was booked with, which the accommodation need not meet",
    LONGEST_REQUEST,
  ).nullable(),
  dueAtAccommodation: DueAtAccommodation,
});

export async function readStayNow(
  stayBookings: Pick<StayBookings, "getStay">,
  { orderId, travelers }: { orderId: string; travelers: readonly BookedTraveler[] },
) {
  const stay = await stayBookings.getStay(orderId);
  const { accommodationName, checkInDate, checkOutDate, keyCollectionInstructions, dueAtAccommodation } = stay;
  const { refundable, timeline } = stay.cancellationPolicy;
  return {
    accommodationName,
    accommodationAddress: stay.accommodationAddress ?? null,
    accommodationPhone: stay.accommodationPhone ?? null,
    checkInDate,
    checkOutDate,
    refundable,
    refunds: timeline,
    keyCollectionInstructions,
    // Wishes may tell of the person.
    accommodationSpecialRequests: travelers.some(isErased) ? null : (stay.specialRequests ?? null),
    dueAtAccommodation,
  };
}

/** The airline's unanswered changes for callers. */
export const showChanges = (changes: OrderRecord["scheduleChanges"], maps: Pick<Maps, "airport">) =>
  changes.map((change) => {
    const { id, detectedAt, removed, added } = change;
    return { id, detectedAt, removed, added, answerBy: findAnswerBy(change, maps) };
  });

/**
 * Until when the airline's change can be answered here: the first departure of the old and of the new flights, after which the
 * order is flown or missed. The supplier names no earlier time. Null: an airport or a time is unknown.
 */
function findAnswerBy(
  { removed, added }: OrderRecord["scheduleChanges"][number],
  maps: Pick<Maps, "airport">,
): string | null {
  const departures = [removed[0], added[0]].flatMap((flight) => {
    const timeZone = flight && maps.airport(flight.origin)?.timeZone;
    if (flight === undefined || timeZone === undefined || flight.departingAt === "") return [];
    return [Temporal.PlainDateTime.from(flight.departingAt).toZonedDateTime(timeZone).toInstant()];
  });
  return departures.toSorted(Temporal.Instant.compare)[0]?.toString() ?? null;
}
