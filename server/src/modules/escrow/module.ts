import { notServed } from "../../kernel/contracts/module.ts";
import { defineModule } from "./context.ts";
import { escrowJobs } from "./jobs.ts";
import { planATrip } from "./prompts/plan-a-trip.ts";
import { escrowRoutes } from "./routes.ts";
import { escrowEndings } from "./step-machine/end-step.ts";
import { escrowStep } from "./step-machine/step-operation.ts";
import { cancelBooking } from "./tools/cancel-booking.ts";
import { closeTrip } from "./tools/close-trip.ts";
import { commitBooking } from "./tools/commit-booking.ts";
import { confirmBooking } from "./tools/confirm-booking.ts";
import { confirmFlight } from "./tools/confirm-flight.ts";
import { listTrips } from "./tools/list-trips.ts";
import { logAgentAction } from "./tools/log-agent-action.ts";
import { prefundTrip } from "./tools/prefund-trip.ts";
import { previewPrice } from "./tools/preview-price.ts";
import { readTrip } from "./tools/read-trip.ts";
import { releaseReservation } from "./tools/release-reservation.ts";
import { reserveBooking } from "./tools/reserve-booking.ts";
import { settleBooking } from "./tools/settle-booking.ts";
import { tripPrefund } from "./trips/prefund-operation.ts";

const tools = [
  prefundTrip,
  previewPrice,
  reserveBooking,
  commitBooking,
  confirmBooking,
  confirmFlight,
  settleBooking,
  cancelBooking,
  releaseReservation,
  logAgentAction,
  listTrips,
  readTrip,
  closeTrip,
];

export const escrowModule = defineModule({
  name: "escrow",
  tools,
  prompts: [planATrip],
  routes: escrowRoutes,
  chainOperations: [tripPrefund, escrowStep],
  chainEndings: escrowEndings,
  async facts({ chains }) {
    const production = chains.home("production");
    if (production === undefined) return [];
    const ofEscrow = tools.filter(({ errors }) => Object.hasOwn(errors, "chain_not_available"));
    return production.chain.escrow === undefined ? [notServed(ofEscrow, "until CHAIN_ESCROW is set")] : [];
  },
  account({ chains }, { environment }) {
    const missing = [];
    if (chains.home(environment)?.chain.escrow === undefined) {
      missing.push({
        what: "Trips and bookings in escrow.",
        how: "Set CHAIN_ESCROW to the contract, and start again.",
        page: "going-live",
      });
    }
    return { missing };
  },
  jobs: escrowJobs,
});
