import { Failure } from "../../../domain/errors.ts";
import { formatDecimal } from "../../../domain/money.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { SeatService } from "../../../ports/supplier/flight-servicing.ts";
import type { BaggageService, FlightOffer, RequestedService } from "../../../ports/supplier/flights.ts";
import {
  type AskedService,
  keepsRecords,
  priceOfServices,
  type SeenOffer,
  type SeenOffers,
  type SeenService,
} from "../../bookings/index.ts";
import { describeFlights } from "./asked-services.ts";

interface Listed {
  bags: readonly BaggageService[];
  seats: readonly SeatService[];
}

/** Stores the bags and seats shown to a tenant for an offer that it has seen. */
export async function seeServices(
  seenOffers: SeenOffers,
  caller: Caller,
  offer: FlightOffer,
  listed: Listed,
): Promise<void> {
  if (!keepsRecords(caller)) return;
  const seen = await seenOffers.find(caller, offer.id);
  if (seen?.kind !== "flight") return;
  const services = toSeenServices(offer, listed).filter(({ currency }) => currency === seen.totalCurrency);
  const kept = services.map(({ currency: _, ...service }) => service);
  await seenOffers.remember(caller, [{ id: offer.id, offer: { ...seen, services: kept } }]);
}

function toSeenServices({ slices }: FlightOffer, { bags, seats }: Listed): (SeenService & { currency: string })[] {
  return [
    ...bags.map((bag) => ({
      id: bag.id,
      kind: "bag" as const,
      eachAmount: bag.totalAmount,
      currency: bag.totalCurrency,
      maximumQuantity: bag.maximumQuantity,
      bag: { kind: bag.kind, maximumWeightKilograms: bag.maximumWeightKilograms },
      passengerIds: [...bag.passengerIds],
      flights: describeFlights(slices, bag.segmentIds),
    })),
    ...seats.map((seat) => ({
      id: seat.id,
      kind: "seat" as const,
      eachAmount: seat.totalAmount,
      currency: seat.totalCurrency,
      maximumQuantity: 1,
      bag: null,
      passengerIds: [seat.passengerId],
      flights: describeFlights(slices, [seat.segmentId]),
    })),
  ];
}

/** The requested services as the tenant was shown them. Undefined if it was not shown all of them, or not as many. */
export function asSeen(
  seen: SeenOffer | undefined,
  services: readonly RequestedService[],
): readonly AskedService[] | undefined {
  const known = seen?.kind === "flight" ? (seen.services ?? []) : [];
  const asked = services.flatMap(({ id, quantity }) => {
    const service = known.find((one) => one.id === id && one.maximumQuantity >= quantity);
    if (service === undefined) return [];
    const { maximumQuantity: _, ...shown } = service;
    return [{ ...shown, quantity }];
  });
  return asked.length === services.length ? asked : undefined;
}

/** The total of services, by the prices shown to the tenant. */
export function priceSeen(seen: SeenOffer, services: readonly RequestedService[]): string | undefined {
  const shown = asSeen(seen, services);
  return shown === undefined ? undefined : formatDecimal(priceOfServices(shown));
}

/** Throws if services cost more now than when the tenant last saw them: nobody has approved that price. */
export function requireSeenServices(
  seen: SeenOffer | undefined,
  services: readonly RequestedService[],
  { servicesMicro, currency }: { servicesMicro: bigint; currency: string },
): void {
  const shown = asSeen(seen, services);
  const then = priceOfServices(shown ?? []);
  if (shown === undefined || servicesMicro <= then) return;
  const [now, seenAmount] = [formatDecimal(servicesMicro), formatDecimal(then)];
  throw new Failure("price_changed", {
    detail: `The services now cost ${now} ${currency}; they were ${seenAmount} ${currency} when you last saw them. Nothing is owed; call list_flight_ancillaries again.`,
    extra: { servicesAmount: now, seenAmount, seenCurrency: currency },
  });
}
