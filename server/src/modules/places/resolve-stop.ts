import { distanceMeters } from "../../domain/distance.ts";
import type { ProviderProvenance } from "../../domain/schemas.ts";
import type { Maps, Place, Position } from "../../ports/maps.ts";
import { readCoordinates } from "./read-coordinates.ts";

export const providerErrors = { provider_unavailable: "No place provider is answering. Try again later." } as const;

/** A place named by an address, a position, or both. */
export interface Stop {
  address?: string | undefined;
  latitude?: number | undefined;
  longitude?: number | undefined;
}

interface StopPlace extends Position {
  label: string;
  /** Null: on the open sea. */
  countryCode: string | null;
  /** `point`: a given position. */
  precision: Place["precision"] | "point";
  unknownPart: string | null;
  population?: Place["population"];
}

export interface ResolvedStop {
  /** Best first: the caller decides which one is meant. Empty: the name was not found. */
  candidates: readonly StopPlace[];
  nearMatches: readonly string[];
  /** The distance between the given position and the address; null: they agree, or only one was given. */
  contradictionMeters: number | null;
  provenance: ProviderProvenance;
}

interface Options {
  limit: number;
  languageCode?: string;
  regionCode?: string | undefined;
  signal?: AbortSignal;
}

/** The largest distance at which a position still counts as inside the addressed place. */
const EXTENT_METERS: Readonly<Record<Place["precision"], number>> = {
  address: 2_000,
  landmark: 5_000,
  neighborhood: 10_000,
  airport: 15_000,
  city: 50_000,
  region: 700_000,
};
const countryNames = new Intl.DisplayNames("en", { type: "region" });
const NEAR_CITY_KILOMETERS = 100;
const HERE_KILOMETERS = 3;

/** Resolves a text that may contain coordinates. */
export async function resolveText(maps: Maps, text: string, options: Options): Promise<ResolvedStop> {
  const { position, rest } = readCoordinates(text);
  return await resolveStop(maps, position === undefined ? { address: text } : { ...position, address: rest }, options);
}

/** A given position is kept; an address beside it provides the name, or contradicts it. */
export async function resolveStop(maps: Maps, stop: Stop, options: Options): Promise<ResolvedStop> {
  const { address, latitude, longitude } = stop;
  const given = latitude === undefined || longitude === undefined ? undefined : { latitude, longitude };
  if (address === undefined || address.trim() === "") {
    const candidates = given === undefined ? [] : [pointPlace(maps, given)];
    return { candidates, nearMatches: [], contradictionMeters: null, provenance: maps.ownProvenance };
  }
  const { candidates, nearMatches, provenance } = await maps.findPlaces(address, options);
  const [best] = candidates;
  if (given === undefined || best === undefined) {
    const points = given === undefined ? candidates : [pointPlace(maps, given)];
    return { candidates: points, nearMatches, contradictionMeters: null, provenance };
  }
  const meant = candidates.find((place) => distanceMeters(place, given) <= EXTENT_METERS[place.precision]);
  if (meant !== undefined) {
    return { candidates: [{ ...meant, ...given }], nearMatches: [], contradictionMeters: null, provenance };
  }
  const contradictionMeters = distanceMeters(best, given);
  return { candidates: [pointPlace(maps, given), ...candidates], nearMatches: [], contradictionMeters, provenance };
}

/** Names a position by the nearest known city, else by its country, else as a point at sea. */
function pointPlace(maps: Maps, position: Position): StopPlace {
  const near = maps.nearestCity(position, { withinKilometers: NEAR_CITY_KILOMETERS });
  const countryCode = maps.countryCodeAt(position) ?? null;
  const point = `${position.latitude}, ${position.longitude}`;
  const far = near === undefined ? "" : `${Math.round(near.kilometers)} km from ${near.place.label}`;
  const where = near !== undefined && near.kilometers < HERE_KILOMETERS ? near.place.label : far;
  const country = countryCode === null ? "" : (countryNames.of(countryCode) ?? countryCode);
  const named = where === "" ? country : where;
  const label = named === "" ? point : `${point} (${named})`;
  return { ...position, label, countryCode, precision: "point", unknownPart: null };
}
