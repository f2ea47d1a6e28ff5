// Who flies where: a network that follows from the seed, the airlines' hubs and fleets, and the size of the airports.
import { chance } from "../hash.ts";
import { type AirlineRecord, type AirportRecord, aircraftByCode, airlines, airportByCode } from "../reference/data.ts";
import { distanceKm } from "./geography.ts";

type Route = { readonly airline: AirlineRecord; readonly hub: AirportRecord; readonly distanceKm: number };

/** Countries whose airlines may fly inside each other's borders. */
const SINGLE_MARKET = new Set(
  "AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LT LU LV MT NL NO PL PT RO SE SI SK".split(" "),
);
/** A route is planned with reserves: an aircraft is not sent to the end of its range. */
const USABLE_RANGE = 0.93;
const LOW_COST_REACH_KM = 4500;
const REGIONAL_REACH_KM = 1800;
const ROUTES_BY_TIER = [0, 200, 16, 7] as const;
const FEWEST_ROUTES = 3;
const SHORTEST_ROUTE_KM = 70;

function reachKm(airline: AirlineRecord): number {
  const furthest = Math.max(0, ...airline.fleet.map((code) => aircraftByCode.get(code)?.rangeKm ?? 0)) * USABLE_RANGE;
  const hasWideBody = airline.fleet.some((code) => aircraftByCode.get(code)?.body === "wide");
  if (airline.kind === "regional") return Math.min(furthest, REGIONAL_REACH_KM);
  if (airline.kind === "low_cost" && !hasWideBody) return Math.min(furthest, LOW_COST_REACH_KM);
  return furthest;
}

function mayFly(airline: AirlineRecord, hub: AirportRecord, airport: AirportRecord): boolean {
  if (hub.country !== airport.country || airline.country === hub.country) return true;
  return SINGLE_MARKET.has(airline.country) && SINGLE_MARKET.has(hub.country);
}

/** How likely it is that an airline serves an airport from one of its hubs. */
function likelihood(airline: AirlineRecord, hub: AirportRecord, airport: AirportRecord, distance: number): number {
  const home = airline.country === airport.country;
  const flagship = airline.hubs[0] === hub.iata && airline.kind === "network";
  const otherHub = airline.hubs.includes(airport.iata);
  if (home && otherHub) return 1;
  if (airport.tier === 1) {
    if (hub.tier > 1) return distance < 2500 ? 0.5 : flagship && distance < 9500 ? 0.5 : 0.05;
    if (flagship) return distance < 3000 ? 0.97 : 0.88;
    return distance < 2500 ? 0.75 : 0.4;
  }
  if (airport.tier === 2) {
    if (home) return 0.9;
    if (distance < 2000) return flagship ? 0.75 : 0.4;
    return flagship ? 0.3 : 0.06;
  }
  if (home) return distance < 3000 ? 0.75 : 0;
  if (distance < 1500) return flagship ? 0.3 : 0.12;
  return distance < 3500 ? 0.04 : 0;
}

export type Network = {
  /** Every airline and hub from which an airport is reached without a stop. */
  listRoutes(airport: AirportRecord): readonly Route[];
  /** Airlines that fly between two airports without a stop. */
  nonstopAirlines(from: AirportRecord, to: AirportRecord): readonly AirlineRecord[];
};

export function createNetwork(seed: string): Network {
  const known = new Map<string, readonly Route[]>();
  const reach = new Map(airlines.map((airline) => [airline.iata, reachKm(airline)]));

  function planRoutes(airport: AirportRecord): readonly Route[] {
    const candidates: (Route & { weight: number; served: boolean })[] = [];
    for (const airline of airlines) {
      for (const code of airline.hubs) {
        const hub = airportByCode.get(code);
        if (hub === undefined || hub === airport || !mayFly(airline, hub, airport)) continue;
        const distance = distanceKm(hub, airport);
        if (distance < SHORTEST_ROUTE_KM || distance > (reach.get(airline.iata) ?? 0)) continue;
        const likely = likelihood(airline, hub, airport, distance);
        const served = chance(seed, "route", airline.iata, code, airport.iata) < likely;
        const home = airline.country === airport.country ? 0.5 : 0;
        candidates.push({ airline, hub, distanceKm: distance, served, weight: likely + home - distance / 20_000 });
      }
    }
    candidates.sort((a, b) => b.weight - a.weight || a.distanceKm - b.distanceKm);
    const chosen = candidates.filter((route) => route.served).slice(0, ROUTES_BY_TIER[airport.tier] ?? 0);
    // Remote places still have somebody who flies there: the likeliest, then the nearest.
    for (const route of candidates) {
      if (chosen.length >= FEWEST_ROUTES) break;
      if (!chosen.includes(route)) chosen.push(route);
    }
    return chosen;
  }

  function listRoutes(airport: AirportRecord): readonly Route[] {
    const found = known.get(airport.iata);
    if (found !== undefined) return found;
    const planned = planRoutes(airport);
    known.set(airport.iata, planned);
    return planned;
  }

  return {
    listRoutes,
    nonstopAirlines(from, to) {
      const flying = new Set<AirlineRecord>();
      for (const route of listRoutes(to)) if (route.hub === from) flying.add(route.airline);
      for (const route of listRoutes(from)) if (route.hub === to) flying.add(route.airline);
      return [...flying].sort((a, b) => (a.iata < b.iata ? -1 : 1));
    },
  };
}
