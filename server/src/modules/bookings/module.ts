import { defineModule } from "../../kernel/module.ts";
import * as bookings from "./migrations/0003-bookings.ts";
import * as bookingTravelers from "./migrations/0024-booking-travelers.ts";
import * as orderHashes from "./migrations/0025-order-hashes.ts";
import { createBookings } from "./store.ts";

export const bookingsModule = defineModule({
  name: "bookings",
  needs: ["effects", "treasury"],
  stores: ({ db, clock }) => ({
    bookings: createBookings(db, clock),
  }),
  workTables: [
    {
      table: "booking",
      kind: { column: "kind", names: { flight: "flight_booking", stay: "stay_booking" } },
      since: "created_at",
      open: [{ column: "state", notIn: ["booked", "failed"] }],
    },
  ],
  migrations: {
    "0003-bookings": bookings,
    "0024-booking-travelers": bookingTravelers,
    "0025-order-hashes": orderHashes,
  },
});
