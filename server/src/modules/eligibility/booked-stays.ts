import { toCountryAlpha3 } from "../../domain/countries.ts";
import type { Maps } from "../../ports/maps.ts";
import type { BookedSlice } from "../../ports/supplier/flights.ts";
import type { CountryStay } from "./eligibility-rules.ts";

interface Flight {
  departsAt: string;
  arrivesAt: string;
  /** ISO 3166-1 alpha-3. */
  destination: string;
}

/**
 * The stays of a traveler by booked flights: each begins with an arrival and ends with the next departure, from any
 * airport. The stay after the last flight is left out, as its length is unknown.
 */
export function listStays(slices: readonly BookedSlice[], maps: Pick<Maps, "airport">): CountryStay[] {
  const flights = slices
    .flatMap((slice) => toFlight(slice, maps))
    .toSorted((one, other) => (one.departsAt < other.departsAt ? -1 : 1));
  return flights.flatMap(({ arrivesAt, destination }, index) => {
    const next = flights[index + 1];
    if (next === undefined) return [];
    const [from, to] = [toDay(arrivesAt), toDay(next.departsAt)];
    return Temporal.PlainDate.compare(from, to) > 0 ? [] : [{ countryIso3: destination, from, to }];
  });
}

function toFlight({ segments }: BookedSlice, maps: Pick<Maps, "airport">): Flight[] {
  const [first, last] = [segments[0], segments.at(-1)];
  if (first === undefined || last === undefined) return [];
  const destination = findCountry(last.destination, maps);
  return destination === undefined ? [] : [{ departsAt: first.departingAt, arrivesAt: last.arrivingAt, destination }];
}

/** ISO 3166-1 alpha-3 of the country of an airport. */
export function findCountry(airport: string, maps: Pick<Maps, "airport">): string | undefined {
  const code = maps.airport(airport)?.countryCode;
  return code === undefined ? undefined : toCountryAlpha3(code);
}

const toDay = (localTime: string): Temporal.PlainDate => Temporal.PlainDateTime.from(localTime).toPlainDate();
