import { defineModule } from "./context.ts";
import { airportArrivalPlaybook } from "./tools/airport-arrival-playbook.ts";
import { airportTransferCoordinator } from "./tools/airport-transfer-coordinator.ts";
import { tripCheckinReminder } from "./tools/trip-checkin-reminder.ts";

/** The ways between a stay and an airport: reminders to check in and to leave, and how to get from the landing to the door. */
export const arrivalModule = defineModule({
  name: "arrival",
  tools: [tripCheckinReminder, airportTransferCoordinator, airportArrivalPlaybook],
});
