import type { EmbeddedPlaces, FoundPlaces } from "../adapters/embedded-places/index.ts";
import { createGoogleAddresses } from "../adapters/google-maps/address-validation.ts";
import { createGoogleGeocoding, createGooglePlaceDetails } from "../adapters/google-maps/geocoding.ts";
import { createGoogleTimeZones } from "../adapters/google-maps/time-zone.ts";
import { createNominatim } from "../adapters/nominatim/index.ts";
import type { Config } from "../config/config.ts";
import { Failure } from "../domain/errors.ts";
import { askProviders } from "../platform/providers/ask-providers.ts";
import type { Maps, PlaceQuestion } from "../ports/maps.ts";
import { inOrder, type OpenSources, over } from "./open-sources.ts";

const DEFAULT_LIMIT = 5;

export function openMaps(
  { geocodingProviders }: Pick<Config, "geocodingProviders">,
  { google, ...sources }: Pick<OpenSources, "nominatim"> & { google?: OpenSources["google"] },
  embedded: EmbeddedPlaces,
): Maps {
  const nominatim = over(sources.nominatim, createNominatim);
  const places = inOrder<"google" | "nominatim" | "embedded", PlaceQuestion, FoundPlaces>(geocodingProviders, {
    google: over(google?.geocoding, createGoogleGeocoding),
    nominatim: nominatim?.places,
    embedded: embedded.places,
  });
  const addresses = inOrder(["google", "nominatim", "embedded"], {
    google: over(google?.addresses, createGoogleAddresses),
    nominatim: nominatim?.addresses,
    embedded: embedded.addresses,
  });
  const timeZones = inOrder(["google", "embedded"], {
    google: over(google?.timeZone, createGoogleTimeZones),
    embedded: embedded.timeZones,
  });
  const details = over(google?.places, createGooglePlaceDetails);
  return {
    ...embedded,
    async findPlaces(text, { limit = DEFAULT_LIMIT, languageCode, regionCode, signal } = {}) {
      const { answer, provenance } = await askProviders(places, { text, limit, languageCode, regionCode }, signal);
      if (answer !== undefined) return { ...answer, nearMatches: [], provenance };
      return { candidates: [], nearMatches: embedded.nearMatches(text), provenance };
    },
    async findPlaceById(placeId, signal) {
      if (details === undefined) return undefined;
      try {
        return (await askProviders([details], { placeId }, signal)).answer;
      } catch (error) {
        if (error instanceof Failure) return undefined;
        throw error;
      }
    },
    async findAddress(address, signal) {
      const { answer, provenance } = await askProviders(addresses, address, signal);
      return { found: answer, provenance };
    },
    async findTimeZones(question, signal) {
      const { answer, provenance } = await askProviders(timeZones, question, signal);
      const own = embedded.timeZonesAt(question);
      const [first, ...others] = answer?.timeZones ?? own;
      const isFirst = (zone: string) => first !== undefined && isSameZone(zone, first, question.at);
      // Providers may use a zone's older name, such as Asia/Calcutta.
      const name = own.find(isFirst) ?? first ?? "Etc/UTC";
      const further = [...new Set([...others, ...own])].filter((zone) => zone !== name && !isFirst(zone));
      const attribution = [...new Set([...provenance.attribution, ...embedded.ownProvenance.attribution])];
      return {
        timeZones: [name, ...further],
        utcOffsetMinutes: answer?.utcOffsetMinutes,
        provenance: { ...provenance, attribution },
      };
    },
  };
}

/** Whether both are names of one zone, not only of the same offset. */
function isSameZone(one: string, other: string, at: Temporal.Instant): boolean {
  return at.toZonedDateTimeISO(one).equals(at.toZonedDateTimeISO(other));
}
