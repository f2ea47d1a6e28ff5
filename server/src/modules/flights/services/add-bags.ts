import { formatDecimal, parseDecimal } from "../../../domain/money.ts";
import type {
  BaggageService,
  BookedService,
  RequestedService,
  SupplierOrder,
} from "../../../ports/supplier/flights.ts";
import type { AskedService, Booking } from "../../bookings/index.ts";
import { priceOfServices } from "../../bookings/index.ts";
import { describeFlights } from "./asked-services.ts";

/**
 * Bags of a booking whose order was held without them: finds them among those that the airline sells for the paid order
 * and those that the order has. Ids do not match, as an order has its own for services and flights.
 */

/** `not_available`: the airline does not add it to this order. `supplier_unavailable`: there was no answer. */
export type NotAdded = "not_available" | "price_changed" | "supplier_unavailable";

/** By the ids of the offer. */
export interface AddedServices {
  added: ReadonlySet<string>;
  /** The reasons for the others; left out for `not_available`. */
  reasons: ReadonlyMap<string, NotAdded>;
}

/** The order's services if the supplier accepts `bags`. */
export interface ChosenBags extends AddedServices {
  bags: readonly RequestedService[];
  /** In total, in the currency of the booking. */
  amount: string;
}

/** Only an order held by an earlier call gets its bags later: any other order is made with its services. */
export function isAddedLater({ holdCallId, askedServices }: Pick<Booking, "holdCallId" | "askedServices">): boolean {
  return holdCallId !== undefined && askedServices.length > 0;
}

/** None at a higher price than the call was told. */
export function chooseBags(
  { askedServices, totalCurrency }: Pick<Booking, "askedServices" | "totalCurrency">,
  order: SupplierOrder,
  offered: readonly BaggageService[],
): ChosenBags {
  const reasons = new Map<string, NotAdded>();
  const chosen: (RequestedService & { askedId: string; eachAmount: string })[] = [];
  for (const asked of askedServices) {
    const same = offered
      .filter((bag) => bag.totalCurrency === totalCurrency && bag.maximumQuantity >= asked.quantity)
      .filter((bag) => isSameBag(asked, bag, describeFlights(order.slices, bag.segmentIds)))
      .filter(({ id }) => chosen.every((other) => other.id !== id));
    const bag = same.find(({ totalAmount }) => isAtMost(totalAmount, asked.eachAmount));
    if (bag === undefined) reasons.set(asked.id, same.length === 0 ? "not_available" : "price_changed");
    else chosen.push({ id: bag.id, askedId: asked.id, quantity: asked.quantity, eachAmount: bag.totalAmount });
  }
  return {
    bags: chosen.map(({ id, quantity }) => ({ id, quantity })),
    amount: formatDecimal(priceOfServices(chosen)),
    added: new Set(chosen.map(({ askedId }) => askedId)),
    reasons,
  };
}

/** The requested services that an order has: all of them if it was made with them. */
export function findServices(
  booking: Pick<Booking, "holdCallId" | "askedServices">,
  { services, slices }: Pick<SupplierOrder, "services" | "slices">,
): AddedServices {
  const { askedServices } = booking;
  const reasons = new Map<string, NotAdded>();
  if (!isAddedLater(booking)) return { added: new Set(askedServices.map(({ id }) => id)), reasons };
  const left = services.map((service) => ({ service, pieces: service.quantity }));
  const added = new Set<string>();
  for (const asked of askedServices) {
    const same = left.find(
      ({ service, pieces }) =>
        pieces >= asked.quantity && isSameService(asked, service, describeFlights(slices, service.segmentIds)),
    );
    if (same === undefined) continue;
    same.pieces -= asked.quantity;
    added.add(asked.id);
  }
  return { added, reasons };
}

function isSameBag(asked: AskedService, bag: BaggageService, flights: readonly string[]): boolean {
  const { kind, maximumWeightKilograms } = asked.bag ?? {};
  return (
    kind === bag.kind &&
    maximumWeightKilograms === bag.maximumWeightKilograms &&
    isSameSet(asked.passengerIds, bag.passengerIds) &&
    isSameSet(asked.flights, flights)
  );
}

function isSameService(asked: AskedService, service: BookedService, flights: readonly string[]): boolean {
  const weights = [asked.bag?.maximumWeightKilograms ?? null, service.maximumWeightKilograms];
  return (
    asked.kind === service.kind &&
    (weights.includes(null) || weights[0] === weights[1]) &&
    isSameSet(asked.passengerIds, service.passengerIds) &&
    isSameSet(asked.flights, flights)
  );
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length > 0 && JSON.stringify(some.toSorted()) === JSON.stringify(others.toSorted());
}

function isAtMost(amount: string, most: string): boolean {
  const [now, then] = [parseDecimal(amount), parseDecimal(most)];
  return now !== undefined && then !== undefined && now <= then;
}
