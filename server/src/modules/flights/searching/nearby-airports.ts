import { type Coordinates, distanceMeters } from "../../../domain/distance.ts";
import type { ProviderProvenance } from "../../../domain/schemas.ts";
import type { Maps, Place } from "../../../ports/maps.ts";
import type { AirportList, CallOptions, Flights, NearbyAirport } from "../../../ports/supplier/flights.ts";

export interface AirportQuery {
  query?: string | undefined;
  latitude?: number | undefined;
  longitude?: number | undefined;
  radiusMeters: number;
  maxResults: number;
}

export interface AirportsFound {
  airports: readonly NearbyAirport[];
  /** The date of the oldest list of airports used; undefined if the supplier does not say. */
  airportsAsOf: string | undefined;
  /** The point from which distances are measured; undefined if the text names airports but no known place. */
  center: Coordinates | undefined;
  /** The place that the text was taken for, if the airports are those around a place. */
  place: Place | undefined;
  nearMatches: readonly string[];
  /** The source of the place; undefined if none was looked up. */
  placeProvenance: ProviderProvenance | undefined;
}

/**
 * With coordinates alone: the airports around them. With a text: the airports that the supplier knows by it and those
 * around the place that it names, measured from the given coordinates, else from that place.
 */
export async function findNearbyAirports(
  { flights, maps }: { flights: Flights; maps: Maps },
  wanted: AirportQuery,
  options: CallOptions,
): Promise<AirportsFound> {
  const { query, latitude, longitude, radiusMeters, maxResults } = wanted;
  const given = latitude === undefined || longitude === undefined ? undefined : { latitude, longitude };
  const around = (point: Coordinates) =>
    flights.findAirports({ latitude: point.latitude, longitude: point.longitude, radiusMeters }, options);

  if (query === undefined) {
    const listed = given === undefined ? [] : [await around(given)];
    return {
      ...together(listed, given, maxResults),
      center: given,
      place: undefined,
      nearMatches: [],
      placeProvenance: undefined,
    };
  }
  const [named, places] = await Promise.all([
    flights.findAirports({ text: query }, options),
    maps.findPlaces(query, { limit: 1, ...options }),
  ]);
  const [place] = places.candidates;
  const listed = place === undefined ? [named] : [named, await around(place)];
  const center = given ?? place;
  return {
    ...together(listed, center, maxResults),
    center,
    place,
    nearMatches: places.nearMatches,
    placeProvenance: places.provenance,
  };
}

function together(lists: readonly AirportList[], center: Coordinates | undefined, limit: number) {
  const byCode = new Map(lists.flatMap(({ airports }) => airports).map((airport) => [airport.iataCode, airport]));
  const days = lists.flatMap(({ asOf }) => (asOf === undefined ? [] : [asOf]));
  return {
    airports: nearest([...byCode.values()], center, limit),
    airportsAsOf: days.length < lists.length ? undefined : days.toSorted()[0],
  };
}

function nearest(
  airports: readonly NearbyAirport[],
  center: Coordinates | undefined,
  limit: number,
): readonly NearbyAirport[] {
  if (center === undefined) return airports.slice(0, limit);
  return airports
    .map((airport) => ({ ...airport, distanceMeters: distanceMeters(center, airport) }))
    .sort((left, right) => left.distanceMeters - right.distanceMeters || (left.iataCode < right.iataCode ? -1 : 1))
    .slice(0, limit);
}
