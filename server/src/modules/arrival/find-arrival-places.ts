import type { z } from "zod";
import { distanceMeters } from "../../domain/distance.ts";
import type { ProviderProvenance } from "../../domain/schemas.ts";
import { toVisibleText } from "../../domain/visible-text.ts";
import type { Maps, Position } from "../../ports/maps.ts";
import { FARTHEST_KILOMETERS } from "../maps/index.ts";
import { resolveText } from "../places/index.ts";
import type { ArrivalAnswer } from "./arrival-answer.ts";

const LONGEST_TEXT = 120;
const LONGEST_ADDRESS = 300;
/** The name may match many distant towns before the district of the city where the traveler lands. */
const CANDIDATES = 40;
const MOST_OTHERS = 5;
const MOST_TOO_FAR = 3;
/** Closer candidates count as one place for a traveler. */
const SAME_PLACE_METERS = 3_000;
/** Coordinates farther from the airport that the code names probably belong to another one. */
const SAME_AIRPORT_METERS = 20_000;

export type ArrivalAirport = z.infer<typeof ArrivalAnswer>["airport"];

interface AirportInput {
  airport: string;
  airportLatitude?: number | undefined;
  airportLongitude?: number | undefined;
}

interface UnknownAirport {
  airportsMeant: readonly { iataCode: string; name: string }[];
  nearMatches: readonly string[];
}

/** By coordinates, else by its code, else by its name or that of a city with one airport. */
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

export type ArrivalDestination = z.infer<typeof ArrivalAnswer>["destination"];

interface DestinationInput {
  destinationLabel?: string | undefined;
  destinationAddress: string;
  regionCode?: string | undefined;
  languageCode: string;
}

interface FoundDestination {
  /** Undefined if the address is unknown, or every place of that name is too far from the airport. */
  destination: ArrivalDestination | undefined;
  nearMatches: readonly string[];
  /** The nearest places of that name, if each is beyond a day's reach by road. */
  tooFar: readonly { label: string; kilometers: number }[];
  provenance: ProviderProvenance;
}

/** Takes the place of that name that is nearest to the airport and within reach by road; the answer names the others. */
export async function findDestination(
  { destinationLabel = "", destinationAddress, regionCode, languageCode }: DestinationInput,
  airport: ArrivalAirport,
  maps: Maps,
  signal: AbortSignal,
): Promise<FoundDestination> {
  const address = toVisibleText(destinationAddress, LONGEST_ADDRESS);
  const options = { limit: CANDIDATES, languageCode, regionCode: regionCode?.toUpperCase(), signal };
  const { candidates, nearMatches, provenance } = await resolveText(maps, address, options);
  const [given] = candidates;
  const sorted = given?.precision === "point" ? [given] : nearestFirst(candidates, airport, address);
  const reachable = sorted.filter(isWithinReach(airport));
  // An address, a name with its city and coordinates are unambiguous, however far; a bare name means a place nearby.
  const taken = reachable[0] ?? (BARE_NAME.test(address) ? undefined : sorted[0]);
  if (taken === undefined) {
    const tooFar = sorted.map((place) => ({
      label: place.label,
      kilometers: Math.round(distanceMeters(place, airport) / 1_000),
    }));
    return { destination: undefined, nearMatches, tooFar: tooFar.slice(0, MOST_TOO_FAR), provenance };
  }
  const others = reachable.filter((one) => distanceMeters(one, taken) > SAME_PLACE_METERS);
  const { latitude, longitude, precision, unknownPart } = taken;
  const label = toVisibleText(destinationLabel, LONGEST_TEXT) || toVisibleText(address, LONGEST_TEXT);
  const destination = {
    label,
    takenAs: taken.label,
    latitude,
    longitude,
    precision,
    unknownPart,
    otherCandidates: [...new Set(others.map((one) => one.label))].slice(0, MOST_OTHERS),
  };
  return { destination, nearMatches, tooFar: [], provenance };
}

const BARE_NAME = /^[^\p{N},;]+$/u;

const isWithinReach = (airport: Position) => (place: Position) =>
  distanceMeters(place, airport) <= FARTHEST_KILOMETERS * 1_000;

/** Places with this main name before those with it as a further name, such as a former one. */
function nearestFirst<Known extends Position & { label: string }>(
  places: readonly Known[],
  airport: Position,
  name: string,
): Known[] {
  const wanted = name.split(",")[0]?.trim().toLowerCase() ?? "";
  const isCalledSo = ({ label }: Known) => Number(label.toLowerCase().startsWith(wanted));
  return places.toSorted(
    (left, right) =>
      isCalledSo(right) - isCalledSo(left) || distanceMeters(left, airport) - distanceMeters(right, airport),
  );
}

/** The next action if the destination is unknown or out of reach. */
export function sayNotFound(
  { tooFar }: Pick<FoundDestination, "tooFar">,
  { label }: ArrivalAirport,
): string | undefined {
  if (tooFar.length === 0) return undefined;
  const places = tooFar.map((place) => `${place.label} (${place.kilometers} km)`).join("; ");
  return `No place of this name is within ${FARTHEST_KILOMETERS} km of ${label}. The nearest known places: ${places}. If you mean a part of a city near the airport, add the city; or give coordinates such as 38.71,-9.14.`;
}
