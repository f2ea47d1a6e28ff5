import type { FlightServicing } from "../../../ports/supplier/flight-servicing.ts";
import type { DuffelClient } from "../client.ts";
import { failure } from "../errors.ts";
import { returnedPayment, WirePayment } from "../flights/map-orders.ts";
import { isSupplierId } from "../wire.ts";
import { toOrderDetails, WireOrderDetails } from "./map-servicing.ts";

const MOST_PAYMENTS = 1_000;

export function createOrderDetails(
  client: DuffelClient,
): Pick<FlightServicing, "getOrderDetails" | "getReturnedPayment"> {
  return {
    async getOrderDetails(orderId, call = {}) {
      if (!isSupplierId(orderId)) throw failure("order_not_found");
      const path = `/air/orders/${encodeURIComponent(orderId)}`;
      const { signal } = call;
      return toOrderDetails(await client.read({ subject: "order", schema: WireOrderDetails, path, signal }));
    },

    async getReturnedPayment(orderId, { signal } = {}) {
      if (!isSupplierId(orderId)) throw failure("order_not_found");
      const query = { order_id: orderId };
      const page = { subject: "payment", schema: WirePayment, path: "/air/payments", query, signal } as const;
      return returnedPayment(await client.readPages(page, MOST_PAYMENTS));
    },
  };
}
