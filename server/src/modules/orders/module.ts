import { defineModule } from "../../kernel/module.ts";
import * as orders from "./migrations/0010-orders.ts";
import * as bookingsByTraveler from "./migrations/0107-bookings-by-traveler.ts";
import { orderRoutes } from "./routes.ts";
import { createOrders } from "./store.ts";
import { createWalletMovements } from "./store-movements.ts";
import { listMovements } from "./tools/list-movements.ts";
import { listOrders } from "./tools/list-orders.ts";
import { readOrder } from "./tools/read-order.ts";

export const ordersModule = defineModule({
  name: "orders",
  needs: ["bookings", "ledger", "memory", "travelers", "treasury"],
  tools: [listOrders, readOrder, listMovements],
  routes: orderRoutes,
  stores: ({ db, clock }) => ({
    orders: createOrders(db, clock),
    walletMovements: createWalletMovements(db),
  }),
  personRecords: () => ({
    tables: { through: { order_event: { column: "order_id", table: "booking", key: "order_id" } } },
  }),
  migrations: { "0010-orders": orders, "0107-bookings-by-traveler": bookingsByTraveler },
  indexes: { booking_by_pnr: "on booking (tenant_id, network, pnr) where state = 'booked'" },
});
