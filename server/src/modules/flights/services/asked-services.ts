import type { PricedService } from "../../../ports/supplier/flight-servicing.ts";
import type { BookedSegment } from "../../../ports/supplier/flights.ts";
import type { AskedService } from "../../bookings/index.ts";

interface Flown {
  segments: readonly (Pick<BookedSegment, "flightNumber" | "origin" | "departingAt"> & { id: string })[];
}

/** Names the flights of these segments in a form common to offer and order, whose ids differ. */
export function describeFlights(slices: readonly Flown[], segmentIds: readonly string[]): string[] {
  return slices
    .flatMap(({ segments }) => segments)
    .filter(({ id }) => segmentIds.includes(id))
    .map(({ flightNumber, origin, departingAt }) => `${flightNumber} ${origin} ${departingAt}`);
}

/** Services of an offer as stored with its booking. */
export function toAskedServices(slices: readonly Flown[], priced: readonly PricedService[]): AskedService[] {
  return priced.map(({ id, quantity, kind, eachAmount, bag, passengerIds, segmentIds }) => ({
    id,
    quantity,
    kind,
    eachAmount,
    bag,
    passengerIds: [...passengerIds],
    flights: describeFlights(slices, segmentIds),
  }));
}
