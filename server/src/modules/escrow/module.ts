import { defineModule } from "../../kernel/module.ts";
import { escrowEndings } from "./chain-endings.ts";
import * as escrow from "./migrations/0014-escrow.ts";
import * as guestMail from "./migrations/0015-guest-mail.ts";
import * as escrowAdoption from "./migrations/0017-escrow-adoption.ts";
import { tripPrefund } from "./prefund-operation.ts";
import { planATrip } from "./prompts/plan-a-trip.ts";
import { escrowRoutes } from "./routes.ts";
import { guestRoutes } from "./routes-guests.ts";
import { escrowStep } from "./step-operation.ts";
import { createEscrowBookings } from "./store-bookings.ts";
import { createGuestMails } from "./store-mails.ts";
import { createTrips } from "./store-trips.ts";
import { cancelBooking } from "./tools/cancel-booking.ts";
import { commitBooking } from "./tools/commit-booking.ts";
import { confirmBooking } from "./tools/confirm-booking.ts";
import { confirmFlight } from "./tools/confirm-flight.ts";
import { guestClaimLink } from "./tools/guest-claim-link.ts";
import { logAgentAction } from "./tools/log-agent-action.ts";
import { prefundTrip } from "./tools/prefund-trip.ts";
import { reserveBooking } from "./tools/reserve-booking.ts";
import { settleBooking } from "./tools/settle-booking.ts";

export const escrowModule = defineModule({
  name: "escrow",
  needs: ["chain", "effects", "ledger", "pricing", "treasury"],
  tools: [
    prefundTrip,
    guestClaimLink,
    reserveBooking,
    commitBooking,
    confirmBooking,
    confirmFlight,
    settleBooking,
    cancelBooking,
    logAgentAction,
  ],
  prompts: [planATrip],
  routes: [...escrowRoutes, ...guestRoutes],
  stores: ({ db, clock, vault }) => ({
    trips: createTrips({ db, vault, clock }),
    escrowBookings: createEscrowBookings(db, clock),
    guestMails: createGuestMails(db, clock),
  }),
  migrations: { "0014-escrow": escrow, "0015-guest-mail": guestMail, "0017-escrow-adoption": escrowAdoption },
  chainOperations: [tripPrefund, escrowStep],
  chainEndings: escrowEndings,
});
