import type { Maps } from "../../ports/maps.ts";
import type { FlightOffer, FlightSearch } from "../../ports/supplier/flights.ts";
import { findDeparture, type OwnOrder } from "./find-own-order.ts";

/** The replacement to search for a disrupted leg. */
export interface Replan {
  origin: string;
  destination: string;
  departureDate: string;
  passengers: number;
  cabinClass: FlightSearch["cabinClass"];
  /** By the origin's clock, as in the supplier's times. */
  earliestLocal: Temporal.PlainDateTime;
  /** The day on which a night's wait ends; undefined if there is none. */
  morningAfter: string | undefined;
  /** The cancelled or missed flight, by the same clock. */
  lost: { departsLocal: Temporal.PlainDateTime; flightNumber: string } | undefined;
}

type Flown = Pick<FlightOffer, "slices">;

export function leavesLateEnough({ slices }: Flown, earliest: Temporal.PlainDateTime): boolean {
  const departingAt = slices[0]?.segments[0]?.departingAt;
  return departingAt !== undefined && Temporal.PlainDateTime.compare(departingAt, earliest) >= 0;
}

/** By its number if given, else by its time: the supplier may keep selling a cancelled flight for a while, and a missed one longer. */
export function isLost({ slices }: Flown, { lost, origin }: Replan): boolean {
  if (lost === undefined) return false;
  const { departsLocal, flightNumber } = lost;
  return slices.some(({ segments }) =>
    segments.some((segment, index) => {
      const leaves = Temporal.PlainDateTime.from(segment.departingAt);
      const isThere = index === 0 || segment.origin === origin;
      if (flightNumber === "") return isThere && leaves.equals(departsLocal);
      return leaves.toPlainDate().equals(departsLocal.toPlainDate()) && segment.flightNumber === flightNumber;
    }),
  );
}

interface Asked {
  origin: string;
  passengers: number;
  cabinClass: FlightSearch["cabinClass"];
  scheduled: Temporal.Instant;
}

/** By the order, if it flies on the caller's day; else as the caller says. */
export function chooseScheduled(own: OwnOrder | undefined, said: Temporal.Instant, maps: Pick<Maps, "airport">) {
  const departs = own && findDeparture(own.segment, maps);
  if (departs !== undefined && own?.isMissedOnTheWay) return departs;
  return departs !== undefined && departs.until(said).abs().total("hours") < SAME_FLIGHT_HOURS ? departs : said;
}

/** Beyond this it is another day's flight, or a mistake that cannot be corrected here. */
const SAME_FLIGHT_HOURS = 24;
/** The maximum of a search. */
const MOST_PASSENGERS = 9;

/** Notes that the order's flight, as booked and as the airline changed it, leaves on another day than the caller says. */
export function saidOfOtherDay(
  own: OwnOrder | undefined,
  said: Temporal.Instant,
  maps: Pick<Maps, "airport">,
): string[] {
  if (own === undefined) return [];
  const { segment, details } = own;
  const changed = details.airlineChanges.flatMap(({ removed, added }) => [...removed, ...added]);
  const flights = [segment, ...changed.filter(({ flightNumber }) => flightNumber === segment.flightNumber)];
  const departures = flights.flatMap((flight) => findDeparture(flight, maps) ?? []);
  const isSame = departures.some((departs) => departs.until(said).abs().total("hours") < SAME_FLIGHT_HOURS);
  if (departures.length === 0 || isSame) return [];
  const { flightNumber, origin, departingAt } = segment;
  return [
    `scheduledDepartureIso is on a different day from your order's ${flightNumber}, which leaves ${origin} at ${departingAt} local time (${departures[0]}): call again with that, unless you mean another flight.`,
  ];
}

/** One traveler is the default, so an order of several applies to all of them. */
export function countPassengers(asked: number, own: OwnOrder | undefined): number {
  const ordered = Math.min(own?.details.passengers.length ?? 0, MOST_PASSENGERS);
  return asked === 1 && ordered > 1 ? ordered : asked;
}

/** Notes on differences between the order and the caller's account. */
export function saidOfOrder(own: OwnOrder | undefined, asked: Asked, maps: Maps): string[] {
  if (own === undefined) return [];
  const { segment, comesFrom, goesOnTo, hasBegun, isMissedOnTheWay, details } = own;
  const travelers = details.passengers.length;
  const departs = findDeparture(segment, maps);
  return [
    ...(isMissedOnTheWay
      ? [
          `The connection was missed in ${segment.origin}: ${segment.flightNumber} left there at ${segment.departingAt} local time, and these flights leave from there.`,
        ]
      : []),
    ...(departs === undefined || isMissedOnTheWay || departs.equals(asked.scheduled)
      ? []
      : [
          `Your order's ${segment.flightNumber} leaves ${segment.origin} at ${segment.departingAt} local time (${departs}), not at scheduledDepartureIso.`,
        ]),
    ...(countPassengers(asked.passengers, own) === asked.passengers
      ? []
      : [`Your order is for ${travelers} travelers: these prices are for all of them; without pnr they are for one.`]),
    ...(asked.passengers > 1 && asked.passengers !== travelers
      ? [`These prices are for ${asked.passengers} travelers; a change of your order is for all ${travelers} of them.`]
      : []),
    ...(segment.cabinClass === "" || segment.cabinClass === asked.cabinClass
      ? []
      : [
          `Your order is in ${segment.cabinClass}, but rebookSearch.cabinClass is ${asked.cabinClass}, which was used here.`,
        ]),
    ...(goesOnTo === undefined
      ? []
      : [`Your order continues from ${segment.destination} to ${goesOnTo}: these flights go to ${goesOnTo}.`]),
    ...(comesFrom === undefined || hasBegun
      ? []
      : [
          `Your order's journey begins in ${comesFrom}, and a change is for the whole journey. These flights are from ${asked.origin}.`,
        ]),
  ];
}

/** Only this airport of a city with several is searched. */
export function saidOfCity({ origin }: Pick<Replan, "origin">, maps: Pick<Maps, "metroCode">): string[] {
  const city = maps.metroCode(origin);
  if (city === origin) return [];
  return [`Only flights from ${origin}; use origin ${city} to include every airport of that city.`];
}
