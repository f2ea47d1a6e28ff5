import { distanceMeters } from "../../domain/distance.ts";
import type { ProviderProvenance } from "../../domain/schemas.ts";
import { toVisibleText } from "../../domain/visible-text.ts";
import type { Maps, Place } from "../../ports/maps.ts";
import { resolveText } from "../places/index.ts";
import { FARTHEST_KILOMETERS } from "./way-to-airport.ts";

const LONGEST_TEXT = 120;
const LONGEST_ADDRESS = 300;
const CANDIDATES = 10;
const MOST_OTHERS = 5;
/** Candidates nearer to each other than this are one place to whoever travels there. */
const SAME_PLACE_METERS = 3_000;
/** Coordinates that are farther from the airport that the code names are probably another one's. */
const SAME_AIRPORT_METERS = 20_000;

export interface ArrivalAirport {
  label: string;
  /** Null: it was named in another way. */
  iataCode: string | null;
  latitude: number;
  longitude: number;
  timeZone: string;
  note: string | null;
}

interface AirportInput {
  airport: string;
  airportLatitude?: number | undefined;
  airportLongitude?: number | undefined;
}

interface UnknownAirport {
  airportsMeant: readonly { iataCode: string; name: string }[];
  nearMatches: readonly string[];
}

/** By coordinates, else by its code, else by its name or by that of a city with one airport. */
export async function findAirport(
  { airport, airportLatitude, airportLongitude }: AirportInput,
  maps: Maps,
  signal: AbortSignal,
): Promise<{ airport: ArrivalAirport } | { unknown: UnknownAirport }> {
  const text = toVisibleText(airport, LONGEST_TEXT);
  const coded = /^[A-Za-z]{3}$/.test(text) ? maps.airport(text) : undefined;
  if (airportLatitude !== undefined && airportLongitude !== undefined) {
    const given = { latitude: airportLatitude, longitude: airportLongitude };
    const [timeZone = "Etc/UTC"] = maps.timeZonesAt(given);
    const apart = coded === undefined ? 0 : distanceMeters(given, coded);
    const label = coded?.name ?? text;
    const note =
      apart > SAME_AIRPORT_METERS
        ? `The coordinates are ${Math.round(apart / 1_000)} km from ${label}: the coordinates were used.`
        : null;
    return { airport: { label, iataCode: coded?.iataCode ?? null, ...given, timeZone, note } };
  }
  if (coded !== undefined) {
    const { iataCode, name: label, latitude, longitude, timeZone } = coded;
    const isMetro = iataCode !== text.toUpperCase();
    const note = isMetro ? `${text.toUpperCase()} was taken as ${iataCode}.` : null;
    return { airport: { label, iataCode, latitude, longitude, timeZone, note } };
  }
  return findNamedAirport(text, maps, signal);
}

async function findNamedAirport(
  text: string,
  maps: Maps,
  signal: AbortSignal,
): Promise<{ airport: ArrivalAirport } | { unknown: UnknownAirport }> {
  const ofCity = maps.airportsOfCity(text);
  const [only] = ofCity;
  if (only !== undefined && ofCity.length === 1) {
    const { iataCode, name: label, latitude, longitude, timeZone } = only;
    return {
      airport: { label, iataCode, latitude, longitude, timeZone, note: `${text} was taken as ${label} (${iataCode}).` },
    };
  }
  const { candidates, nearMatches } = await maps.findPlaces(text, { limit: CANDIDATES, signal });
  const found = only === undefined ? candidates.find(({ precision }) => precision === "airport") : undefined;
  if (found === undefined) {
    return { unknown: { airportsMeant: ofCity.map(({ iataCode, name }) => ({ iataCode, name })), nearMatches } };
  }
  const { label, latitude, longitude } = found;
  const [timeZone = "Etc/UTC"] = maps.timeZonesAt(found);
  return {
    airport: { label, iataCode: null, latitude, longitude, timeZone, note: `The airport was taken as ${label}.` },
  };
}

export interface ArrivalDestination {
  label: string;
  takenAs: string;
  latitude: number;
  longitude: number;
  precision: Place["precision"] | "point";
  unknownPart: string | null;
  otherCandidates: readonly string[];
}

interface DestinationInput {
  destinationLabel?: string | undefined;
  destinationAddress: string;
  regionCode?: string | undefined;
  languageCode: string;
}

interface FoundDestination {
  /** Undefined: nobody knows the address. */
  destination: ArrivalDestination | undefined;
  nearMatches: readonly string[];
  provenance: ProviderProvenance;
}

/** Of several places of the name one that can be reached from the airport by road; what else it could be is said. */
export async function findDestination(
  { destinationLabel = "", destinationAddress, regionCode, languageCode }: DestinationInput,
  airport: ArrivalAirport,
  maps: Maps,
  signal: AbortSignal,
): Promise<FoundDestination> {
  const address = toVisibleText(destinationAddress, LONGEST_ADDRESS);
  const options = { limit: CANDIDATES, languageCode, regionCode: regionCode?.toUpperCase(), signal };
  const { candidates, nearMatches, provenance } = await resolveText(maps, address, options);
  const isNear = (place: { latitude: number; longitude: number }) =>
    distanceMeters(place, airport) <= FARTHEST_KILOMETERS * 1_000;
  const taken = candidates.find(isNear) ?? candidates[0];
  if (taken === undefined) return { destination: undefined, nearMatches, provenance };
  const others = candidates.filter((one) => isNear(one) && distanceMeters(one, taken) > SAME_PLACE_METERS);
  const { latitude, longitude, precision, unknownPart } = taken;
  const label = toVisibleText(destinationLabel, LONGEST_TEXT) || toVisibleText(address, LONGEST_TEXT);
  const destination = {
    ...{ label, takenAs: taken.label, latitude, longitude, precision, unknownPart },
    otherCandidates: [...new Set(others.map((one) => one.label))].slice(0, MOST_OTHERS),
  };
  return { destination, nearMatches, provenance };
}
