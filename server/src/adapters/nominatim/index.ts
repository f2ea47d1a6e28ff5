import { jsonParser, type OpenSource } from "../../platform/providers/open-source.ts";
import type { Provider } from "../../platform/providers/provider.ts";
import type { AddressSearch, Place, PlaceQuestion, PlaceSearch, PostalAddress } from "../../ports/maps.ts";
import { type Found, SearchAnswer } from "./wire.ts";

const FRESH_MILLISECONDS = 7 * 86_400_000;
/** Longer texts contain no address. */
const LONGEST_TEXT = 300;
const LONGEST_LABEL = 300;
const parse = jsonParser(SearchAnswer);

type FoundAddress = NonNullable<AddressSearch["found"]>;

export interface Nominatim {
  places: Provider<PlaceQuestion, Pick<PlaceSearch, "candidates">>;
  addresses: Provider<PostalAddress, FoundAddress>;
}

/** Places and addresses of OpenStreetMap, from a Nominatim server. */
export function createNominatim(source: OpenSource): Nominatim {
  const about = {
    source: source.name,
    sourceLevel: "open",
    attribution: ["© OpenStreetMap contributors (ODbL)"],
  } as const;
  const search = (query: Readonly<Record<string, string | number | undefined>>, signal?: AbortSignal) =>
    source.read({
      path: "/search",
      query: { ...query, format: "jsonv2", addressdetails: 1 },
      freshMilliseconds: FRESH_MILLISECONDS,
      parse,
      signal,
    });

  return {
    places: {
      ...about,
      async ask({ text, limit, languageCode, regionCode }, signal) {
        const q = text.trim().replace(/\s+/g, " ").slice(0, LONGEST_TEXT);
        const query = { q, limit, "accept-language": languageCode, countrycodes: regionCode?.toLowerCase() };
        const { answer, asOf } = await search(query, signal);
        const candidates = answer.flatMap((found) => toPlace(found) ?? []).slice(0, limit);
        return { answer: candidates.length === 0 ? undefined : { candidates }, asOf };
      },
    },
    addresses: {
      ...about,
      async ask({ lines, countryCode, locality, administrativeArea, postalCode }, signal) {
        const query = {
          street: lines.join(", ").slice(0, LONGEST_TEXT),
          city: locality,
          state: administrativeArea,
          postalcode: postalCode,
          countrycodes: countryCode.toLowerCase(),
          limit: 1,
        };
        const { answer, asOf } = await search(query, signal);
        const [found] = answer;
        const place = found === undefined ? undefined : toPlace(found);
        if (found === undefined || place === undefined) return { answer: undefined, asOf };
        return { answer: { ...place, postalCode: found.address?.postcode ?? null }, asOf };
      },
    },
  };
}

/** Undefined: the place has no country or no position. */
function toPlace(found: Found): Place | undefined {
  const [latitude, longitude] = [Number(found.lat), Number(found.lon)];
  const countryCode = found.address?.country_code?.toUpperCase();
  const isPosition = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  if (countryCode === undefined || !/^[A-Z]{2}$/.test(countryCode) || !isPosition) return undefined;
  return {
    label: textOfOthers(found.display_name),
    latitude,
    longitude,
    countryCode,
    precision: classifyPrecision(found),
    unknownPart: null,
  };
}

const LANDMARKS = new Set(["tourism", "historic", "leisure", "natural", "man_made", "amenity", "railway"]);

/** `place_rank` counts from the world to the house: 16 is a city, 26 a street, 30 a house. */
function classifyPrecision({ category = "", place_rank: rank = 30 }: Found): Place["precision"] {
  if (category === "aeroway") return "airport";
  if (LANDMARKS.has(category)) return "landmark";
  if (rank >= 26) return "address";
  if (rank >= 17) return "neighborhood";
  return rank >= 13 ? "city" : "region";
}

/** Anyone may edit these names: control and bidirectional characters are removed, and the length is limited. */
function textOfOthers(text: string): string {
  return text
    .replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, " ")
    .trim()
    .slice(0, LONGEST_LABEL);
}
