import type { EmbeddedPlaces, FoundPlaces } from "../adapters/embedded-places/index.ts";
import { createNominatim } from "../adapters/nominatim/index.ts";
import type { Config } from "../config/config.ts";
import { askProviders } from "../platform/providers/ask-providers.ts";
import type { Maps, PlaceQuestion } from "../ports/maps.ts";
import { inOrder, type OpenSources, over } from "./open-sources.ts";

const DEFAULT_LIMIT = 5;

export function openMaps(
  { geocodingProviders }: Pick<Config, "geocodingProviders">,
  sources: Pick<OpenSources, "nominatim">,
  embedded: EmbeddedPlaces,
): Maps {
  const nominatim = over(sources.nominatim, createNominatim);
  const places = inOrder<"nominatim" | "embedded", PlaceQuestion, FoundPlaces>(geocodingProviders, {
    nominatim: nominatim?.places,
    embedded: embedded.places,
  });
  const addresses = nominatim === undefined ? [embedded.addresses] : [nominatim.addresses, embedded.addresses];
  return {
    ...embedded,
    async findPlaces(text, { limit = DEFAULT_LIMIT, languageCode, regionCode, signal } = {}) {
      const { answer, provenance } = await askProviders(places, { text, limit, languageCode, regionCode }, signal);
      if (answer !== undefined) return { ...answer, nearMatches: [], provenance };
      return { candidates: [], nearMatches: embedded.nearMatches(text), provenance };
    },
    async findAddress(address, signal) {
      const { answer, provenance } = await askProviders(addresses, address, signal);
      return { found: answer, provenance };
    },
  };
}
