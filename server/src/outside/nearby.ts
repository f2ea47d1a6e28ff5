import { createOverpass } from "../adapters/overpass/index.ts";
import { askProviders } from "../platform/providers/ask-providers.ts";
import type { Clock } from "../ports/clock.ts";
import type { Nearby } from "../ports/nearby.ts";
import { knowsNothing } from "./knows-nothing.ts";
import { inOrder, type OpenSources, over } from "./open-sources.ts";

const ORDER = ["overpass", "embedded"] as const;

export function openNearby(sources: Pick<OpenSources, "overpass">, clock: Clock): Nearby {
  const overpass = over(sources.overpass, createOverpass);
  const embedded = knowsNothing(clock);
  const help = inOrder(ORDER, { overpass: overpass?.help, embedded });
  const restaurants = inOrder(ORDER, { overpass: overpass?.restaurants, embedded });
  return {
    helpNear: (position, signal) => askProviders(help, position, signal),
    restaurantsNear: (question, signal) => askProviders(restaurants, question, signal),
  };
}
