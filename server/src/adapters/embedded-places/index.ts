import { distanceMeters } from "../../domain/distance.ts";
import type { Provider } from "../../platform/providers/provider.ts";
import type { ElevationAnswer } from "../../ports/elevation.ts";
import type {
  Airport,
  Maps,
  PlaceQuestion,
  PlaceSearch,
  Position,
  PostalAddress,
  TimeZoneAnswer,
  TimeZoneQuestion,
} from "../../ports/maps.ts";
import { CountryBorders } from "./country-borders.ts";
import { DATA_DATE } from "./data-date.ts";
import { Elevations } from "./elevations.ts";
import { findBigCity, findCandidates } from "./find-places.ts";
import { fold } from "./fold.ts";
import { airportsByName, cityPlace, type Gazetteer } from "./gazetteer.ts";
import { type AirportIndex, loadAirports, loadCities, loadSights, loadSummits } from "./load.ts";
import { aliases, countryIndex, mainAirports } from "./names.ts";
import { NearMatches } from "./near-matches.ts";
import { Stations } from "./stations.ts";
import { TimeZoneBorders } from "./time-zones.ts";

const NEAR_MATCHES = 5;
/** Lower-ranked cities are too small for a regional map. */
const MOST_LOOKED_AT = 20_000;
const SOURCE = "embedded-places";

export type FoundPlaces = Pick<PlaceSearch, "candidates">;

export interface EmbeddedPlaces extends Omit<Maps, "findPlaces" | "findPlaceById" | "findAddress" | "findTimeZones"> {
  places: Provider<PlaceQuestion, FoundPlaces>;
  /** Knows no addresses, and says so if no other provider answers. */
  addresses: Provider<PostalAddress, never>;
  elevation: Provider<Position, ElevationAnswer>;
  timeZones: Provider<TimeZoneQuestion, TimeZoneAnswer>;
  nearMatches(text: string): readonly string[];
}

const provenance = {
  source: SOURCE,
  sourceLevel: "embedded",
  attribution: [
    "Cities © GeoNames (CC BY 4.0)",
    "Stations © Trainline and its sources (ODbL)",
    "Time zone borders © OpenStreetMap contributors (ODbL)",
  ],
} as const;

// Each table is read on first use, once per process: most calls need only the airports.
const airports = once(loadAirports);
const cities = once(loadCities);
const stations = once(() => new Stations());
const elevations = once(() => new Elevations(cities, loadSummits()));

/**
 * Airports with scheduled service, metropolitan codes, cities and sights, from files in this folder. Makes no network requests.
 */
export function createEmbeddedPlaces(): EmbeddedPlaces {
  const gazetteer = once((): Gazetteer => {
    const codes = new Set(cities().countryCodes);
    for (const airport of airports().all) codes.add(airport.countryCode);
    return {
      airports: airports(),
      cities: cities(),
      sights: loadSights(),
      get stations() {
        return stations();
      },
      countries: countryIndex(codes),
      mainAirport: (metroCode) => findMainAirport(airports(), metroCode),
    };
  });
  const near = once(() => new NearMatches(gazetteer()));
  const countries = once(() => new CountryBorders());
  const zones = once(() => new TimeZoneBorders());
  const timeZonesAt = (position: Position) => zones().find(position, () => countries().find(position));

  return {
    ownProvenance: { ...provenance, asOf: DATA_DATE, fallbackFrom: [] },
    places: {
      ...provenance,
      async ask({ text, limit, regionCode }) {
        const found = findCandidates(gazetteer(), text, regionCode === undefined ? limit : Number.POSITIVE_INFINITY);
        // "Los Angelos" is a misspelling, not something in a city "Los".
        const isMisspelt = () => near().find(text, 1).length > 0;
        const candidates = (found.length > 0 || isMisspelt() ? found : findBigCity(gazetteer(), text))
          .filter(({ countryCode }) => regionCode === undefined || countryCode === regionCode)
          .slice(0, limit);
        return { answer: candidates.length === 0 ? undefined : { candidates }, asOf: DATA_DATE };
      },
    },
    addresses: { ...provenance, ask: async () => ({ answer: undefined, asOf: DATA_DATE }) },
    elevation: {
      ...provenance,
      attribution: [...provenance.attribution, "Elevations from NASA SRTM30 (public domain), by KDE Marble"],
      ask: async (position) => ({ answer: elevations().at(position), asOf: DATA_DATE }),
    },
    timeZones: {
      ...provenance,
      ask: async (position) => ({
        answer: { timeZones: timeZonesAt(position), utcOffsetMinutes: undefined },
        asOf: DATA_DATE,
      }),
    },
    nearMatches: (text) => near().find(text, NEAR_MATCHES),
    airport(iataCode) {
      const code = iataCode.toUpperCase();
      return airports().byCode.get(code) ?? findMainAirport(airports(), code);
    },
    metroCode(iataCode) {
      const code = iataCode.toUpperCase();
      return airports().byCode.get(code)?.metroCode ?? code;
    },
    airportsOfCity(name) {
      const folded = fold(name);
      const known = (aliases.get(folded) ?? folded).split("|")[0];
      const first = airports().all.find(({ cityName }) => fold(cityName) === known);
      return first === undefined ? [] : (airports().byMetroCode.get(first.metroCode) ?? [first]);
    },
    airportsNamed: (text) => airportsByName({ airports: airports() }, fold(text)),
    nearestCity(position, { withinKilometers }) {
      const found = cities().nearest(position, withinKilometers);
      if (found === undefined) return undefined;
      const { elevationMeters } = found.city;
      return { place: cityPlace(found.city), kilometers: found.kilometers, elevationMeters };
    },
    largestCities: (center, { withinKilometers, limit }) =>
      cities()
        .first(
          limit,
          (city) => !city.isSection && distanceMeters(center, city) <= withinKilometers * 1_000,
          (rank) => rank < MOST_LOOKED_AT,
        )
        .map(({ name, latitude, longitude }) => ({ name, latitude, longitude })),
    countryCodeAt: (position) => countries().find(position),
    countryOfTerritory: (countryCode) => countries().findParentCountry(countryCode),
    timeZonesAt,
  };
}

/** The curated airport of a metropolitan code, else its first: the table has the largest first. */
function findMainAirport(airports: AirportIndex, metroCode: string): Airport | undefined {
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
