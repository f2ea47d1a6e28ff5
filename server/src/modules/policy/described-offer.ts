import { fromNumber } from "../../domain/money.ts";
import type { Cabin, FlightPurchase, StayPurchase } from "../../domain/travel/purchase.ts";
import type { Subject } from "./facts.ts";

/** An offer as `check_policy` describes it. Other facts are unknown. */
export interface DescribedOffer {
  kind: "flight" | "hotel";
  priceUsd: number;
  carrierIata?: string | undefined;
  durationHours?: number | undefined;
  cabin?: Cabin | undefined;
  supplierId?: string | undefined;
  pricePerNightUsd?: number | undefined;
}

export function describedOffer(offer: DescribedOffer): Subject {
  return { bought: offer.kind === "flight" ? describedFlight(offer) : describedStay(offer) };
}

function describedFlight({ priceUsd, carrierIata, durationHours, cabin }: DescribedOffer): FlightPurchase {
  return {
    kind: "flight",
    price: fromNumber(priceUsd),
    travelerIds: undefined,
    refundable: undefined,
    carriers: carrierIata === undefined ? undefined : [carrierIata.toUpperCase()],
    changeable: undefined,
    fareBrands: undefined,
    emissionsKgPerPassenger: undefined,
    comparables: undefined,
    legs: [
      {
        origin: undefined,
        destination: undefined,
        departsAt: undefined,
        arrivesAt: undefined,
        durationMinutes: durationHours === undefined ? undefined : durationHours * 60,
        stops: undefined,
        flights: undefined,
        cabin,
      },
    ],
  };
}

function describedStay({ priceUsd, supplierId, pricePerNightUsd }: DescribedOffer): StayPurchase {
  return {
    kind: "stay",
    price: fromNumber(priceUsd),
    travelerIds: undefined,
    refundable: undefined,
    name: undefined,
    suppliers: supplierId === undefined ? undefined : [supplierId],
    rooms: undefined,
    pricePerNight: pricePerNightUsd === undefined ? undefined : fromNumber(pricePerNightUsd),
    checkInDate: undefined,
    checkOutDate: undefined,
    place: undefined,
    country: undefined,
    timeZone: undefined,
    stars: undefined,
  };
}
