import { createOsrm } from "../adapters/osrm/index.ts";
import { askProviders } from "../platform/providers/ask-providers.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ways } from "../ports/ways.ts";
import { knowsNothing } from "./knows-nothing.ts";
import { inOrder, type OpenSources, over } from "./open-sources.ts";

const ORDER = ["osrm", "embedded"] as const;

export function openWays({ osrm }: Pick<OpenSources, "osrm">, clock: Clock): Ways {
  const embedded = knowsNothing(clock);
  const of = (source: (typeof osrm)["driving"]) => inOrder(ORDER, { osrm: over(source, createOsrm), embedded });
  const providers = { driving: of(osrm.driving), walking: of(osrm.walking), bicycling: of(osrm.bicycling) };
  return { between: (question, signal) => askProviders(providers[question.mode], question, signal) };
}
