import { createGoogleRoutes } from "../adapters/google-maps/routes.ts";
import { createOsrm } from "../adapters/osrm/index.ts";
import { askProviders } from "../platform/providers/ask-providers.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ways } from "../ports/ways.ts";
import { knowsNothing } from "./knows-nothing.ts";
import { inOrder, type OpenSources, over } from "./open-sources.ts";

const ORDER = ["google", "osrm", "embedded"] as const;

export function openWays({ google, osrm }: Pick<OpenSources, "google" | "osrm">, clock: Clock): Ways {
  const routes = over(google.routes, createGoogleRoutes);
  const embedded = knowsNothing(clock);
  const withRoads = (mode: keyof typeof osrm) =>
    inOrder(ORDER, { google: routes, osrm: over(osrm[mode], (source) => createOsrm(source, mode)), embedded });
  const providers = {
    driving: withRoads("driving"),
    walking: withRoads("walking"),
    bicycling: withRoads("bicycling"),
    transit: inOrder(["google", "embedded"], { google: routes, embedded }),
  };
  return { between: (question, signal) => askProviders(providers[question.mode], question, signal) };
}
