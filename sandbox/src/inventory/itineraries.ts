// Ways from one place to another on one date: nonstop flights, and connections through hubs.
import { type AirlineRecord, type AirportRecord, findAirports } from "../reference/data.ts";
import { distanceKm } from "./geography.ts";
import type { Network } from "./network.ts";
import { type Flight, flightsOn } from "./schedule.ts";
import { testRouteFlights } from "./test-routes.ts";

export type Itinerary = { readonly flights: readonly [Flight, ...Flight[]]; readonly directKm: number };

export const LONGEST_LAYOVER_MINUTES = 300;
const LONGEST_DETOUR = 1.35;
const ALLOWED_EXTRA_KM = 400;
const HUBS_TRIED = 12;
const ENOUGH_ITINERARIES = 8;
const CHECK_IN_MS = 45 * 60_000;

/** Minimum minutes between two flights: domestic, international, and from one to the other. */
export function minimumConnectionMinutes(before: Flight, after: Flight): number {
  const domesticBefore = before.from.country === before.to.country;
  const domesticAfter = after.from.country === after.to.country;
  if (domesticBefore && domesticAfter) return 60;
  return domesticBefore || domesticAfter ? 90 : 75;
}

export function canConnect(before: Flight, after: Flight): boolean {
  const minutes = (after.departsMs - before.arrivesMs) / 60_000;
  return minutes >= minimumConnectionMinutes(before, after) && minutes <= LONGEST_LAYOVER_MINUTES;
}

/** Low-cost airlines without a loyalty programme sell their flights one by one. */
function areFriends(a: AirlineRecord, b: AirlineRecord): boolean {
  if (a.kind === "low_cost" && a.programme === null) return false;
  return a === b || (a.alliance !== null && a.alliance === b.alliance);
}

function totalKm(places: readonly AirportRecord[]): number {
  let sum = 0;
  for (const [index, place] of places.entries()) {
    const next = places[index + 1];
    if (next !== undefined) sum += distanceKm(place, next);
  }
  return sum;
}

type Path = {
  readonly places: readonly AirportRecord[];
  readonly airlines: readonly AirlineRecord[];
  readonly km: number;
};

function oneStopPaths(network: Network, from: AirportRecord, to: AirportRecord): Path[] {
  const paths: Path[] = [];
  const arriving = network.listRoutes(to);
  for (const first of network.listRoutes(from)) {
    if (first.hub === to) continue;
    for (const second of arriving) {
      if (second.hub !== first.hub || !areFriends(first.airline, second.airline)) continue;
      const km = first.distanceKm + second.distanceKm;
      paths.push({ places: [from, first.hub, to], airlines: [first.airline, second.airline], km });
    }
  }
  return paths;
}

function twoStopPaths(network: Network, from: AirportRecord, to: AirportRecord): Path[] {
  const paths: Path[] = [];
  for (const first of network.listRoutes(from)) {
    for (const last of network.listRoutes(to)) {
      if (first.hub === last.hub || first.hub === to || last.hub === from || !areFriends(first.airline, last.airline))
        continue;
      const middle = network
        .nonstopAirlines(first.hub, last.hub)
        .find((airline) => airline === first.airline || airline === last.airline);
      if (middle === undefined) continue;
      const places = [from, first.hub, last.hub, to];
      paths.push({ places, airlines: [first.airline, middle, last.airline], km: totalKm(places) });
    }
  }
  return paths;
}

/** The shortest paths, at most one pair of airlines more than once over each hub. */
function shortest(paths: readonly Path[], directKm: number): Path[] {
  const limit = Math.max(directKm * LONGEST_DETOUR, directKm + ALLOWED_EXTRA_KM);
  return paths
    .filter((path) => path.km <= limit)
    .sort(
      (a, b) =>
        (a.airlines[0] === a.airlines.at(-1) ? 0 : 150) +
        a.km -
        ((b.airlines[0] === b.airlines.at(-1) ? 0 : 150) + b.km),
    )
    .slice(0, HUBS_TRIED);
}

/** Flights along a path, each taking the earliest connection. */
function travel(seed: string, path: Path, date: Temporal.PlainDate): Itinerary["flights"][] {
  const [origin, firstStop] = path.places;
  const [firstAirline] = path.airlines;
  if (origin === undefined || firstStop === undefined || firstAirline === undefined) return [];
  const found: Itinerary["flights"][] = [];
  const known = new Map<string, readonly Flight[]>();
  const leaving = (
    leg: number,
    airline: AirlineRecord,
    start: AirportRecord,
    end: AirportRecord,
    day: Temporal.PlainDate,
  ) => {
    const key = `${leg}|${day.toString()}`;
    const flights = known.get(key) ?? flightsOn(seed, airline, start, end, day);
    known.set(key, flights);
    return flights;
  };
  for (const first of flightsOn(seed, firstAirline, origin, firstStop, date)) {
    const flights: [Flight, ...Flight[]] = [first];
    for (let leg = 1; leg < path.airlines.length; leg += 1) {
      const before = flights[flights.length - 1];
      const [airline, start, end] = [path.airlines[leg], path.places[leg], path.places[leg + 1]];
      if (before === undefined || airline === undefined || start === undefined || end === undefined) break;
      const day = before.arrivesLocal.toPlainDate();
      const options = [
        ...leaving(leg, airline, start, end, day),
        ...leaving(leg, airline, start, end, day.add({ days: 1 })),
      ];
      const next = options.find((option) => canConnect(before, option));
      if (next === undefined) break;
      flights.push(next);
    }
    if (flights.length === path.airlines.length) found.push(flights);
  }
  // Among several departures that catch the same last flight, only the latest is useful.
  return found.filter((flights, index) => flights.at(-1)?.departsMs !== found[index + 1]?.at(-1)?.departsMs);
}

function between(
  seed: string,
  network: Network,
  from: AirportRecord,
  to: AirportRecord,
  date: Temporal.PlainDate,
  maxConnections: number,
) {
  const directKm = distanceKm(from, to);
  const prepared = testRouteFlights(seed, from, to, date);
  if (prepared !== undefined) {
    return prepared.filter((flights) => flights.length - 1 <= maxConnections).map((flights) => ({ flights, directKm }));
  }
  const found: Itinerary[] = [];
  for (const airline of network.nonstopAirlines(from, to)) {
    for (const flight of flightsOn(seed, airline, from, to, date)) found.push({ flights: [flight], directKm });
  }
  if (maxConnections >= 1) {
    for (const path of shortest(oneStopPaths(network, from, to), directKm)) {
      for (const flights of travel(seed, path, date)) found.push({ flights, directKm });
    }
  }
  if (maxConnections >= 2 && found.length < ENOUGH_ITINERARIES) {
    for (const path of shortest(twoStopPaths(network, from, to), directKm)) {
      for (const flights of travel(seed, path, date)) found.push({ flights, directKm });
    }
  }
  return found;
}

/** Every itinerary between two airports or metropolitan areas that can still be caught at `nowMs`. */
export function findItineraries(
  seed: string,
  network: Network,
  search: { origin: string; destination: string; date: Temporal.PlainDate; maxConnections: number; nowMs: number },
): readonly Itinerary[] {
  const found: Itinerary[] = [];
  for (const from of findAirports(search.origin)) {
    for (const to of findAirports(search.destination)) {
      if (from !== to) found.push(...between(seed, network, from, to, search.date, search.maxConnections));
    }
  }
  return found.filter((itinerary) => itinerary.flights[0].departsMs >= search.nowMs + CHECK_IN_MS);
}
