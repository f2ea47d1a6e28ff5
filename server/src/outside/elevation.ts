import type { EmbeddedPlaces } from "../adapters/embedded-places/index.ts";
import { createGoogleElevation } from "../adapters/google-maps/elevation.ts";
import { createOpenMeteoElevation } from "../adapters/open-meteo/elevation.ts";
import { createOpenTopoDataElevation } from "../adapters/open-topo-data/elevation.ts";
import type { Config } from "../config/config.ts";
import { askProviders } from "../platform/providers/ask-providers.ts";
import type { Elevation } from "../ports/elevation.ts";
import { inOrder, type OpenSources, over } from "./open-sources.ts";

export function openElevation(
  { elevationProviders }: Pick<Config, "elevationProviders">,
  sources: Pick<OpenSources, "google" | "openTopoData" | "openMeteo">,
  embedded: Pick<EmbeddedPlaces, "elevation">,
): Elevation {
  const providers = inOrder(elevationProviders, {
    google: over(sources.google.elevation, createGoogleElevation),
    opentopodata: over(sources.openTopoData, createOpenTopoDataElevation),
    "open-meteo": over(sources.openMeteo, createOpenMeteoElevation),
    embedded: embedded.elevation,
  });
  return {
    async at(position, signal) {
      const { answer: elevation, provenance } = await askProviders(providers, position, signal);
      return { elevation, provenance };
    },
  };
}
