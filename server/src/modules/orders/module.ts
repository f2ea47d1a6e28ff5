import { defineModule } from "./context.ts";
import * as servicing from "./migrations/0009-servicing.ts";
import * as orders from "./migrations/0010-orders.ts";
import * as bookingsByTraveler from "./migrations/0107-bookings-by-traveler.ts";
import * as ordersAreTold from "./migrations/0142-orders-are-told.ts";
import { orderEvents } from "./order-answers.ts";
import { orderRoutes } from "./routes.ts";
import { createOrders } from "./store.ts";
import { ABOUT, createWalletMovements } from "./store-movements.ts";
import { createServicingActions } from "./store-servicing-actions.ts";
import { listMovements } from "./tools/list-movements.ts";
import { listOrders } from "./tools/list-orders.ts";
import { readOrder } from "./tools/read-order.ts";

export const ordersModule = defineModule({
  name: "orders",
  tools: [listOrders, readOrder, listMovements],
  routes: orderRoutes,
  stores: ({ db, clock }) => ({
    orders: createOrders(db, clock),
    servicingActions: createServicingActions(db, clock),
    walletMovements: createWalletMovements(db),
  }),
  ports: ({ stores }) => ({
    paidOrders: { find: (owner, idempotencyKey) => stores.walletMovements.findOrder(owner, idempotencyKey) },
  }),
  workTables: [
    {
      table: "servicing_action",
      kind: {
        column: "kind",
        names: {
          flight_cancellation: "flight_cancellation",
          flight_change: "flight_change",
          stay_cancellation: "stay_cancellation",
        },
      },
      since: "created_at",
      open: [{ column: "state", notIn: ["done", "failed"] }],
    },
  ],
  personRecords: () => ({
    tables: { through: { order_event: { column: "order_id", table: "booking", key: "order_id" } } },
  }),
  migrations: {
    "0009-servicing": servicing,
    "0010-orders": orders,
    "0107-bookings-by-traveler": bookingsByTraveler,
    "0142-orders-are-told": ordersAreTold,
  },
  tenantEvents: orderEvents,
  indexes: {
    booking_by_pnr: "on booking (tenant_id, network, pnr) where state = 'booked'",
    booking_of_order: "on booking (network, order_id) where order_id is not null",
    // For the payments of an order or a trip: by the booking or the change in the key of the transaction, and by its trip.
    chain_transaction_about: `on chain_transaction (tenant_id, (${ABOUT})) where ${ABOUT} is not null`,
    chain_transaction_of_trip:
      "on chain_transaction (tenant_id, (chain_order->>'tripId')) where chain_order->>'tripId' is not null",
    // Almost every order is confirmed.
    booking_by_status: "on booking (tenant_id, network, order_status, id) where order_status <> 'confirmed'",
  },
  formerIndexes: ["booking_by_order"],
});
