import type { Airport, Place } from "../../ports/maps.ts";
import { fold } from "./fold.ts";
import type { AirportIndex, City, CityIndex } from "./load.ts";
import { aliases, countryName, provinces } from "./names.ts";

export interface Gazetteer {
  airports: AirportIndex;
  cities: CityIndex;
  /** Folded name or code → ISO 3166-1 alpha-2. */
  countries: ReadonlyMap<string, string>;
  mainAirport(metroCode: string): Airport | undefined;
}

/** Longer texts hold no place name; cutting them bounds the work. */
const LONGEST_TEXT = 200;
/** "Shibuya, Tokyo" means the Shibuya that is this near to Tokyo. */
const NEIGHBOURHOOD_KILOMETERS = 60;
/** "Stansted, London" means an airport that is this near to London. */
const AIRPORT_KILOMETERS = 100;

export function findCandidates(gazetteer: Gazetteer, given: string, limit: number): Place[] {
  const text = given.trim().slice(0, LONGEST_TEXT);
  const byCode = codePlaces(gazetteer, text);
  const cities = namedCities(gazetteer, fold(text));
  const region = namedRegion(gazetteer, text);
  // "Singapore" is a city as well, "Mexico" is a country and not the town of that name in another one.
  const byName = (region === undefined ? cities : cities.filter(region.holds)).map(cityPlace);
  // LIS typed in capitals is the airport; "Bar" is the town.
  const isCode = text === text.toUpperCase();
  const direct = isCode ? [...byCode, ...byName] : [...byName, ...byCode];
  if (direct.length > 0) return distinct(direct).slice(0, limit);
  if (region !== undefined) return [];
  const qualified = qualifiedPlaces(gazetteer, text);
  if (qualified.length > 0) return distinct(qualified).slice(0, limit);
  return airportsByName(gazetteer, fold(text)).map(airportPlace).slice(0, limit);
}

export function cityLabel(city: City): string {
  // Washington, D.C. has its district in its name.
  const province = city.folded.endsWith(` ${city.province.toLowerCase()}`) ? "" : city.province;
  return [city.name, province, countryName(city.countryCode)].filter((part) => part !== "").join(", ");
}

function cityPlace(city: City): Place {
  return {
    label: cityLabel(city),
    latitude: city.latitude,
    longitude: city.longitude,
    countryCode: city.countryCode,
    precision: city.isSection ? "neighborhood" : "city",
  };
}

function airportPlace(airport: Airport): Place {
  return {
    label: `${airport.name} (${airport.iataCode}), ${airport.cityName}, ${countryName(airport.countryCode)}`,
    latitude: airport.latitude,
    longitude: airport.longitude,
    countryCode: airport.countryCode,
    precision: "airport",
  };
}

function codePlaces(gazetteer: Gazetteer, text: string): Place[] {
  const [, code] = /^([A-Za-z]{3})(?: airport)?$/i.exec(text) ?? [];
  if (code === undefined) return [];
  const airport = gazetteer.airports.byCode.get(code.toUpperCase());
  if (airport !== undefined) return [airportPlace(airport)];
  const main = gazetteer.mainAirport(code.toUpperCase());
  if (main === undefined) return [];
  const city = namedCities(gazetteer, fold(main.cityName)).find((one) => one.countryCode === main.countryCode);
  return city === undefined ? [{ ...airportPlace(main), precision: "city" }] : [cityPlace(city)];
}

/** Cities of a name; the one that an alias stands for comes first. */
function namedCities(gazetteer: Gazetteer, folded: string): City[] {
  const { byName } = gazetteer.cities;
  const [name = "", country = ""] = (aliases.get(folded) ?? "").split("|");
  const meant = (byName.get(name) ?? []).filter((city) => city.countryCode === country);
  return [...meant, ...(byName.get(folded) ?? [])];
}

/** What a part after the comma may narrow the rest to; a code such as CA can be a country and a state. */
function qualifier(gazetteer: Gazetteer, part: string): ((city: City) => boolean) | undefined {
  // "MA 02110" is still Massachusetts.
  const folded = fold(part.replace(/\b\d[\d-]*\b/g, " "));
  const country = gazetteer.countries.get(folded);
  const province = provinces.get(folded);
  if (country === undefined && province === undefined) return undefined;
  return (city) => city.countryCode === country || (province !== undefined && city.province === province);
}

/** A country by its name (not by its code: LA is a city to most), or a state or province that has no city of its name. */
export function namedRegion(gazetteer: Gazetteer, text: string): { holds(city: City): boolean } | undefined {
  const folded = fold(text);
  if (folded.length <= 3) return undefined;
  const isProvinceOnly = provinces.has(folded) && namedCities(gazetteer, folded).length === 0;
  if (!gazetteer.countries.has(folded) && !isProvinceOnly) return undefined;
  const holds = qualifier(gazetteer, text);
  return holds === undefined ? undefined : { holds };
}

/** "Paris, France", "Springfield, IL", "Shibuya, Tokyo, Japan", and "Lisbon Portugal" without its comma. */
function qualifiedPlaces(gazetteer: Gazetteer, text: string): Place[] {
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (parts.length < 2) return withTrailingCountry(gazetteer, text);

  const narrowing: ((city: City) => boolean)[] = [];
  let rest = parts;
  for (let last = rest.at(-1); last !== undefined && rest.length > 1; last = rest.at(-1)) {
    const narrow = qualifier(gazetteer, last);
    if (narrow === undefined) break;
    narrowing.push(narrow);
    rest = rest.slice(0, -1);
  }
  const citiesOf = (part: string) =>
    namedCities(gazetteer, fold(part)).filter((city) => narrowing.every((narrow) => narrow(city)));

  const first = rest[0] ?? "";
  if (rest.length === 1) {
    const exact = citiesOf(first);
    if (exact.length > 0) return exact.map(cityPlace);
  }
  // The city is the last part that is one; what stands before it is a neighbourhood or a street.
  const outer = rest.length === 1 ? parts.slice(1) : rest.slice(1);
  const filterOuter = rest.length === 1 ? (part: string) => namedCities(gazetteer, fold(part)) : citiesOf;
  for (const part of outer) {
    const city = filterOuter(part)[0];
    if (city === undefined) continue;
    const inner = namedCities(gazetteer, fold(first)).find((one) => kilometers(one, city) <= NEIGHBOURHOOD_KILOMETERS);
    if (inner !== undefined && inner !== city) return [cityPlace(inner)];
    const airport = [...codePlaces(gazetteer, first), ...airportsByName(gazetteer, fold(first)).map(airportPlace)].find(
      (one) => kilometers(one, city) <= AIRPORT_KILOMETERS,
    );
    if (airport !== undefined) return [airport];
    const place = cityPlace(city);
    return [{ ...place, label: `${place.label} (the city; "${first}" is not known here)` }];
  }
  return [];
}

function withTrailingCountry(gazetteer: Gazetteer, text: string): Place[] {
  const words = text.split(/\s+/);
  for (let length = 1; length < words.length; length += 1) {
    const narrow = qualifier(gazetteer, words.slice(length).join(" "));
    if (narrow === undefined) continue;
    const found = namedCities(gazetteer, fold(words.slice(0, length).join(" "))).filter(narrow);
    if (found.length > 0) return found.map(cityPlace);
  }
  return [];
}

const AIRPORT_WORDS = new Set(["airport", "international", "the"]);

/** "Heathrow", "Charles de Gaulle airport": every word is in the airport's name. */
function airportsByName(gazetteer: Gazetteer, folded: string): Airport[] {
  const words = folded.split(" ").filter((word) => word !== "" && !AIRPORT_WORDS.has(word));
  if (words.join("").length < 4) return [];
  return gazetteer.airports.all.filter((airport) => {
    const known = new Set(fold(`${airport.name} ${airport.cityName}`).split(" "));
    return words.every((word) => known.has(word));
  });
}

function kilometers(from: Position, to: Position): number {
  const radians = Math.PI / 180;
  const x = (to.longitude - from.longitude) * Math.cos(((from.latitude + to.latitude) / 2) * radians);
  return 111.2 * Math.hypot(x, to.latitude - from.latitude);
}

interface Position {
  latitude: number;
  longitude: number;
}

function distinct(places: readonly Place[]): Place[] {
  const seen = new Set<string>();
  return places.filter((place) => {
    const key = `${place.label}|${Math.round(place.latitude * 4)}|${Math.round(place.longitude * 4)}`;
    return !seen.has(key) && seen.add(key);
  });
}
