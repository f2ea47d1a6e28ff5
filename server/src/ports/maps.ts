import type { Provenance } from "../domain/schemas.ts";

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

export interface Place {
  label: string;
  latitude: number;
  longitude: number;
  countryCode: string;
  precision: "address" | "neighborhood" | "city" | "airport";
}

interface PlaceSearch {
  /** Best first; empty when nothing fits. */
  candidates: readonly Place[];
  /** Names of near matches for a text that was not found, best first. */
  nearMatches: readonly string[];
  provenance: Provenance;
}

/** Places and airports. The embedded part knows airports, metropolitan codes and cities. */
export interface Maps {
  findPlaces(text: string, options?: { limit?: number; signal?: AbortSignal }): Promise<PlaceSearch>;
  /** The airport, or the main airport of a metropolitan code; undefined when unknown. */
  airport(iataCode: string): Airport | undefined;
  /** The metropolitan code that an airport or metropolitan code belongs to: LHR and LON are one place. */
  metroCode(iataCode: string): string;
}
