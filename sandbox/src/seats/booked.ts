// Services that belong to an order, and the seats that nobody else can have while it stands.

import { accountCurrency } from "../currencies.ts";
import { invalidField } from "../http/errors.ts";
import { newId } from "../ids.ts";
import { formatMoney } from "../money.ts";
import type { Fault } from "../sandbox.ts";
import type { Queryable } from "../storage/database.ts";
import { type Bag, findService, type Journey, type Service } from "./services.ts";

/** As an order stores it. */
export type BookedService = {
  id: string;
  serviceId: string;
  type: "baggage" | "seat";
  quantity: number;
  passengerIds: readonly string[];
  segmentIds: readonly string[];
  totalMicro: string;
  metadata: Record<string, unknown>;
  flight: string | null;
};

export type ServiceWish = { readonly id: string; readonly quantity: number };

export function sumServices(services: readonly Pick<BookedService, "totalMicro">[]): bigint {
  return services.reduce((sum, service) => sum + BigInt(service.totalMicro), 0n);
}

export function renderService(service: BookedService) {
  return {
    id: service.id,
    type: service.type,
    quantity: service.quantity,
    passenger_ids: service.passengerIds,
    segment_ids: service.segmentIds,
    total_amount: formatMoney(BigInt(service.totalMicro)),
    total_currency: accountCurrency(),
    metadata: service.metadata,
  };
}

export function renderAvailableBag(bag: Bag, alreadyBooked: number) {
  return {
    id: bag.id,
    type: bag.type,
    maximum_quantity: bag.maximumQuantity - alreadyBooked,
    passenger_ids: bag.passengerIds,
    segment_ids: bag.segmentIds,
    total_amount: formatMoney(bag.unitMicro),
    total_currency: accountCurrency(),
    metadata: bag.metadata,
  };
}

/** How many of a bag service an order has; identifiers of offers and orders differ, passenger and segments do not. */
export function bookedQuantity(bag: Bag, booked: readonly BookedService[]): number {
  return booked
    .filter(
      (service) =>
        service.type === "baggage" &&
        service.passengerIds[0] === bag.passengerIds[0] &&
        service.segmentIds[0] === bag.segmentIds[0],
    )
    .reduce((sum, service) => sum + service.quantity, 0);
}

const notAvailable = (index: number, field: string, message: string) =>
  invalidField("validation_inclusion", `${field}/${index}/id`, message);

/**
 * Checks what is wished against what is sold. A passenger sits in one seat of a segment, and a service is wished for once.
 * `field` is the part of the request that names the services.
 */
export function chooseServices(
  journey: Journey,
  wishes: readonly ServiceWish[],
  booked: readonly BookedService[],
  field: string,
): readonly { service: Service; quantity: number }[] {
  const seated = new Set(
    booked
      .filter((service) => service.type === "seat")
      .map((service) => `${service.passengerIds[0]}|${service.segmentIds[0]}`),
  );
  const seen = new Set<string>();
  return wishes.map((wish, index) => {
    const service = findService(journey, wish.id);
    if (service === undefined || seen.has(wish.id))
      throw notAvailable(index, field, "The service is not available, or was given twice");
    seen.add(wish.id);
    const left = service.type === "baggage" ? service.maximumQuantity - bookedQuantity(service, booked) : 1;
    if (wish.quantity > left)
      throw invalidField("validation_inclusion", `${field}/${index}/quantity`, `At most ${left} can be booked`);
    if (service.type === "seat") {
      const place = `${service.passengerIds[0]}|${service.segmentIds[0]}`;
      if (seated.has(place)) throw notAvailable(index, field, "The passenger already has a seat on this segment");
      seated.add(place);
    }
    return { service, quantity: wish.quantity };
  });
}

/** Books what was chosen; `rename` turns an offer's segment identifiers into the order's. */
export async function bookServices(
  tx: Queryable,
  orderId: string,
  chosen: readonly { service: Service; quantity: number }[],
  field: string,
  rename: (segmentId: string) => string = (id) => id,
): Promise<BookedService[]> {
  const seats = chosen.flatMap(({ service }, index) => (service.type === "seat" ? [{ service, index }] : []));
  // Always in the same order, so that two orders for the same seats never wait for each other.
  const seatKey = ({ service }: (typeof seats)[number]) => `${service.flight}|${service.metadata.designator}`;
  for (const { service, index } of seats.sort((a, b) => (seatKey(a) < seatKey(b) ? -1 : 1))) {
    const { rowCount } = await tx.query(
      "INSERT INTO booked_seats (flight, designator, order_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
      [service.flight, service.metadata.designator, orderId],
    );
    if (rowCount !== 1) throw notAvailable(index, field, "The seat is no longer available");
  }
  return chosen.map(({ service, quantity }) => ({
    id: newId("ser"),
    serviceId: service.id,
    type: service.type,
    quantity,
    passengerIds: service.passengerIds,
    segmentIds: service.segmentIds.map(rename),
    totalMicro: (service.unitMicro * BigInt(quantity)).toString(),
    metadata: { ...service.metadata },
    flight: service.type === "seat" ? service.flight : null,
  }));
}

/** Plays that somebody else was quicker: the seats among the services are taken by nobody's order, for good. */
export async function loseServices(
  db: Queryable,
  chosen: readonly { service: Service; quantity: number }[],
  fault: Fault | undefined,
  field: string,
): Promise<void> {
  if (fault?.kind !== "service_taken" || chosen.length === 0) return;
  for (const { service } of chosen) {
    if (service.type !== "seat") continue;
    await db.query("INSERT INTO booked_seats (flight, designator) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
      service.flight,
      service.metadata.designator,
    ]);
  }
  throw notAvailable(0, field, "The service is no longer available");
}

/** Frees seats of an order: all of them, or those of the services given. */
export async function freeSeats(tx: Queryable, orderId: string, services?: readonly BookedService[]): Promise<void> {
  if (services === undefined) {
    await tx.query("DELETE FROM booked_seats WHERE order_id = $1", [orderId]);
    return;
  }
  for (const service of services) {
    if (service.flight === null) continue;
    await tx.query("DELETE FROM booked_seats WHERE order_id = $1 AND flight = $2 AND designator = $3", [
      orderId,
      service.flight,
      service.metadata.designator,
    ]);
  }
}
