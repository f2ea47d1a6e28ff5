import { defineModule } from "../../kernel/module.ts";
import * as bookings from "./migrations/0003-bookings.ts";
import { createBookings } from "./store.ts";

export const bookingsModule = defineModule({
  name: "bookings",
  needs: ["effects", "treasury"],
  stores: ({ db, clock }) => ({
    bookings: createBookings(db, clock),
  }),
  migrations: { "0003-bookings": bookings },
});
