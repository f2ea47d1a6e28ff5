import type { Clock } from "../../ports/clock.ts";
import type { Stores } from "./context.ts";

/** Change offers live for minutes, but their owner must be known for as long as they may be selected. */
const CHANGE_OFFER_HOURS = 24 * 7;

export function pruneChangeOffers({ servicingQuotes }: Pick<Stores, "servicingQuotes">, clock: Clock): Promise<void> {
  return servicingQuotes.prune(clock.now().subtract({ hours: CHANGE_OFFER_HOURS }));
}
