import type { z } from "zod";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { BookingResult, SeenOffer } from "../../bookings/index.ts";
import type { Stores } from "../context.ts";

interface Asked {
  /** The call's own booking: other orders are compared with it. */
  offerId: string;
  userIds: readonly string[];
  /** Flights of each leg, and its first local departure. */
  legs: readonly { flights?: readonly string[] | undefined; departingAt: string | null }[];
}

type Owner = Pick<Caller, "tenantId" | "environment">;

/** For an offer as the tenant was shown it. */
export async function sayTwiceOfOffer(
  stores: Pick<Stores, "orders">,
  caller: Owner,
  { seen, ...asked }: Omit<Asked, "legs"> & { seen: SeenOffer },
): Promise<string[]> {
  return seen.kind === "flight" ? await sayTwice(stores, caller, { ...asked, legs: seen.legs }) : [];
}

/** For an order as it was booked or held. */
export async function sayTwiceOfOrder(
  stores: Pick<Stores, "orders">,
  caller: Owner,
  { offerId, travelers, slices }: Pick<z.output<typeof BookingResult>, "offerId" | "travelers" | "slices">,
): Promise<string[]> {
  const legs = slices.map(({ segments }) => ({
    flights: segments.map(({ flightNumber }) => flightNumber),
    departingAt: segments[0]?.departingAt ?? null,
  }));
  return await sayTwice(stores, caller, { offerId, userIds: travelers.flatMap(({ userId }) => userId ?? []), legs });
}

/** Names earlier orders with which a traveler is already on one of the flights, as after a time-out and a new search. */
async function sayTwice(
  { orders }: Pick<Stores, "orders">,
  { tenantId, environment }: Owner,
  { offerId, userIds, legs }: Asked,
): Promise<string[]> {
  const flights = legs.flatMap(({ flights: numbers = [], departingAt }) =>
    departingAt === null ? [] : numbers.map((flightNumber) => ({ flightNumber, day: departingAt.slice(0, 10) })),
  );
  const found = await orders.findFlights(tenantId, environment, { userIds, flights, exceptOfferId: offerId });
  return [...Map.groupBy(found, ({ orderId, userId }) => `${orderId} ${userId}`).values()].map((some) => {
    const [{ orderId, userId } = { orderId: "", userId: "" }] = some;
    const named = [...new Set(some.map(({ flightNumber, day }) => `${flightNumber} of ${day}`))];
    return `Careful: ${userId} is already booked on ${named.join(", ")}, as order ${orderId}. If that is not intended, cancel one of the two: cancel_order_quote says what comes back.`;
  });
}
