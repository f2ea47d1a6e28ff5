import { defineJob } from "../../kernel/contracts/job.ts";
import { createBookings } from "./booking/store.ts";
import { defineModule } from "./context.ts";
import * as bookings from "./migrations/0003-bookings.ts";
import * as bookingTravelers from "./migrations/0024-booking-travelers.ts";
import * as orderHashes from "./migrations/0025-order-hashes.ts";
import * as seenOffers from "./migrations/0027-seen-offers.ts";
import * as bookingRate from "./migrations/0040-booking-rate.ts";
import * as flightHolds from "./migrations/0079-flight-holds.ts";
import * as bookingCovers from "./migrations/0085-booking-covers.ts";
import * as bookingContacts from "./migrations/0104-booking-contacts.ts";
import * as askedServices from "./migrations/0105-asked-services.ts";
import * as bookingsAreTold from "./migrations/0141-bookings-are-told.ts";
import * as secondTickets from "./migrations/0195-second-tickets.ts";
import * as stayPositions from "./migrations/0210-stay-positions.ts";
import { createSeenOffers } from "./offers/store-seen-offers.ts";
import { createBookedPersons } from "./store-persons.ts";
import { bookingEvents } from "./tenant-events.ts";

/** Longer than any offer is bookable. */
const SEEN_OFFERS_KEPT = { hours: 48 } as const;
const PRUNE_MILLISECONDS = 60_000;

export const bookingsModule = defineModule({
  name: "bookings",
  stores: ({ db, clock }) => ({
    bookings: createBookings(db, clock),
    seenOffers: createSeenOffers(db, clock),
  }),
  personRecords: ({ db, clock }) => createBookedPersons({ db, clock }),
  workTables: [
    {
      table: "booking",
      kind: { column: "kind", names: { flight: "flight_booking", flight_hold: "flight_hold", stay: "stay_booking" } },
      since: "created_at",
      open: [{ column: "state", notIn: ["booked", "failed", "on_hold"] }],
    },
  ],
  migrations: {
    "0003-bookings": bookings,
    "0024-booking-travelers": bookingTravelers,
    "0025-order-hashes": orderHashes,
    "0027-seen-offers": seenOffers,
    "0040-booking-rate": bookingRate,
    "0079-flight-holds": flightHolds,
    "0085-booking-covers": bookingCovers,
    "0104-booking-contacts": bookingContacts,
    "0105-asked-services": askedServices,
    "0141-bookings-are-told": bookingsAreTold,
    "0195-second-tickets": secondTickets,
    "0210-stay-positions": stayPositions,
  },
  tenantEvents: bookingEvents,
  jobs: ({ stores, clock }) => [
    defineJob({
      name: "prune-seen-offers",
      everyMilliseconds: PRUNE_MILLISECONDS,
      run: () => stores.seenOffers.prune(clock.now().subtract(SEEN_OFFERS_KEPT)),
    }),
  ],
});
