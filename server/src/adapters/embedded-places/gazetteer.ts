import type { Airport, Place } from "../../ports/maps.ts";
import { type City, type CityTable, foldedName, kilometers } from "./city-table.ts";
import { fold } from "./fold.ts";
import type { AirportIndex, Sight, SightIndex } from "./load.ts";
import { aliases, countryName, provinces } from "./names.ts";
import type { Stations } from "./stations.ts";

/** All data that is looked up by name. */
export interface Gazetteer {
  airports: AirportIndex;
  cities: CityTable;
  sights: SightIndex;
  readonly stations: Stations;
  /** Folded name or code → ISO 3166-1 alpha-2. */
  countries: ReadonlyMap<string, string>;
  mainAirport(metroCode: string): Airport | undefined;
}

export function cityLabel(city: City): string {
  // The name of Washington, D.C. contains its district.
  const province = foldedName(city).endsWith(` ${city.province.toLowerCase()}`) ? "" : city.province;
  return [city.name, province, countryName(city.countryCode)].filter((part) => part !== "").join(", ");
}

export function cityPlace(city: City): Place {
  return {
    label: cityLabel(city),
    latitude: city.latitude,
    longitude: city.longitude,
    countryCode: city.countryCode,
    precision: city.isSection ? "neighborhood" : "city",
    unknownPart: null,
    population: city.population,
  };
}

export function airportPlace(airport: Airport): Place {
  return {
    label: `${airport.name} (${airport.iataCode}), ${airport.cityName}, ${countryName(airport.countryCode)}`,
    latitude: airport.latitude,
    longitude: airport.longitude,
    countryCode: airport.countryCode,
    precision: "airport",
    unknownPart: null,
  };
}

const SIGHT_PRECISION = { island: "region", district: "neighborhood", station: "landmark" } as const;

export function sightPlace(sight: Sight): Place {
  return {
    label: [sight.name, sight.city, countryName(sight.countryCode)].filter((part) => part !== "").join(", "),
    latitude: sight.latitude,
    longitude: sight.longitude,
    countryCode: sight.countryCode,
    precision: sight.kind === undefined ? "landmark" : SIGHT_PRECISION[sight.kind],
    unknownPart: null,
  };
}

/** Cities of this name; the target of an alias comes first. */
export function namedCities({ cities }: Gazetteer, folded: string): City[] {
  const named = cities.named(folded);
  const [name, country] = (aliases.get(folded) ?? "").split("|");
  if (name === undefined || country === undefined) return named;
  const meant = cities.named(name).filter((city) => city.countryCode === country && foldedName(city) === name);
  return [...meant, ...named.filter((city) => meant.every(({ rank }) => rank !== city.rank))];
}

/** A filter for the text after the comma; a code such as CA can be a country and a state. */
export function qualifier(
  { countries }: Gazetteer,
  part: string,
): ((place: { countryCode: string; province?: string }) => boolean) | undefined {
  // "MA 02110" is still Massachusetts.
  const folded = fold(withoutNumbers(part));
  const country = countries.get(folded);
  const province = provinces.get(folded);
  if (country === undefined && province === undefined) return undefined;
  return (place) => place.countryCode === country || (province !== undefined && place.province === province);
}

/** Removes postal codes: "75001 Paris", "London SW1A 2AA". */
export function withoutNumbers(part: string): string {
  return part.replace(/\S*\p{N}\S*/gu, " ").trim();
}

/** A state takes precedence over smaller cities of its name. */
const LEAST_POPULATION_OF_A_NAMESAKE = 50_000;

/** A country by its name (not by its code: LA is a city to most people), or a state or province whose name no big city has. */
export function namedRegion(
  gazetteer: Gazetteer,
  text: string,
): { countryCode: string | undefined; holds(city: City): boolean } | undefined {
  const folded = fold(text);
  if (folded.length <= 3 && /^[a-z]*$/.test(folded)) return undefined;
  const countryCode = gazetteer.countries.get(folded);
  const isProvince = () =>
    provinces.has(folded) &&
    namedCities(gazetteer, folded).every(({ population }) => population < LEAST_POPULATION_OF_A_NAMESAKE);
  if (countryCode === undefined && !isProvince()) return undefined;
  const holds = qualifier(gazetteer, text);
  return holds === undefined ? undefined : { countryCode, holds };
}

/** A country whose towns all lie this near to its largest one is a place in itself, such as Niue. */
const SMALL_COUNTRY_KILOMETERS = 60;

/** The country of this name, if it is that small. */
export function smallCountryPlace({ cities, countries }: Gazetteer, folded: string): Place | undefined {
  const countryCode = folded.length > 3 ? countries.get(folded) : undefined;
  if (countryCode === undefined) return undefined;
  const isThere = (rank: number) => cities.countryCodeAt(rank) === countryCode;
  const [largest, ...others] = cities.first(Number.POSITIVE_INFINITY, () => true, isThere);
  if (largest === undefined) return undefined;
  if (others.some((one) => kilometers(one, largest) > SMALL_COUNTRY_KILOMETERS)) return undefined;
  const { latitude, longitude } = largest;
  return { label: countryName(countryCode), latitude, longitude, countryCode, precision: "region", unknownPart: null };
}

/** The airport or city with a three-letter code. */
export function codePlaces(gazetteer: Gazetteer, text: string): Place[] {
  const [, code] = /^([A-Za-z]{3})(?: airport)?$/i.exec(text) ?? [];
  if (code === undefined) return [];
  const airport = gazetteer.airports.byCode.get(code.toUpperCase());
  if (airport !== undefined) return [airportPlace(airport)];
  const main = gazetteer.mainAirport(code.toUpperCase());
  if (main === undefined) return [];
  const city = namedCities(gazetteer, fold(main.cityName)).find((one) => one.countryCode === main.countryCode);
  return city === undefined ? [{ ...airportPlace(main), precision: "city" }] : [cityPlace(city)];
}

const AIRPORT_WORDS = new Set(["airport", "international", "the"]);

/** "Heathrow", "Charles de Gaulle airport": every word is in the airport's name. */
export function airportsByName({ airports }: Pick<Gazetteer, "airports">, folded: string): Airport[] {
  const words = folded.split(" ").filter((word) => word !== "" && !AIRPORT_WORDS.has(word));
  if (words.join("").length < 4) return [];
  const [first = [], ...others] = words.map((word) => airports.byWord.get(word) ?? []);
  return first.filter((airport) => others.every((other) => other.includes(airport)));
}
