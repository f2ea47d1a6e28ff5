import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { formatDecimal, parseDecimal } from "../../../domain/money.ts";
import type { Log } from "../../../ports/log.ts";
import type { FlightServicing, PricedServices } from "../../../ports/supplier/flight-servicing.ts";
import type { CallOptions, RequestedService } from "../../../ports/supplier/flights.ts";
import type { DuffelClient } from "../client.ts";
import { failure } from "../errors.ts";
import { isSupplierId } from "../wire.ts";
import { toBags, toSeats, WireOfferServices, WireSeatMap } from "./map-ancillaries.ts";

function unavailable(serviceId: string, why: string): Failure {
  return new Failure("service_not_available", {
    detail: `${why} Nothing was booked; call list_flight_ancillaries again and choose from its list.`,
    extra: { serviceId },
  });
}

export function createAncillaries(
  client: DuffelClient,
  log: Log,
): Pick<FlightServicing, "listAncillaries" | "priceServices"> {
  /** Reads the offer with its bags, and its seat maps, which have separate addresses. */
  async function read(offerId: string, { signal }: CallOptions) {
    if (!isSupplierId(offerId)) throw failure("offer_not_found");
    const [offer, maps] = await Promise.all([
      client.read({
        subject: "offer",
        schema: WireOfferServices,
        path: `/air/offers/${encodeURIComponent(offerId)}`,
        query: { return_available_services: "true" },
        signal,
      }),
      client.read({
        subject: "offer",
        schema: z.array(WireSeatMap),
        path: "/air/seat_maps",
        query: { offer_id: offerId },
        signal,
      }),
    ]);
    const { bags, unread: unreadBags } = toBags(offer.available_services ?? []);
    const { seats, unread: unreadSeats } = toSeats(maps);
    const left = unreadBags + unreadSeats;
    if (left > 0) log.warn({ left }, "services of the supplier that cannot be read were left out");
    return { offer, bags, seats, hasSeatMap: maps.length > 0 };
  }

  return {
    async listAncillaries(offerId, call = {}) {
      const { bags, seats, hasSeatMap } = await read(offerId, call);
      return { bags, seats, hasSeatMap };
    },

    async priceServices(offerId, wanted, call = {}): Promise<PricedServices> {
      const { offer, bags, seats } = await read(offerId, call);
      // A passenger takes one seat per segment.
      const seated = new Set<string>();
      const taken = new Set<string>();
      const priceService = ({ id, quantity }: RequestedService) => {
        const bag = bags.find((one) => one.id === id);
        const seat = seats.find((one) => one.id === id);
        const service = bag ?? seat;
        const most = bag?.maximumQuantity ?? 1;
        const each = parseDecimal(service?.totalAmount ?? "");
        if (service?.totalCurrency !== offer.total_currency || each === undefined) {
          throw unavailable(id, `The offer has no service ${id} that can be booked with it.`);
        }
        if (quantity > most) {
          throw unavailable(id, `The offer has only ${most} of service ${id}, but ${quantity} were requested.`);
        }
        const place = seat === undefined ? undefined : `${seat.passengerId} ${seat.segmentId}`;
        if (place !== undefined && seated.has(place)) {
          throw unavailable(id, `The passenger of seat ${id} already has another seat on the same flight.`);
        }
        if (place !== undefined) seated.add(place);
        const spot = seat === undefined ? undefined : `${seat.segmentId} ${seat.designator}`;
        if (spot !== undefined && taken.has(spot)) {
          throw unavailable(
            id,
            `Seat ${seat?.designator} is requested for two passengers: choose another seat instead of ${id}.`,
          );
        }
        if (spot !== undefined) taken.add(spot);
        return {
          id,
          quantity,
          kind: bag === undefined ? ("seat" as const) : ("bag" as const),
          amount: each * BigInt(quantity),
          eachAmount: formatDecimal(each),
          passengerIds: seat === undefined ? (bag?.passengerIds ?? []) : [seat.passengerId],
          segmentIds: seat === undefined ? (bag?.segmentIds ?? []) : [seat.segmentId],
          bag: bag === undefined ? null : { kind: bag.kind, maximumWeightKilograms: bag.maximumWeightKilograms },
        };
      };
      const twice = wanted.find(({ id }, index) => wanted.findIndex((other) => other.id === id) !== index);
      if (twice !== undefined) throw unavailable(twice.id, `Service ${twice.id} is named twice.`);
      const priced = wanted.map(priceService);
      const sum = priced.reduce((total, { amount }) => total + amount, 0n);
      return {
        servicesAmount: formatDecimal(sum),
        totalAmount: formatDecimal((parseDecimal(offer.total_amount) ?? 0n) + sum),
        totalCurrency: offer.total_currency,
        services: priced.map(({ amount, ...service }) => ({ ...service, totalAmount: formatDecimal(amount) })),
      };
    },
  };
}
