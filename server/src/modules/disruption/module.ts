import { defineModule } from "./context.ts";
import { tripDelayReplanner } from "./tools/trip-delay-replanner.ts";

/** A flight is late, cancelled or missed: other flights, changes, a night on the way, and a message to the traveler. */
export const disruptionModule = defineModule({ name: "disruption", tools: [tripDelayReplanner] });
