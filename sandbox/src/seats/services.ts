// Seats and bags that can be bought for the slices of an offer or an order: worked out from the slices alone, the same every time.
import { chance } from "../hash.ts";
import { findTestRoute } from "../inventory/test-routes.ts";
import { applyPermille, toCents, wholeUnits } from "../money.ts";
import type { WireOffer } from "../offers/render.ts";
import { aircraftByCode } from "../reference/data.ts";
import { type CabinLayout, findLayout, type SeatKind, type SeatPlace } from "./layout.ts";

export type WireSlice = WireOffer["slices"][number];
export type WireSegment = WireSlice["segments"][number];

/** The object for which services are sold: an offer's slices or those of an order, and its passengers. */
export type Journey = {
  readonly slices: readonly WireSlice[];
  readonly passengers: readonly { readonly id: string; readonly type: string | null }[];
  /** 1000 unless the airline has changed its prices since. */
  readonly pricePermille: number;
};

export type Bag = {
  readonly type: "baggage";
  readonly id: string;
  readonly passengerIds: readonly string[];
  readonly segmentIds: readonly string[];
  readonly unitMicro: bigint;
  readonly maximumQuantity: number;
  readonly metadata: Record<string, unknown>;
};
export type SeatOffer = {
  readonly type: "seat";
  readonly id: string;
  readonly passengerIds: readonly string[];
  readonly segmentIds: readonly string[];
  readonly unitMicro: bigint;
  readonly maximumQuantity: 1;
  readonly metadata: { readonly designator: string; readonly name: string; readonly disclosures: readonly string[] };
  readonly flight: string;
};
export type Service = Bag | SeatOffer;

const MOST_BAGS = 2;
const LONG_HAUL_KM = 4500;
const SEAT_NAMES: Record<SeatKind, string> = {
  standard: "Standard seat",
  preferred: "Preferred seat",
  legroom: "Extra legroom seat",
  exit: "Exit row seat",
  restricted: "Seat with restrictions",
};
const DISCLOSURES: Record<SeatKind, readonly string[]> = {
  standard: [],
  preferred: ["Closer to the front of the cabin"],
  legroom: ["Seat with extra legroom", "The tray table is in the armrest"],
  exit: ["Do not seat children in exit row seats", "Do not seat passengers with special needs in exit row seats"],
  restricted: ["Limited or no recline", "Close to the lavatory"],
};
const SEAT_UNITS: Record<SeatKind, number> = { standard: 12, preferred: 22, legroom: 45, exit: 38, restricted: 6 };
const OCCUPIED = 0.35;

/** A flight as its seats know it: the same in every offer and order. */
export function flightKey(segment: WireSegment): string {
  return `${segment.operating_carrier.iata_code}${segment.operating_carrier_flight_number}|${segment.origin.iata_code}|${segment.departing_at.slice(0, 10)}`;
}

const twoDigits = (value: number) => String(value).padStart(2, "0");
const idSuffix = (id: string) => id.slice("xxx_0000".length);

function listBags(journey: Journey, slice: WireSlice): Bag[] {
  const [first, last] = [slice.segments[0], slice.segments.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (findTestRoute(first.origin.iata_code, last.destination.iata_code) === "no_bags") return [];
  const km = slice.segments.reduce((sum, segment) => sum + Number(segment.distance), 0);
  const price = toCents(applyPermille(wholeUnits(km > LONG_HAUL_KM ? 75 : 35), journey.pricePermille));
  return journey.passengers.flatMap((passenger, index): Bag[] => {
    if (passenger.type === "infant_without_seat") return [];
    return [
      {
        type: "baggage",
        id: `ase_0000${idSuffix(slice.id)}B${twoDigits(index)}`,
        passengerIds: [passenger.id],
        segmentIds: slice.segments.map((segment) => segment.id),
        unitMicro: price,
        maximumQuantity: MOST_BAGS,
        metadata: {
          type: "checked",
          maximum_weight_kg: 23,
          maximum_height_cm: 90,
          maximum_length_cm: 75,
          maximum_depth_cm: 43,
        },
      },
    ];
  });
}

export function bagServices(journey: Journey): readonly Bag[] {
  return journey.slices.flatMap((slice) => listBags(journey, slice));
}

function seatMicro(journey: Journey, slice: WireSlice, segment: WireSegment, kind: SeatKind): bigint {
  const cabin = segment.passengers[0]?.cabin_class;
  if (cabin !== "economy") return 0n;
  const brand = slice.fare_brand_name;
  const free =
    brand === "Flex"
      ? kind !== "exit" && kind !== "legroom"
      : brand === "Standard" && (kind === "standard" || kind === "restricted");
  if (free) return 0n;
  const far = Number(segment.distance) > LONG_HAUL_KM ? 1600 : 1000;
  return toCents(applyPermille(applyPermille(wholeUnits(SEAT_UNITS[kind]), far), journey.pricePermille));
}

export function formatDesignator(place: SeatPlace): string {
  return `${place.row}${place.column}`;
}

export function segmentLayout(segment: WireSegment): CabinLayout | undefined {
  const aircraft = aircraftByCode.get(segment.aircraft.iata_code);
  const cabin = segment.passengers[0]?.cabin_class;
  return aircraft === undefined || cabin === undefined ? undefined : findLayout(aircraft, cabin);
}

/** Another passenger has the seat, whoever asks. */
function isOccupied(segment: WireSegment, designator: string): boolean {
  return chance("seat", flightKey(segment), designator) < OCCUPIED;
}

/** One service for each passenger who may sit here; nobody under age at an exit. */
export function seatServices(
  journey: Journey,
  slice: WireSlice,
  segment: WireSegment,
  place: SeatPlace,
): readonly SeatOffer[] {
  const designator = formatDesignator(place);
  if (isOccupied(segment, designator)) return [];
  return journey.passengers.flatMap((passenger, index): SeatOffer[] => {
    if (passenger.type === "infant_without_seat" || (place.kind === "exit" && passenger.type === "child")) return [];
    return [
      {
        type: "seat",
        id: `ase_0000${idSuffix(segment.id)}S${twoDigits(index)}${twoDigits(place.row)}${place.column}`,
        passengerIds: [passenger.id],
        segmentIds: [segment.id],
        unitMicro: seatMicro(journey, slice, segment, place.kind),
        maximumQuantity: 1,
        metadata: { designator, ...seatTexts(place.kind) },
        flight: flightKey(segment),
      },
    ];
  });
}

export function seatTexts(kind: SeatKind): { name: string; disclosures: readonly string[] } {
  return { name: SEAT_NAMES[kind], disclosures: DISCLOSURES[kind] };
}

/** The service of an identifier, if these slices sell it. */
export function findService(journey: Journey, id: string): Service | undefined {
  const bag = bagServices(journey).find((candidate) => candidate.id === id);
  if (bag !== undefined) return bag;
  for (const slice of journey.slices) {
    const segment = slice.segments.find((candidate) => id.startsWith(`ase_0000${idSuffix(candidate.id)}S`));
    const layout = segment === undefined ? undefined : segmentLayout(segment);
    if (segment === undefined || layout === undefined) continue;
    for (const element of layout.rows.flat(2)) {
      if (!("seat" in element)) continue;
      const found = seatServices(journey, slice, segment, element.seat).find((candidate) => candidate.id === id);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
