import type { Prompt } from "./kernel/prompt.ts";
import { planATrip } from "./modules/escrow/prompts/plan-a-trip.ts";
import { bookAFlight } from "./modules/flights/prompts/book-a-flight.ts";
import { compareHotels } from "./modules/stays/prompts/compare-hotels.ts";

/** In the order in which clients list them. */
export const prompts: readonly Prompt[] = [planATrip, bookAFlight, compareHotels];
