import type { Maps } from "../../ports/maps.ts";
import { findDeparture, type OwnOrder } from "./find-own-order.ts";

/** The order's journeys besides the disrupted one that are still to be flown, such as the return. */
export function listOtherFlights(
  own: OwnOrder | undefined,
  maps: Pick<Maps, "airport">,
  now: Temporal.Instant,
): string[] {
  if (own === undefined) return [];
  return own.details.slices.flatMap(({ id, origin, destination, segments: [first] }) => {
    const departs = first && findDeparture(first, maps);
    if (id === own.slice.id || first === undefined) return [];
    if (departs !== undefined && Temporal.Instant.compare(departs, now) <= 0) return [];
    const { flightNumber, departingAt } = first;
    return [`${origin} to ${destination} (${flightNumber}, ${departingAt.slice(0, 16).replace("T", " ")})`];
  });
}

/** For the next steps: what a one-way ticket and a cancellation leave of the order. */
export function sayOtherFlights(
  others: readonly string[],
  found: { isChangeable: boolean; isBought: boolean },
): string[] {
  if (others.length === 0) return [];
  const which = others.join(" and ");
  const it = others.length === 1 ? "it" : "them";
  return [
    `The order also has ${which}. Cancelling the order cancels ${it} too, and the refund is for all flights together.`,
    ...(found.isChangeable ? [`A change with select_order_change_offer keeps ${it} as booked.`] : []),
    ...(found.isBought
      ? [
          `The new tickets here do not replace ${it}: compare their price with this journey's part of the order alone. If the traveler leaves this flight unused and still wants ${which}, have the airline confirm first that ${it === "it" ? "it stays" : "they stay"} valid: airlines often cancel the rest of an order after an unused flight.`,
        ]
      : []),
  ];
}
