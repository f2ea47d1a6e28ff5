import type { ProviderProvenance } from "../domain/schemas.ts";

export interface Airport {
  iataCode: string;
  /** Code of the metropolitan area, such as LON; the airport's own code when it has none. */
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
  /** What of the text is not known: the place is then the wider one that is, such as the city. Null: nothing. */
  unknownPart: string | null;
}

export interface PlaceQuestion {
  text: string;
  limit: number;
  /** BCP 47, of the labels where the provider has them. */
  languageCode?: string | undefined;
  /** ISO 3166-1 alpha-2: places of this country only. */
  regionCode?: string | undefined;
}

export interface PlaceSearch {
  /** Best first; empty when nothing fits. */
  candidates: readonly Place[];
  /** Names of near matches for a text that was not found, best first. */
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

/** Undefined: nobody who answers knows this address. */
export interface AddressSearch {
  found: (Place & { postalCode: string | null }) | undefined;
  provenance: ProviderProvenance;
}

interface NearCity {
  place: Place;
  /** From the point that was asked for. */
  kilometers: number;
  /** Undefined: the source has none. */
  elevationMeters: number | undefined;
}

/**
 * Places, airports, countries and time zones. What is asked of providers fails with `provider_unavailable` when nobody answers;
 * everything that is answered at once comes from data that the service has with it.
 */
export interface Maps {
  findPlaces(
    text: string,
    options?: Partial<Omit<PlaceQuestion, "text">> & { signal?: AbortSignal },
  ): Promise<PlaceSearch>;
  /** Never fails: where no provider of addresses answers, none is found. */
  findAddress(address: PostalAddress, signal?: AbortSignal): Promise<AddressSearch>;
  /** The largest cities within so many kilometers, largest first. */
  largestCities(
    center: Position,
    options: { withinKilometers: number; limit: number },
  ): readonly (Position & { name: string })[];
  /** The airport, or the main airport of a metropolitan code; undefined when unknown. */
  airport(iataCode: string): Airport | undefined;
  /** The metropolitan code that an airport or metropolitan code belongs to: LHR and LON are one place. */
  metroCode(iataCode: string): string;
  /** Of the city of this name, biggest first; empty when there is none. Of several cities of one name the one with the biggest. */
  airportsOfCity(name: string): readonly Airport[];
  /** With every word of the text in its own or its city's name, biggest first: "Heathrow", "Kennedy airport". */
  airportsNamed(text: string): readonly Airport[];
  /** Undefined: there is none so near, such as on the open sea. */
  nearestCity(position: Position, options: { withinKilometers: number }): NearCity | undefined;
  /** ISO 3166-1 alpha-2, in which territories have codes of their own: HK and not CN. Undefined on the open sea. */
  countryCodeAt(position: Position): string | undefined;
  /** The country that a territory belongs to, such as CN for HK; undefined: the code is that of a country. */
  countryOfTerritory(countryCode: string): string | undefined;
  /** IANA names; several where a border runs or people do not agree, the ones of the sea on the sea. */
  timeZonesAt(position: Position): readonly string[];
  /** Of the data that answers at once. */
  readonly ownProvenance: ProviderProvenance;
}
