import { createGoogleHelp, createGoogleRestaurants } from "../adapters/google-maps/places.ts";
import { createOverpass } from "../adapters/overpass/index.ts";
import { askProviders } from "../platform/providers/ask-providers.ts";
import type { Clock } from "../ports/clock.ts";
import type { Nearby } from "../ports/nearby.ts";
import { knowsNothing } from "./knows-nothing.ts";
import { inOrder, type OpenSources, over } from "./open-sources.ts";

const ORDER = ["google", "overpass", "embedded"] as const;

export function openNearby(sources: Pick<OpenSources, "google" | "overpass">, clock: Clock): Nearby {
  const overpass = over(sources.overpass, createOverpass);
  const embedded = knowsNothing(clock);
  const { places } = sources.google;
  const help = inOrder(ORDER, { google: over(places, createGoogleHelp), overpass: overpass?.help, embedded });
  const restaurants = inOrder(ORDER, {
    google: over(places, createGoogleRestaurants),
    overpass: overpass?.restaurants,
    embedded,
  });
  return {
    helpNear: (position, signal) => askProviders(help, position, signal),
    restaurantsNear: (question, signal) => askProviders(restaurants, question, signal),
  };
}
