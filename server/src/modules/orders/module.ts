import { defineModule } from "../../kernel/module.ts";
import * as orders from "./migrations/0010-orders.ts";
import { createOrders } from "./store.ts";

export const ordersModule = defineModule({
  name: "orders",
  needs: ["bookings", "treasury"],
  stores: ({ db, clock }) => ({
    orders: createOrders(db, clock),
  }),
  migrations: { "0010-orders": orders },
});
