import { readFileSync } from "node:fs";
import { z } from "zod";

const AirportRecord = z.object({
  iata: z.string(),
  icao: z.string(),
  name: z.string(),
  city: z.string(),
  cityCode: z.string(),
  country: z.string(),
  lat: z.number(),
  lon: z.number(),
  tz: z.string(),
  /** 1 major, 2 large, 3 other */
  tier: z.number(),
});
export type AirportRecord = z.infer<typeof AirportRecord>;

export const CabinClass = z.enum(["economy", "premium_economy", "business", "first"]);
export type CabinClass = z.infer<typeof CabinClass>;

const AircraftRecord = z.object({
  iata: z.string(),
  name: z.string(),
  rangeKm: z.number(),
  seats: z.number(),
  body: z.enum(["regional", "narrow", "wide"]),
  cabins: z.array(CabinClass),
});
export type AircraftRecord = z.infer<typeof AircraftRecord>;

const AirlineRecord = z.object({
  iata: z.string(),
  icao: z.string(),
  name: z.string(),
  country: z.string(),
  alliance: z.string().nullable(),
  kind: z.enum(["network", "low_cost", "regional"]),
  programme: z.string().nullable(),
  hubs: z.array(z.string()),
  fleet: z.array(z.string()),
});
export type AirlineRecord = z.infer<typeof AirlineRecord>;

const CityRecord = z.object({
  name: z.string(),
  country: z.string(),
  lat: z.number(),
  lon: z.number(),
  population: z.number(),
});
export type CityRecord = z.infer<typeof CityRecord>;

function readData(file: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../data/${file}`, import.meta.url), "utf8"));
}

/** The date of the source of `airports.json`; the service's list of data sets names the same one. */
export const AIRPORTS_DATE = "2025-10-05";
export const airports = z.array(AirportRecord).parse(readData("airports.json"));
export const aircraft = z.array(AircraftRecord).parse(readData("aircraft.json"));
export const airlines = z.array(AirlineRecord).parse(readData("airlines.json"));
export const cities = z.array(CityRecord).parse(readData("cities.json"));

export const airportByCode = new Map(airports.map((airport) => [airport.iata, airport]));
export const aircraftByCode = new Map(aircraft.map((type) => [type.iata, type]));
export const airlineByCode = new Map(airlines.map((airline) => [airline.iata, airline]));

/** Airports of each metropolitan code (LON, NYC, ...); a code of one airport only is its own. */
export const airportsByCity = new Map<string, AirportRecord[]>();
for (const airport of airports) {
  airportsByCity.set(airport.cityCode, [...(airportsByCity.get(airport.cityCode) ?? []), airport]);
}

/** The airports that a traveller may mean by a code; the metropolitan area wins where it is also an airport's code. */
export function findAirports(code: string): readonly AirportRecord[] {
  const metro = airportsByCity.get(code);
  const single = airportByCode.get(code);
  // "MIA" is Miami's airport, not its area: only areas named apart from their airports are searched whole.
  if (single !== undefined) return [single];
  return metro ?? [];
}
