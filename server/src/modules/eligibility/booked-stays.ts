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
 * Where booked flights take a traveler, and for how long: each stay begins with an arrival and ends with the next departure, from
 * wherever that is. After the last flight nobody knows how long it lasts, so that it is left out.
 */
export function staysOf(slices: readonly BookedSlice[], maps: Pick<Maps, "airport">): CountryStay[] {
  const flights = slices
    .flatMap((slice) => toFlight(slice, maps))
    .toSorted((one, other) => (one.departsAt < other.departsAt ? -1 : 1));
  return flights.flatMap(({ arrivesAt, destination }, index) => {
    const next = flights[index + 1];
    if (next === undefined) return [];
    const [from, to] = [dayOf(arrivesAt), dayOf(next.departsAt)];
    return Temporal.PlainDate.compare(from, to) > 0 ? [] : [{ countryIso3: destination, from, to }];
  });
}

function toFlight({ segments }: BookedSlice, maps: Pick<Maps, "airport">): Flight[] {
  const [first, last] = [segments[0], segments.at(-1)];
  if (first === undefined || last === undefined) return [];
  const destination = countryOf(last.destination, maps);
  return destination === undefined ? [] : [{ departsAt: first.departingAt, arrivesAt: last.arrivingAt, destination }];
}

/** ISO 3166-1 alpha-3 of the country of an airport. */
export function countryOf(airport: string, maps: Pick<Maps, "airport">): string | undefined {
  const code = maps.airport(airport)?.countryCode;
  return code === undefined ? undefined : toCountryAlpha3(code);
}

const dayOf = (localTime: string): Temporal.PlainDate => Temporal.PlainDateTime.from(localTime).toPlainDate();
