import { distanceMeters } from "../../domain/distance.ts";
import type { Airport, Position } from "../../ports/maps.ts";
import type { FlightOffer } from "../../ports/supplier/flights.ts";
import type { NightStay } from "./find-stay-for-night.ts";

/** The longest hotel stay that counts as waiting for a flight. */
export const MOST_WAITING_DAYS = 2;

interface Leg {
  origin: Airport | undefined;
  destination: Airport | undefined;
}

/** `waiting`: nights before another flight. `destination`: the stay at the end of the flight. `apart`: neither, by its dates. */
export type StayRole = "waiting" | "destination" | "apart";

export function roleOfStay(
  place: Position | undefined,
  { origin, destination }: Leg,
  { checkInDate, checkOutDate }: Pick<NightStay, "checkInDate" | "checkOutDate">,
  departureDate: string,
): StayRole {
  const isThere =
    place !== undefined &&
    origin !== undefined &&
    destination !== undefined &&
    distanceMeters(place, destination) < distanceMeters(place, origin);
  if (isThere) return "destination";
  const nights = Temporal.PlainDate.from(checkInDate).until(checkOutDate).days;
  const lastDay = Temporal.PlainDate.from(departureDate).add({ days: MOST_WAITING_DAYS }).toString();
  return nights <= MOST_WAITING_DAYS && checkOutDate <= lastDay ? "waiting" : "apart";
}

/** The nights of a stay lost by arriving on this day, as the check-in day lasts until midnight. Without a day, all of its nights. */
export function nightsLost(
  { checkInDate, checkOutDate }: Pick<NightStay, "checkInDate" | "checkOutDate">,
  arrivalDay: string = checkOutDate,
): number {
  const until = arrivalDay < checkOutDate ? arrivalDay : checkOutDate;
  return Math.max(0, Temporal.PlainDate.from(checkInDate).until(until).days);
}

export type Flown = {
  slices: readonly {
    segments: readonly Pick<Segment, "origin" | "destination" | "departingAt" | "arrivingAt">[];
  }[];
};
type Segment = FlightOffer["slices"][number]["segments"][number];

const listSegments = ({ slices }: Flown) => slices.flatMap(({ segments }) => segments);

/** By the destination's clock. */
export const findArrival = (flown: Flown | undefined): string | undefined =>
  flown && listSegments(flown).at(-1)?.arrivingAt;

/** The departure and arrival airports of flights, without repetition. */
export function listAirports(flights: readonly Flown[]): { origins: string[]; destinations: string[] } {
  const [origins, destinations] = [0, -1].map((at) =>
    flights.flatMap((flown) => {
      const segment = listSegments(flown).at(at);
      return segment === undefined ? [] : [at === 0 ? segment.origin : segment.destination];
    }),
  );
  return { origins: [...new Set(origins)], destinations: [...new Set(destinations)] };
}

/** The airport of the flight that the transfer serves: the first flight after the night of waiting, else the first of all. */
export function airportOfTransfer(
  offers: readonly Flown[],
  role: StayRole,
  { checkInDate }: Pick<NightStay, "checkInDate">,
): string | undefined {
  const first = offers[0];
  if (role === "destination") return first && listSegments(first).at(-1)?.destination;
  const after = offers.find((offer) => (listSegments(offer)[0]?.departingAt.slice(0, 10) ?? "") > checkInDate);
  const meant = after ?? first;
  return meant && listSegments(meant)[0]?.origin;
}

/** Notes on a stay that is not a night of waiting; none if it is. */
export function saidOfStay(
  role: StayRole,
  { checkInDate, checkOutDate }: Pick<NightStay, "checkInDate" | "checkOutDate">,
  { origin, destination }: { origin: string; destination: string },
): string[] {
  const dates = `${checkInDate} to ${checkOutDate}`;
  if (role === "waiting") return [];
  if (role === "apart") {
    return [
      `The stay of ${dates} is not a night spent waiting for a flight on departureDate, so the flight search ignores it.`,
    ];
  }
  return [
    `stayLocation is near ${destination}: it is treated as the stay at the destination, and hotels for a night of waiting are near ${origin}.`,
  ];
}

/** The effect of the new arrival on a stay at the destination. */
export function effectOn(
  { checkInDate, checkOutDate }: Pick<NightStay, "checkInDate" | "checkOutDate">,
  arrivingAt: string | undefined,
): string {
  if (arrivingAt === undefined) return "Without another flight, it is not known what happens to that stay.";
  const arrives = `The first alternative arrives at ${arrivingAt.slice(0, 16).replace("T", " ")} local time`;
  const day = arrivingAt.slice(0, 10);
  if (day <= checkInDate) return `${arrives}, before the check-in day ends: no night of that stay is lost.`;
  const late = `${arrives}, after the check-in day has ended`;
  if (day >= checkOutDate) return `${late}, and only on or after the check-out day: that stay is lost. Tell the hotel.`;
  const lost = Temporal.PlainDate.from(checkInDate).until(day).days;
  return `${late}: up to ${lost} ${lost === 1 ? "night" : "nights"} of that stay are lost. Tell the hotel, so that it keeps the room.`;
}
