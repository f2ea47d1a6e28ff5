import { type ByEnvironment, mapEnvironments } from "../../../server/src/kernel/contracts/parts.ts";
import type { Supplier } from "../../../server/src/ports/supplier/supplier.ts";

/** Every booking whose outcome is unknown passes for one that did not happen. */
export function withoutServicingLookup(suppliers: ByEnvironment<Supplier>): ByEnvironment<Supplier> {
  return mapEnvironments(suppliers, (supplier) => ({
    ...supplier,
    flights: { ...supplier.flights, findOrdersByBooking: async () => [] },
    stayBookings: { ...supplier.stayBookings, findStaysByBooking: async () => [] },
  }));
}
