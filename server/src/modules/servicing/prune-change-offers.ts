import type { Clock } from "../../ports/clock.ts";
import type { Stores } from "./context.ts";

/** Change offers live for minutes; whose one is has to be known for as long as somebody may select it. */
const CHANGE_OFFER_HOURS = 24 * 7;

export function pruneChangeOffers({ servicingQuotes }: Pick<Stores, "servicingQuotes">, clock: Clock): Promise<void> {
  return servicingQuotes.prune(clock.now().subtract({ hours: CHANGE_OFFER_HOURS }));
}
