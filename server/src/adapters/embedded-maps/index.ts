import type { Provenance } from "../../domain/schemas.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Airport, Maps } from "../../ports/maps.ts";
import { findCandidates, type Gazetteer } from "./find-places.ts";
import { type AirportIndex, loadAirports, loadCities } from "./load.ts";
import { countryIndex, mainAirports } from "./names.ts";
import { findNearMatches } from "./near-matches.ts";

const DEFAULT_LIMIT = 5;
const NEAR_MATCHES = 5;

/** Airports with scheduled service, metropolitan codes and cities, from files in this folder. Nothing goes over the network. */
export function createEmbeddedMaps(options: { clock: Clock }): Maps {
  const { clock } = options;
  const provenance = (): Provenance => ({
    source: "embedded-maps",
    sourceLevel: "embedded",
    asOf: clock.now().toString(),
  });

  // Each table is read when it is first needed: most calls need airports only.
  const airports = once(loadAirports);
  const gazetteer = once((): Gazetteer => {
    const cities = loadCities();
    const codes = new Set(cities.all.map((city) => city.countryCode));
    for (const airport of airports().all) codes.add(airport.countryCode);
    return {
      airports: airports(),
      cities,
      countries: countryIndex(codes),
      mainAirport: (metroCode) => mainAirportOf(airports(), metroCode),
    };
  });

  return {
    async findPlaces(text, { limit = DEFAULT_LIMIT } = {}) {
      const candidates = findCandidates(gazetteer(), text, limit);
      const nearMatches = candidates.length > 0 ? [] : findNearMatches(gazetteer(), text, NEAR_MATCHES);
      return { candidates, nearMatches, provenance: provenance() };
    },

    airport(iataCode) {
      const code = iataCode.toUpperCase();
      return airports().byCode.get(code) ?? mainAirportOf(airports(), code);
    },

    metroCode(iataCode) {
      const code = iataCode.toUpperCase();
      return airports().byCode.get(code)?.metroCode ?? code;
    },
  };
}

/** The curated airport of a metropolitan code, else its first: the table has the biggest first. */
function mainAirportOf(airports: AirportIndex, metroCode: string): Airport | undefined {
  const curated = airports.byCode.get(mainAirports.get(metroCode) ?? "");
  return curated ?? airports.byMetroCode.get(metroCode)?.[0];
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
