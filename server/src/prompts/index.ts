import type { Prompt } from "../kernel/prompt.ts";
import { bookAFlight } from "./book-a-flight.ts";
import { compareHotels } from "./compare-hotels.ts";
import { planATrip } from "./plan-a-trip.ts";

/** In the order in which clients list them. */
export const prompts: readonly Prompt[] = [planATrip, bookAFlight, compareHotels];
