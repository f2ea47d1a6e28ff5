import { CabinClass } from "../../../domain/schemas.ts";
import type { Cabin, FlightPurchase, Purchase, StayPurchase } from "../../../domain/travel/purchase.ts";
import { BOOKING_RATE, inUsdc } from "../booking-rate.ts";
import type { SeenComparable, SeenFlight, SeenOffer, SeenStay } from "./seen-offers.ts";

/** The purchase as the tenant saw it. `comparables` are the offers of its search. */
export function toPurchase(
  seen: SeenOffer,
  travelerIds: readonly string[] | undefined,
  comparables?: readonly SeenComparable[],
): Purchase {
  return seen.kind === "flight" ? toFlightPurchase(seen, travelerIds, comparables) : toStayPurchase(seen, travelerIds);
}

/** For an offer that the tenant has not seen. */
export function unknownPurchase(kind: Purchase["kind"], travelerIds: readonly string[] | undefined): Purchase {
  const bought = { price: undefined, travelerIds, refundable: undefined };
  if (kind === "flight") {
    const unknown = { carriers: undefined, changeable: undefined, fareBrands: undefined, comparables: undefined };
    return { ...bought, kind, ...unknown, emissionsKgPerPassenger: undefined, legs: [UNKNOWN_LEG] };
  }
  return { ...bought, kind, ...UNKNOWN_PLACE, name: undefined, suppliers: undefined, rooms: undefined, ...NO_DATES };
}

const UNKNOWN_LEG = {
  origin: undefined,
  destination: undefined,
  departsAt: undefined,
  arrivesAt: undefined,
  durationMinutes: undefined,
  stops: undefined,
  flights: undefined,
  cabin: undefined,
} as const;
const UNKNOWN_PLACE = { place: undefined, country: undefined, timeZone: undefined, stars: undefined } as const;
const NO_DATES = { checkInDate: undefined, checkOutDate: undefined } as const;

function toFlightPurchase(
  seen: SeenFlight,
  travelerIds: readonly string[] | undefined,
  comparables: readonly SeenComparable[] | undefined,
): FlightPurchase {
  return {
    kind: "flight",
    price: priceInUsdc(seen),
    travelerIds,
    refundable: seen.refundable ?? undefined,
    changeable: seen.changeable ?? undefined,
    refundPenalty: penaltyInUsdc(seen),
    carriers: seen.carriers,
    ...(seen.airlines === undefined ? {} : { airlines: seen.airlines }),
    fareBrands: seen.fareBrands ?? undefined,
    emissionsKgPerPassenger: seen.emissionsKgPerPassenger ?? undefined,
    legs: seen.legs.map(({ departingAt, arrivingAt, cabin, flights, ...leg }) => ({
      ...leg,
      flights,
      departsAt: localTime(departingAt),
      arrivesAt: localTime(arrivingAt),
      cabin: parseCabin(cabin),
    })),
    comparables: comparables?.flatMap(({ totalAmount, departures, cabin }) => {
      const price = inUsdc(totalAmount, seen.totalCurrency, seen.rate ?? BOOKING_RATE);
      const times = departures.map((text) => Temporal.PlainDateTime.from(text));
      return price === undefined ? [] : [{ price, departures: times, cabin: parseCabin(cabin) }];
    }),
  };
}

function toStayPurchase(seen: SeenStay, travelerIds: readonly string[] | undefined): StayPurchase {
  const { place } = seen;
  return {
    kind: "stay",
    price: priceInUsdc(seen),
    travelerIds,
    refundable: seen.refundable,
    name: seen.name,
    suppliers: [seen.accommodationId],
    rooms: seen.rooms,
    checkInDate: Temporal.PlainDate.from(seen.checkInDate),
    checkOutDate: Temporal.PlainDate.from(seen.checkOutDate),
    ...(place === null
      ? UNKNOWN_PLACE
      : {
          place: toPosition(place),
          country: place.country,
          timeZone: place.timeZone ?? undefined,
          stars: place.stars ?? undefined,
        }),
  };
}

function toPosition({ latitude, longitude }: NonNullable<SeenStay["place"]>) {
  return latitude === null || longitude === null ? undefined : { latitude, longitude };
}

function priceInUsdc({ totalAmount, totalCurrency, rate }: SeenOffer) {
  return inUsdc(totalAmount, totalCurrency, rate ?? BOOKING_RATE);
}

function penaltyInUsdc({ refundPenaltyAmount, totalCurrency, rate }: SeenFlight) {
  if (refundPenaltyAmount === undefined) return undefined;
  return inUsdc(refundPenaltyAmount, totalCurrency, rate ?? BOOKING_RATE);
}

function localTime(text: string | null): Temporal.PlainDateTime | undefined {
  return text === null ? undefined : Temporal.PlainDateTime.from(text);
}

function parseCabin(text: string | null): Cabin | undefined {
  return CabinClass.safeParse(text).data;
}
