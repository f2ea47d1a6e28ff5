import { type AircraftRecord, type AirlineRecord, type AirportRecord, airportByCode, airportsByCity } from "./data.ts";

const countryNames = new Intl.DisplayNames(["en"], { type: "region", fallback: "code" });

export function airportId(airport: AirportRecord): string {
  return `arp_${airport.iata.toLowerCase()}_${airport.country.toLowerCase()}`;
}

function cityId(airport: AirportRecord): string {
  return `cit_${airport.cityCode.toLowerCase()}_${airport.country.toLowerCase()}`;
}

/** Areas that are named apart from any one airport in them, or hold several. */
export function isMetropolitan(code: string): boolean {
  const members = airportsByCity.get(code) ?? [];
  return members.length > 1 || (members.length === 1 && !airportByCode.has(code));
}

function renderCity(code: string) {
  const members = airportsByCity.get(code) ?? [];
  const [first] = members;
  if (first === undefined || !isMetropolitan(code)) return null;
  return { id: cityId(first), type: "city", name: first.city, iata_code: code, iata_country_code: first.country };
}

export function renderAirport(airport: AirportRecord) {
  return {
    id: airportId(airport),
    type: "airport",
    name: airport.name,
    iata_code: airport.iata,
    iata_city_code: airport.cityCode,
    iata_country_code: airport.country,
    icao_code: airport.icao,
    latitude: airport.lat,
    longitude: airport.lon,
    time_zone: airport.tz,
    city_name: airport.city,
    city: renderCity(airport.cityCode),
  };
}

/** A place of `/places/suggestions`: an airport as above with its country, and its city when it has one. */
export function renderAirportPlace(airport: AirportRecord) {
  return {
    ...renderAirport(airport),
    country_name: countryNames.of(airport.country) ?? airport.country,
    airports: null,
  };
}

export function renderCityPlace(code: string) {
  const members = airportsByCity.get(code) ?? [];
  const [first] = members;
  const city = renderCity(code);
  if (first === undefined || city === null) return null;
  return {
    ...city,
    iata_city_code: code,
    icao_code: null,
    latitude: null,
    longitude: null,
    time_zone: first.tz,
    city_name: first.city,
    country_name: countryNames.of(first.country) ?? first.country,
    city: null,
    airports: members.map(renderAirport),
  };
}

export function renderAirline(airline: AirlineRecord) {
  return {
    id: `arl_0000${airline.icao}${airline.iata}`,
    name: airline.name,
    iata_code: airline.iata,
    logo_symbol_url: null,
    logo_lockup_url: null,
    conditions_of_carriage_url: null,
  };
}

export function renderProgramme(airline: AirlineRecord) {
  return {
    id: `loy_0000${airline.icao}${airline.iata}`,
    name: airline.programme,
    alliance: airline.alliance,
    logo_url: null,
    owner_airline_id: renderAirline(airline).id,
  };
}

export function renderAircraft(type: AircraftRecord) {
  return { id: `arc_0000${type.iata}`, name: type.name, iata_code: type.iata };
}
