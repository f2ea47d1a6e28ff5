import type { Workflow } from "../kernel/contracts/workflow.ts";
import { bookFlight } from "./book-flight.ts";
import { bookStay } from "./book-stay.ts";
import { cancelTrip } from "./cancel-trip.ts";
import { fundTrip } from "./fund-trip.ts";
import { replanTrip } from "./replan-trip.ts";

/** Every workflow that can be run. */
export const workflows: readonly Workflow[] = [bookFlight, bookStay, cancelTrip, fundTrip, replanTrip];
