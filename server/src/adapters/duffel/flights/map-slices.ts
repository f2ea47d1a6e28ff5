import { z } from "zod";
import type { BookedSegment, OrderedSegment, OrderedSlice, Segment, Slice } from "../../../ports/supplier/flights.ts";
import { Count, described, describedList, LocalDateTime, Minutes, Text } from "../wire.ts";
import { toCondition, WireCondition } from "./map-conditions.ts";

/**
 * Flights of offers and orders. A purchase is recognised even if its flights lack descriptive fields; an offer must say when
 * and where it flies.
 */

const WirePlace = described(z.object({ iata_code: described(z.string()), time_zone: described(z.string()) }));
type WirePlace = z.infer<typeof WirePlace>;
const WireCarrier = described(z.object({ iata_code: described(Text), name: described(z.string()) }));

const WireStop = z.object({
  airport: WirePlace,
  arriving_at: described(LocalDateTime),
  departing_at: described(LocalDateTime),
  duration: described(Minutes),
});

const WirePassenger = z.object({
  passenger_id: described(z.string()),
  seat: described(z.object({ designator: described(z.string()) })),
  cabin_class: described(z.string()),
  baggages: describedList(z.object({ type: Text, quantity: Count })),
});

const WireSegment = z.object({
  id: described(z.string()),
  departing_at: described(LocalDateTime),
  arriving_at: described(LocalDateTime),
  origin: WirePlace,
  destination: WirePlace,
  origin_terminal: described(z.string()),
  destination_terminal: described(z.string()),
  duration: described(Minutes),
  aircraft: described(z.object({ name: z.string() })),
  marketing_carrier: WireCarrier,
  marketing_carrier_flight_number: described(z.string()),
  operating_carrier: WireCarrier,
  stops: describedList(WireStop),
  passengers: describedList(WirePassenger),
});
type WireSegment = z.infer<typeof WireSegment>;

const WireSliceFields = z.object({
  id: described(z.string()),
  origin: WirePlace,
  destination: WirePlace,
  duration: described(Minutes),
  fare_brand_name: described(z.string()),
  conditions: described(z.object({ change_before_departure: WireCondition })),
  segments: described(z.array(described(WireSegment))),
});
type WireSliceFields = z.infer<typeof WireSliceFields>;

/** Some airlines omit the duration; the two local times and their zones give it as well. */
function minutesBetween(first: WireSegment | undefined, last: WireSegment | undefined): number | null {
  const departure = toEpochMilliseconds(first?.departing_at, first?.origin);
  const arrival = toEpochMilliseconds(last?.arriving_at, last?.destination);
  return departure === undefined || arrival === undefined ? null : Math.round((arrival - departure) / 60_000);
}

/** Local times are ambiguous without their zones. */
function toEpochMilliseconds(local: string | null | undefined, place: WirePlace | undefined): number | undefined {
  if (!local || !place?.time_zone) return undefined;
  try {
    return Temporal.PlainDateTime.from(local).toZonedDateTime(place.time_zone).epochMilliseconds;
  } catch {
    return undefined;
  }
}

function toSegment(segment: WireSegment): OrderedSegment {
  const { marketing_carrier: marketing, operating_carrier: operating } = segment;
  const carrier = marketing?.iata_code ?? operating?.iata_code ?? "";
  const [passenger] = segment.passengers;
  return {
    id: segment.id ?? "",
    carrier,
    carrierName: marketing?.name ?? carrier,
    flightNumber: `${carrier}${segment.marketing_carrier_flight_number ?? ""}`,
    operatingCarrier: operating?.iata_code ?? carrier,
    origin: segment.origin?.iata_code ?? "",
    destination: segment.destination?.iata_code ?? "",
    originTerminal: segment.origin_terminal,
    destinationTerminal: segment.destination_terminal,
    departingAt: segment.departing_at ?? "",
    arrivingAt: segment.arriving_at ?? "",
    durationMinutes: segment.duration ?? minutesBetween(segment, segment),
    aircraft: segment.aircraft?.name ?? null,
    cabinClass: passenger?.cabin_class ?? "unknown",
    baggage: passenger?.baggages ?? [],
    stops: segment.stops.map((stop) => ({
      airport: stop.airport?.iata_code ?? "",
      arrivingAt: stop.arriving_at ?? "",
      departingAt: stop.departing_at ?? "",
      durationMinutes: stop.duration,
    })),
    passengers: segment.passengers.map((one) => ({
      passengerId: one.passenger_id ?? "",
      cabinClass: one.cabin_class ?? "unknown",
      baggage: one.baggages,
      seat: one.seat?.designator ?? null,
    })),
  };
}

function toOrderedSlice({ segments: listed, ...slice }: WireSliceFields): OrderedSlice {
  const segments = (listed ?? []).flatMap((segment) => segment ?? []);
  return {
    id: slice.id ?? "",
    origin: slice.origin?.iata_code ?? "",
    destination: slice.destination?.iata_code ?? "",
    durationMinutes: slice.duration ?? minutesBetween(segments[0], segments.at(-1)),
    fareBrandName: slice.fare_brand_name,
    changeBeforeDeparture: toCondition(slice.conditions?.change_before_departure),
    segments: segments.map(toSegment),
  };
}

/** A slice of an order: between the airports of its flights, even if a city was searched. */
export const WireSlice = WireSliceFields.transform((wire): OrderedSlice => {
  const slice = toOrderedSlice(wire);
  const { origin = "" } = slice.segments[0] ?? {};
  const { destination = "" } = slice.segments.at(-1) ?? {};
  return { ...slice, origin: origin || slice.origin, destination: destination || slice.destination };
});

/** A slice of an offer. */
export const WireSoldSlice = WireSliceFields.transform((wire, context): Slice => {
  const slice = toOrderedSlice(wire);
  const segments = slice.segments.flatMap((segment) => (isSold(segment) ? [segment] : []));
  const isWhole = segments.length > 0 && segments.length === wire.segments?.length;
  if (isWhole && isTimed(slice) && slice.id && slice.origin && slice.destination) return { ...slice, segments };
  context.addIssue({ code: "custom", message: "does not say when and where it flies" });
  return z.NEVER;
});

function isTimed<Flown extends { durationMinutes: number | null }>(
  flown: Flown,
): flown is Flown & { durationMinutes: number } {
  return flown.durationMinutes !== null;
}

function isSold(segment: OrderedSegment): segment is Segment {
  const { id, carrier, flightNumber, origin, destination, departingAt, arrivingAt } = segment;
  const isNumbered = flightNumber.length > carrier.length;
  return isTimed(segment) && isNumbered && [id, origin, destination, departingAt, arrivingAt].every(Boolean);
}

/** The flights only. */
export function toFlights(slices: readonly OrderedSlice[]): BookedSegment[] {
  return slices.flatMap(({ segments }) =>
    segments.map(({ flightNumber, origin, destination, departingAt, arrivingAt }) => ({
      flightNumber,
      origin,
      destination,
      departingAt,
      arrivingAt,
    })),
  );
}
