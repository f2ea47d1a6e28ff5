import type { FlightServicing } from "../../ports/flight-servicing.ts";
import type { DuffelClient } from "./client.ts";
import { failure } from "./errors.ts";
import { toOrderDetails, WireOrderDetails } from "./map-servicing.ts";
import { isSupplierId } from "./wire.ts";

export function createOrderDetails(client: DuffelClient): Pick<FlightServicing, "getOrderDetails"> {
  return {
    async getOrderDetails(orderId, call = {}) {
      if (!isSupplierId(orderId)) throw failure("order_not_found");
      const path = `/air/orders/${encodeURIComponent(orderId)}`;
      const { signal } = call;
      return toOrderDetails(await client.read({ subject: "order", schema: WireOrderDetails, path, signal }));
    },
  };
}
