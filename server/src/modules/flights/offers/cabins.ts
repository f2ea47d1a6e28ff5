import { CabinClass } from "../../../domain/schemas.ts";
import { isHigherCabin } from "../../../domain/travel/purchase.ts";
import type { FlightOffer, FlightSearch, Segment } from "../../../ports/supplier/flights.ts";

type Cabin = FlightSearch["cabinClass"];

/** Suppliers sell a cabin even if some flights of the journey lack it: those are flown in a lower one. */

const listSegments = ({ slices }: FlightOffer): readonly Segment[] => slices.flatMap(({ segments }) => segments);

/** The cabins of one flight's passengers, which may differ. */
function cabinsOn({ cabinClass, passengers }: Segment): string[] {
  return [...new Set([cabinClass, ...passengers.map((passenger) => passenger.cabinClass)])];
}

/** Whether every passenger is in this cabin or a higher one. A cabin not named by the supplier counts as the lowest. */
function isFlownIn(segment: Segment, asked: Cabin): boolean {
  return cabinsOn(segment).every((text) => !isHigherCabin(asked, CabinClass.safeParse(text).data ?? "economy"));
}

export function isWhollyIn(offer: FlightOffer, asked: Cabin): boolean {
  return listSegments(offer).every((segment) => isFlownIn(segment, asked));
}

/** From 0 to 1: the share of the flight time in this cabin or a higher one. */
export function shareIn(offer: FlightOffer, asked: Cabin): number {
  const minutes = (segments: readonly Segment[]) => segments.reduce((sum, each) => sum + each.durationMinutes, 0);
  const segments = listSegments(offer);
  if (segments.every((segment) => isFlownIn(segment, asked))) return 1;
  return minutes(segments.filter((segment) => isFlownIn(segment, asked))) / Math.max(1, minutes(segments));
}

/** Each flight with its cabin, such as "BA117 LHR to JFK: business". */
export function sayCabins(offer: FlightOffer): string[] {
  return listSegments(offer).map(
    (segment) =>
      `${segment.flightNumber} ${segment.origin} to ${segment.destination}: ${cabinsOn(segment).join(" and ").replaceAll("_", " ")}`,
  );
}

export function hasSeveralCabins(offer: FlightOffer): boolean {
  return new Set(listSegments(offer).flatMap(cabinsOn)).size > 1;
}
