import { z } from "zod";
import type { Log } from "../../../ports/log.ts";
import type { Flights } from "../../../ports/supplier/flights.ts";
import type { DuffelClient } from "../client.ts";
import { toBags } from "../servicing/map-ancillaries.ts";
import { toOrder, WireOrder } from "./map-orders.ts";

/** Bags that are added to an order after its payment: the supplier's order services, which have ids apart from the offer's. */
export function createOrderBags(client: DuffelClient, log: Log): Pick<Flights, "listOrderBags" | "addBags"> {
  return {
    async listOrderBags(orderId, { signal } = {}) {
      const path = `/air/orders/${encodeURIComponent(orderId)}/available_services`;
      const listed = await client.read({ subject: "order", schema: z.array(z.unknown()), path, signal });
      const { bags, unread } = toBags(listed);
      if (unread > 0) log.warn({ left: unread }, "services of the supplier that cannot be read were left out");
      return bags;
    },

    async addBags(orderId, bags, { amount, currency }) {
      const order = await client.commit({
        subject: "service_addition",
        schema: WireOrder,
        path: `/air/orders/${encodeURIComponent(orderId)}/services`,
        data: {
          payment: { type: "balance", amount, currency },
          add_services: bags.map(({ id, quantity }) => ({ id, quantity })),
        },
      });
      return toOrder(order, null);
    },
  };
}
