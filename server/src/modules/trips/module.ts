import { defineModule } from "./context.ts";
import * as escrow from "./migrations/0014-escrow.ts";
import * as guestMail from "./migrations/0015-guest-mail.ts";
import * as escrowAdoption from "./migrations/0017-escrow-adoption.ts";
import * as guestMailKept from "./migrations/0021-guest-mail-kept.ts";
import * as tripsForGuests from "./migrations/0090-trips-for-guests.ts";
import * as returnedReservations from "./migrations/0101-returned-reservations.ts";
import * as tripsByChain from "./migrations/0115-trips-by-chain.ts";
import * as tripsAreTold from "./migrations/0143-trips-are-told.ts";
import { createEscrowBookings } from "./store-bookings.ts";
import { createTripPersons } from "./store-persons.ts";
import { createTrips } from "./store-trips.ts";
import { tripEvents } from "./tenant-events.ts";

/** The records of trips in escrow and of their bookings. Their steps are in `escrow`. */
export const tripsModule = defineModule({
  name: "trips",
  stores: ({ db, clock, vault }) => ({
    trips: createTrips({ db, vault, clock }),
    escrowBookings: createEscrowBookings(db, clock),
  }),
  personRecords: ({ db, vault, clock }) => createTripPersons({ db, vault, clock }),
  migrations: {
    "0014-escrow": escrow,
    "0015-guest-mail": guestMail,
    "0017-escrow-adoption": escrowAdoption,
    "0021-guest-mail-kept": guestMailKept,
    "0090-trips-for-guests": tripsForGuests,
    "0101-returned-reservations": returnedReservations,
    "0115-trips-by-chain": tripsByChain,
    "0143-trips-are-told": tripsAreTold,
  },
  tenantEvents: tripEvents,
});
