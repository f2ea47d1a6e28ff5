import { z } from "zod";
import { toVisibleText } from "../../domain/visible-text.ts";
import { jsonParser } from "../../platform/providers/open-source.ts";
import { type Provider, ProviderFailure } from "../../platform/providers/provider.ts";
import type { Place, PlaceQuestion, PlaceSearch } from "../../ports/maps.ts";
import { aboutGoogle, askGoogle, askOlderGoogle, type GoogleApi } from "./google-source.ts";

const LONGEST_TEXT = 300;

const Component = z.object({ short_name: z.string(), types: z.array(z.string()) });
const Found = z.object({
  formatted_address: z.string(),
  geometry: z.object({ location: z.object({ lat: z.number().min(-90).max(90), lng: z.number().min(-180).max(180) }) }),
  types: z.array(z.string()).default([]),
  address_components: z.array(Component).default([]),
  /** A part of the text was not found. */
  partial_match: z.boolean().default(false),
});

const answered = z.object({ results: z.array(Found) });

/** Places and addresses by name, from the Geocoding API. */
export function createGoogleGeocoding(api: GoogleApi): Provider<PlaceQuestion, Pick<PlaceSearch, "candidates">> {
  return {
    ...aboutGoogle,
    async ask({ text, limit, languageCode, regionCode }, signal) {
      const address = text.trim().replace(/\s+/g, " ").slice(0, LONGEST_TEXT);
      const components = regionCode === undefined ? undefined : `country:${regionCode}`;
      const query = { address, language: languageCode, components };
      const { answer, asOf } = await askOlderGoogle(api, "/maps/api/geocode/json", query, { answered, signal });
      const candidates = (answer?.results ?? []).flatMap((found) => toPlace(found, address) ?? []).slice(0, limit);
      return { answer: candidates.length === 0 ? undefined : { candidates }, asOf };
    },
  };
}

function toPlace({ formatted_address, geometry, ...found }: z.output<typeof Found>, text: string): Place | undefined {
  const country = found.address_components.find(({ types }) => types.includes("country"));
  if (country === undefined || !/^[A-Z]{2}$/.test(country.short_name)) return undefined;
  const precision = classifyTypes(found.types);
  const isWider = found.partial_match && precision !== "address";
  return {
    label: toVisibleText(formatted_address, LONGEST_TEXT),
    latitude: geometry.location.lat,
    longitude: geometry.location.lng,
    countryCode: country.short_name,
    precision,
    unknownPart: isWider ? text : null,
  };
}

/** Narrowest first: a place has several types. */
const PRECISIONS: readonly (readonly [Place["precision"], RegExp])[] = [
  ["airport", /^(?:airport|international_airport)$/],
  ["address", /^(?:street_address|premise|subpremise|route|intersection)$/],
  ["landmark", /^(?:establishment|point_of_interest|tourist_attraction|park|natural_feature|train_station)$/],
  ["neighborhood", /^(?:neighborhood|sublocality.*)$/],
  ["city", /^(?:locality|postal_town|postal_code)$/],
];

function classifyTypes(types: readonly string[]): Place["precision"] {
  const [precision] = PRECISIONS.find(([, pattern]) => types.some((type) => pattern.test(type))) ?? [];
  return precision ?? "region";
}

const PlaceDetails = z.object({
  displayName: z.object({ text: z.string() }).optional(),
  formattedAddress: z.string().default(""),
  location: z.object({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) }),
  types: z.array(z.string()).default([]),
  addressComponents: z.array(z.object({ shortText: z.string(), types: z.array(z.string()) })).default([]),
});
const parseDetails = jsonParser(PlaceDetails);
const PLACE_ID = /^[A-Za-z0-9_-]{10,300}$/;

/** The place with an id of Google Maps, from the Places API. */
export function createGooglePlaceDetails(api: GoogleApi): Provider<{ placeId: string }, Place> {
  return {
    ...aboutGoogle,
    async ask({ placeId }, signal) {
      if (!PLACE_ID.test(placeId)) throw new ProviderFailure("refused");
      const fieldMask = "displayName,formattedAddress,location,types,addressComponents";
      const { answer, asOf } = await askGoogle(api, {
        path: `/v1/places/${placeId}`,
        fieldMask,
        parse: parseDetails,
        signal,
      });
      const { displayName, formattedAddress, location, types, addressComponents } = answer;
      const countryCode = addressComponents.find((one) => one.types.includes("country"))?.shortText;
      if (countryCode === undefined) return { answer: undefined, asOf };
      const label = toVisibleText(
        [displayName?.text ?? "", formattedAddress].filter((part) => part !== "").join(", "),
        LONGEST_TEXT,
      );
      return { answer: { ...location, label, countryCode, precision: classifyTypes(types), unknownPart: null }, asOf };
    },
  };
}
