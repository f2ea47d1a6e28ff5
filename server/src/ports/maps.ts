import type { ProviderProvenance } from "../domain/schemas.ts";

export interface Airport {
  iataCode: string;
  /** Code of the metropolitan area, such as LON; by default the airport's own code. */
  metroCode: string;
  name: string;
  cityName: string;
  /** ISO 3166-1 alpha-2. */
  countryCode: string;
  latitude: number;
  longitude: number;
  /** IANA name. */
  timeZone: string;
}

export interface Position {
  latitude: number;
  longitude: number;
}

export interface Place extends Position {
  label: string;
  /** ISO 3166-1 alpha-2. */
  countryCode: string;
  precision: "address" | "landmark" | "neighborhood" | "city" | "airport" | "region";
  /**
   * The part of the text that was not found: the place is then the wider one that was, such as the city. Null: everything was
   * found.
   */
  unknownPart: string | null;
  /** Inhabitants of a city. Undefined: it is no city, or the provider does not say. */
  population?: number | undefined;
}

export interface PlaceQuestion {
  text: string;
  limit: number;
  /** BCP 47; the language of the labels, if the provider has it. */
  languageCode?: string | undefined;
  /** ISO 3166-1 alpha-2: places of this country only. */
  regionCode?: string | undefined;
}

export interface PlaceSearch {
  /** Best first; empty if nothing matches. */
  candidates: readonly Place[];
  /** Names of near matches for an unknown text, best first. */
  nearMatches: readonly string[];
  provenance: ProviderProvenance;
}

export interface PostalAddress {
  /** Street and house number. */
  lines: readonly string[];
  /** ISO 3166-1 alpha-2. */
  countryCode: string;
  locality: string | undefined;
  administrativeArea: string | undefined;
  postalCode: string | undefined;
}

/** Undefined: no answering provider knows this address. */
export interface AddressSearch {
  found: (Place & { postalCode: string | null }) | undefined;
  provenance: ProviderProvenance;
}

export interface TimeZoneQuestion extends Position {
  /** The moment of the offset. */
  at: Temporal.Instant;
}

export interface TimeZoneAnswer {
  /** IANA names, at least one; several at a border or in disputed areas. */
  timeZones: readonly string[];
  /** At the moment, as the provider says; undefined: it says only the name. */
  utcOffsetMinutes: number | undefined;
}

interface NearCity {
  place: Place;
  /** From the requested point. */
  kilometers: number;
  /** Undefined: the source has none. */
  elevationMeters: number | undefined;
}

/**
 * Places, airports, countries and time zones. Requests to providers fail with `provider_unavailable` if none answers;
 * synchronous answers come from built-in data.
 */
export interface Maps {
  findPlaces(
    text: string,
    options?: Partial<Omit<PlaceQuestion, "text">> & { signal?: AbortSignal },
  ): Promise<PlaceSearch>;
  /** The place with an id of Google Maps. Never fails: undefined if no provider knows the id. */
  findPlaceById(placeId: string, signal?: AbortSignal): Promise<Place | undefined>;
  /** Never fails: if no address provider answers, none is found. */
  findAddress(address: PostalAddress, signal?: AbortSignal): Promise<AddressSearch>;
  /** The largest cities within this distance, largest first. */
  largestCities(
    center: Position,
    options: { withinKilometers: number; limit: number },
  ): readonly (Position & { name: string })[];
  /** The airport, or the main airport of a metropolitan code; undefined if unknown. */
  airport(iataCode: string): Airport | undefined;
  /** The metropolitan code of an airport or metropolitan code: LHR and LON are one place. */
  metroCode(iataCode: string): string;
  /**
   * The airports of the city with this name, largest first; empty if there is none. If several cities share the name, the one
   * with the largest airport.
   */
  airportsOfCity(name: string): readonly Airport[];
  /** Airports whose own or city's name contains every word of the text, largest first: "Heathrow", "Kennedy airport". */
  airportsNamed(text: string): readonly Airport[];
  /** Undefined: there is none so near, such as on the open sea. */
  nearestCity(position: Position, options: { withinKilometers: number }): NearCity | undefined;
  /** ISO 3166-1 alpha-2, in which territories have their own codes: HK and not CN. Undefined on the open sea. */
  countryCodeAt(position: Position): string | undefined;
  /** The country of a territory, such as CN for HK; undefined: the code is a country's. */
  countryOfTerritory(countryCode: string): string | undefined;
  /** IANA names; several at a border or in disputed areas, nautical zones at sea. */
  timeZonesAt(position: Position): readonly string[];
  /** The same as providers know it: their zone first, then others of the built-in borders. Never fails. */
  findTimeZones(
    question: TimeZoneQuestion,
    signal?: AbortSignal,
  ): Promise<TimeZoneAnswer & { provenance: ProviderProvenance }>;
  /** The provenance of the built-in data. */
  readonly ownProvenance: ProviderProvenance;
}
