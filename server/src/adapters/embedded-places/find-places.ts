import type { Airport, Place } from "../../ports/maps.ts";
import { type City, foldedName, kilometers } from "./city-table.ts";
import { fold } from "./fold.ts";
import {
  airportPlace,
  airportsByName,
  cityPlace,
  codePlaces,
  type Gazetteer,
  namedCities,
  namedRegion,
  qualifier,
  sightPlace,
  smallCountryPlace,
  withoutNumbers,
} from "./gazetteer.ts";
import type { Sight } from "./load.ts";
import { stationPlace } from "./stations.ts";
import { districtsAtStart, readUnspaced, type UnspacedAddress } from "./unspaced-addresses.ts";

const SAINTS = ["São ", "Santo ", "Santa ", "San ", "Saint "];

/** The expansions of an abbreviation, likelier words first; a single letter is an abbreviation only with its point. */
const ABBREVIATIONS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/(?<![\p{L}\p{M}])s\.\s*(?=\p{L})/giu, SAINTS],
  [/(?<![\p{L}\p{M}])st\.\s*(?=\p{L})/giu, SAINTS],
  [/(?<![\p{L}\p{M}])sta\.?\s+(?=\p{L})/giu, ["Santa "]],
  [/(?<![\p{L}\p{M}])sto\.?\s+(?=\p{L})/giu, ["Santo "]],
  [/(?<![\p{L}\p{M}])av\.?\s+(?=\p{L})/giu, ["Avenida ", "Avenue "]],
  [/(?<![\p{L}\p{M}])r\.\s*(?=\p{L})/giu, ["Rua ", "Rue "]],
  // "Tokyo-to Chiyoda-ku".
  [/(?<=\p{L}{2})-(?:to|fu|ken|shi|ku|si|gu|do)(?![\p{L}\p{M}])/giu, [""]],
  // Filler words: "hotels near the Colosseum", "downtown Chicago", "Heathrow Terminal 5".
  [/^(?:hotels?\s+)?(?:near|nearby|around|by|in|at|close to|next to)\s+(?:the\s+)?/iu, [""]],
  [/(?:^|[\s,]+)(?:the\s+)?(?:downtown|(?:city|town)\s+cent(?:re|er)|cent(?:re|er)|central)(?=[\s,]|$)/giu, [""]],
  [/^the\s+/iu, [""]],
  [/\s+terminal\s+\w{1,2}$/iu, [""]],
];
const MOST_WAYS = 12;

/** Longer texts contain no place name; cutting them bounds the work. */
const LONGEST_TEXT = 200;
const MOST_PARTS = 8;
const MOST_WORDS = 12;
/** "Gràcia, Barcelona" means a Gràcia this near to Barcelona. */
const NEIGHBORHOOD_KILOMETERS = 20;
/** The same for sights: "Palace of Versailles, Paris". */
const SIGHT_KILOMETERS = 60;
/** "Stansted, London" means an airport this near to London. */
const AIRPORT_KILOMETERS = 100;
/** A sight's alternative name refers to a city of this size instead. */
const BIG_CITY_POPULATION = 50_000;

/** Three lower-case letters are an airport's code unless they name a place of at least this size. */
const TOWN_POPULATION = 10_000;

/** The table's largest airports take precedence over a small town of the same name. */
const BIG_AIRPORTS = 300;

type Narrow = (place: { countryCode: string; province?: string }) => boolean;

/** Best first. An unknown name is also looked up without its abbreviations and filler words. */
export function findCandidates(gazetteer: Gazetteer, given: string, limit: number): Place[] {
  const text = given.trim().slice(0, LONGEST_TEXT);
  const asGiven = findWritten(gazetteer, text, limit);
  const isKnown = ({ unknownPart }: Place) => unknownPart === null;
  if (asGiven.some(isKnown)) return asGiven;
  for (const written of writtenOut(text)) {
    const known = findWritten(gazetteer, written, limit).filter(isKnown);
    if (known.length > 0) return known;
  }
  return asGiven;
}

function findWritten(gazetteer: Gazetteer, text: string, limit: number): Place[] {
  const direct = distinct(directPlaces(gazetteer, text));
  if (direct.length > 0) return direct.slice(0, limit);
  const stations = gazetteer.stations.named(text);
  if (stations.length > 0) return stations.map(stationPlace).slice(0, limit);
  if (namedRegion(gazetteer, text) !== undefined) return [];
  const qualified = distinct(qualifiedPlaces(gazetteer, text));
  if (qualified.length > 0) return qualified.slice(0, limit);
  const airports = airportsByName(gazetteer, fold(text)).map(airportPlace);
  const found = airports.length > 0 ? airports : insideCities(gazetteer, text);
  if (found.length > 0) return found.slice(0, limit);
  const unspaced = readUnspaced(text, (name) => namedCities(gazetteer, fold(name))[0]);
  if (unspaced !== undefined) return [placeInUnspaced(gazetteer, unspaced)];
  return beforeRegion(gazetteer, text, (rest) => findWritten(gazetteer, rest, limit));
}

/** "Berlin Kreuzberg", "Kreuzberg Berlin": a place in the big city named beside it. */
function insideCities(gazetteer: Gazetteer, text: string): Place[] {
  return besideBigCities(gazetteer, text)
    .map(({ city, part }) => placeInCity(gazetteer, part, city))
    .filter(isInside);
}

/** "Amsterdam Centraal station": the city at one end of an otherwise unknown text. */
export function findBigCity(gazetteer: Gazetteer, given: string): Place[] {
  const text = given.trim().slice(0, LONGEST_TEXT);
  const found = findBesideCity(gazetteer, text);
  if (found.length > 0) return found;
  for (const written of writtenOut(text)) {
    const inCity = findBesideCity(gazetteer, written);
    if (inCity.length > 0) return inCity;
  }
  return [];
}

function findBesideCity(gazetteer: Gazetteer, text: string): Place[] {
  // Nothing in New York is in York.
  const [named] = besideBigCities(gazetteer, text).toSorted((a, b) => b.city.population - a.city.population);
  if (named !== undefined) return [placeInCity(gazetteer, named.part, named.city)];
  return beforeRegion(gazetteer, text, (rest) => findBesideCity(gazetteer, rest));
}

/** The big cities at the beginning or end of a text, with the rest of it. */
function besideBigCities(gazetteer: Gazetteer, text: string): { city: City; part: string }[] {
  return twoParts(text).flatMap(([left, right]) => {
    const inLeft = { city: namedCities(gazetteer, fold(left))[0], part: right };
    const inRight = { city: namedCities(gazetteer, fold(right))[0], part: left };
    return [inLeft, inRight].flatMap(({ city, part }) =>
      city !== undefined && !city.isSection && city.population >= BIG_CITY_POPULATION ? [{ city, part }] : [],
    );
  });
}

/** "Kreuzberg Berlin Germany": looks up the text before the country, within that country. */
function beforeRegion(gazetteer: Gazetteer, text: string, find: (rest: string) => readonly Place[]): Place[] {
  return twoParts(text).flatMap(([rest, last]) => {
    const narrow = qualifier(gazetteer, last);
    return narrow === undefined ? [] : find(rest.replace(/[,;]+$/, "")).filter(narrow);
  });
}

/** Every split of a text's words into two parts. */
function twoParts(text: string): [string, string][] {
  const words = text.split(/\s+/).slice(0, MOST_WORDS);
  return words.slice(1).map((_, index) => [words.slice(0, index + 1).join(" "), words.slice(index + 1).join(" ")]);
}

const isInside = ({ precision, unknownPart }: Place): boolean => unknownPart === null && precision !== "city";

/** Places for which the whole text is a name or a code. */
function directPlaces(gazetteer: Gazetteer, text: string): Place[] {
  const folded = fold(text);
  if (folded === "") return [];
  const byCode = codePlaces(gazetteer, text);
  const region = namedRegion(gazetteer, text);
  const named = withoutStrangers(namedCities(gazetteer, folded), folded);
  // "Singapore" is a city as well; "Mexico" is the country rather than a town of that name elsewhere.
  const cities =
    region === undefined ? named : named.filter((city) => region.holds(city) && foldedName(city) === folded);
  const { byName, byOtherName } = gazetteer.sights;
  const called = byName.get(folded) ?? [];
  // "Georgetown" is a city rather than the district of Washington.
  const isDistrict = ({ kind }: Sight) => kind === "district";
  const own = called.filter((sight) => !isDistrict(sight)).map(sightPlace);
  const others = [...called.filter(isDistrict), ...(byOtherName.get(folded) ?? [])].map(sightPlace);
  const country = cities.length === 0 ? smallCountryPlace(gazetteer, folded) : undefined;
  if (country !== undefined) return [country];
  const [biggest] = cities;
  const isBig = biggest !== undefined && biggest.population >= BIG_CITY_POPULATION;
  const places = cities.map(cityPlace);
  // "Heathrow" is the airport rather than a small town in Florida; "Aspen" is the town that the airport is named after.
  const airports = isBig || region !== undefined ? [] : bigAirportsByName(gazetteer, folded);
  const rather = [...others, ...airports.map(airportPlace)];
  const byText = [...own, ...(isBig ? [...places, ...rather] : [...rather, ...places])];
  // LIS in capitals is the airport; "Bar" is the town.
  const isCode =
    (/[A-Z]/.test(text) && text === text.toUpperCase()) ||
    cities.every((city) => foldedName(city) !== folded || city.population < TOWN_POPULATION);
  return isCode ? [...byCode, ...byText] : [...byText, ...byCode];
}

/** If a big city has exactly this name, leaves out those that are only called so in other languages: Rome is not Lomé. */
function withoutStrangers(cities: readonly City[], folded: string): readonly City[] {
  const [first] = cities;
  if (first === undefined || foldedName(first) !== folded || first.population < BIG_CITY_POPULATION) return cities;
  return cities.filter((city) => ` ${foldedName(city)} `.includes(` ${folded} `));
}

/** Airports with a name besides that of their city. */
function bigAirportsByName(gazetteer: Gazetteer, folded: string): Airport[] {
  return airportsByName(gazetteer, folded).filter(
    (airport) =>
      gazetteer.airports.all.indexOf(airport) < BIG_AIRPORTS &&
      folded.split(" ").every((word) => !fold(airport.cityName).includes(word)),
  );
}

/** "Paris, France", "Springfield, IL", "Gràcia, Barcelona, Spain", and "Lisbon Portugal" without its comma. */
function qualifiedPlaces(gazetteer: Gazetteer, text: string): Place[] {
  const parts = text
    .split(/[,;\n、，]/)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .slice(0, MOST_PARTS);
  return parts.length < 2 ? placesWithoutComma(gazetteer, text) : placesOfParts(gazetteer, parts);
}

function placesOfParts(gazetteer: Gazetteer, parts: readonly string[]): Place[] {
  const { narrowing, rest } = splitOffRegions(gazetteer, parts);
  const fits: Narrow = (place) => narrowing.every((narrow) => narrow(place));
  const first = rest[0] ?? "";
  if (rest.length === 1) {
    const sights = namedSights(gazetteer, first).filter(fits).map(sightPlace);
    const exact = citiesOfPart(gazetteer, first).filter(fits).map(cityPlace);
    const stations = gazetteer.stations.named(first).filter(fits).map(stationPlace);
    if (sights.length + exact.length + stations.length > 0) return [...sights, ...exact, ...stations];
  }
  // The city is the first later part that names one; before it is a neighborhood, a sight or a street.
  const outer = rest.length === 1 ? parts.slice(1) : rest.slice(1);
  for (const part of outer) {
    const found = citiesOfPart(gazetteer, part);
    const city = rest.length === 1 ? found[0] : found.find(fits);
    if (city === undefined) continue;
    const place = placeInCity(gazetteer, first, city);
    const inner = isInside(place) ? undefined : districtBetween(gazetteer, rest, part, city);
    if (inner !== undefined) return [inner];
    const begun = isInside(place) ? undefined : insideFirst(gazetteer, rest, fits);
    // "Barcelona, Gràcia" begins with the larger of the two.
    return [
      begun !== undefined && begun.city.population > city.population && isInside(begun.place) ? begun.place : place,
    ];
  }
  const begun = insideFirst(gazetteer, rest, fits);
  if (begun === undefined) return [];
  const { city, place } = begun;
  return isInside(place) || narrowing.length > 0 || city.population >= BIG_CITY_POPULATION ? [place] : [];
}

/** "1-9-1 Marunouchi, Chiyoda-ku, Tokyo": the known district behind the street. */
function districtBetween(gazetteer: Gazetteer, parts: readonly string[], cityPart: string, city: City) {
  const [street = "", ...others] = parts;
  const known = others
    .filter((part) => part !== cityPart)
    .map((part) => placeInCity(gazetteer, part, city))
    .find(isInside);
  return known && { ...known, unknownPart: street };
}

/** "Paris, 10 Rue de Rivoli, France": a text that begins with its city. */
function insideFirst(gazetteer: Gazetteer, [first = "", ...others]: readonly string[], fits: Narrow) {
  const city = namedCities(gazetteer, fold(first)).find(fits);
  if (city === undefined || others.length === 0) return undefined;
  // Postal codes are not looked up.
  const part = others.find((one) => withoutNumbers(one) !== "");
  return { city, place: part === undefined ? cityPlace(city) : placeInCity(gazetteer, part, city) };
}

/** The district that the rest of an address without spaces begins with, else the city. */
function placeInUnspaced(gazetteer: Gazetteer, { city, rest }: UnspacedAddress): Place {
  if (rest === "") return cityPlace(city);
  for (const part of districtsAtStart(rest)) {
    const place = placeInCity(gazetteer, part, city);
    const unknownPart = rest.slice(part.length).trim();
    if (isInside(place)) return { ...place, unknownPart: unknownPart === "" ? null : unknownPart };
  }
  return { ...cityPlace(city), unknownPart: rest };
}

/** Splits off trailing countries, states and provinces, as long as something is left. */
function splitOffRegions(gazetteer: Gazetteer, parts: readonly string[]) {
  const narrowing: Narrow[] = [];
  let rest = parts;
  for (let last = rest.at(-1); last !== undefined && rest.length > 1; last = rest.at(-1)) {
    const narrow = qualifier(gazetteer, last);
    if (narrow === undefined) break;
    narrowing.push(narrow);
    rest = rest.slice(0, -1);
  }
  return { narrowing, rest };
}

function citiesOfPart(gazetteer: Gazetteer, part: string): City[] {
  const exact = namedCities(gazetteer, fold(part));
  // "75001 Paris", "London SW1A 2AA".
  const bare = /\p{N}/u.test(part) ? withoutNumbers(part) : part;
  const found = exact.length > 0 || bare === part ? exact : namedCities(gazetteer, fold(bare));
  if (found.length > 0) return found;
  // "São Paulo - SP", "00186 Roma RM".
  const withoutCode = bare.trim().replace(/[\s\-–]+\p{Lu}{2,3}$/u, "");
  return withoutCode === bare.trim() ? [] : namedCities(gazetteer, fold(withoutCode));
}

/** The neighborhood, sight or airport in the city, else the city itself. */
function placeInCity(gazetteer: Gazetteer, part: string, city: City): Place {
  const folded = fold(part);
  const isNear = (place: { latitude: number; longitude: number }, distance: number) =>
    kilometers(place, city) <= distance;
  const sight = namedSights(gazetteer, part).find((one) => isNear(one, SIGHT_KILOMETERS));
  if (sight !== undefined) return sightPlace(sight);
  const station = gazetteer.stations.inCity(part, city);
  if (station !== undefined) return stationPlace(station);
  const near = namedCities(gazetteer, folded).filter(
    (one) => one.rank !== city.rank && isNear(one, NEIGHBORHOOD_KILOMETERS),
  );
  const inner = near.find((one) => one.isSection) ?? near[0];
  if (inner !== undefined) return cityPlace(inner);
  // "Honolulu" is the city, not its airport.
  const named = airportsByName(gazetteer, folded).filter(({ cityName }) => !fold(cityName).includes(folded));
  const airports = [...codePlaces(gazetteer, part), ...named.map(airportPlace)];
  const airport = airports.find((one) => isNear(one, AIRPORT_KILOMETERS));
  if (airport !== undefined) return airport;
  const place = cityPlace(city);
  // Two names of one city.
  if (namedCities(gazetteer, folded).some(({ rank }) => rank === city.rank)) return place;
  return { ...place, unknownPart: part };
}

function namedSights({ sights }: Gazetteer, text: string): readonly Sight[] {
  const folded = fold(text);
  return [...(sights.byName.get(folded) ?? []), ...(sights.byOtherName.get(folded) ?? [])];
}

/** "Lisbon Portugal", "Colosseum Rome". */
function placesWithoutComma(gazetteer: Gazetteer, text: string): Place[] {
  const city = /\p{N}/u.test(text) ? citiesOfPart(gazetteer, text) : [];
  if (city.length > 0) return city.map(cityPlace);
  const words = text.split(/\s+/).slice(0, MOST_WORDS);
  const behind = words.slice(words.findLastIndex((word) => /\p{N}/u.test(word)) + 1);
  // "12 Rue de Rivoli 75004 Paris": the text after the last number, if it is a big city.
  const [big] = behind.length < words.length ? namedCities(gazetteer, fold(behind.join(" "))) : [];
  if (big !== undefined && big.population >= BIG_CITY_POPULATION) {
    return [placeInCity(gazetteer, words.slice(0, -behind.length).join(" "), big)];
  }
  for (let length = 1; length < words.length; length += 1) {
    const [left, right] = [words.slice(0, length).join(" "), words.slice(length).join(" ")];
    const sights = namedSights(gazetteer, left);
    const city = sights.length === 0 ? undefined : namedCities(gazetteer, fold(right))[0];
    const meant = sights.filter((sight) => city !== undefined && kilometers(sight, city) <= SIGHT_KILOMETERS);
    if (meant.length > 0) return meant.map(sightPlace);
    const narrow = qualifier(gazetteer, right);
    if (narrow !== undefined) {
      const inRegion = sights.filter(narrow).map(sightPlace);
      const cities = namedCities(gazetteer, fold(left)).filter(narrow).map(cityPlace);
      if (inRegion.length + cities.length > 0) return [...inRegion, ...cities];
    }
  }
  return [];
}

/** Two tables may contain the same place: equal labels this near to each other are one. */
function distinct(places: readonly Place[]): Place[] {
  const seen = new Set<string>();
  return places.filter((place) => {
    const key = `${place.label}|${Math.round(place.latitude * 4)}|${Math.round(place.longitude * 4)}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** The spellings of a name without its abbreviations and filler words; empty if it has none. */
function writtenOut(text: string): string[] {
  let ways = [text];
  for (const [abbreviation, words] of ABBREVIATIONS) {
    ways = ways.flatMap((way) => [...new Set(words.map((word) => way.replace(abbreviation, word)))]);
  }
  return ways.filter((way) => way !== text).slice(0, MOST_WAYS);
}
