import type { Simulators } from "../../ports/simulators.ts";
import type { OrderRecord } from "../orders/index.ts";

type Order = Pick<OrderRecord, "orderId" | "status" | "slices" | "scheduleChanges">;

/** Cancels every flight of these orders that uses the airport, and returns the orders that it hit. */
export async function closeAirport(
  simulators: Pick<Simulators, "moveFlight">,
  orders: readonly Order[],
  { airport, until }: { airport: string; until?: string },
): Promise<string[]> {
  const hit: string[] = [];
  for (const { orderId, status, slices, scheduleChanges } of orders) {
    const isOpen = status === "held" || status === "confirmed";
    if (!isOpen || scheduleChanges.length > 0) continue;
    for (const [slice, { segments }] of slices.entries()) {
      const isHit = segments.some(
        ({ origin, destination, departingAt }) =>
          (origin === airport || destination === airport) && (until === undefined || departingAt.slice(0, 10) <= until),
      );
      if (!isHit) continue;
      const isMoved = await simulators.moveFlight({ orderId, slice, shiftMinutes: null });
      if (isMoved && !hit.includes(orderId)) hit.push(orderId);
    }
  }
  return hit;
}
