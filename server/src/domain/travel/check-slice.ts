import type { Issue } from "../errors.ts";
import { isCalendarDate } from "../schemas.ts";
import type { Airports } from "./airports.ts";
import { isBefore, todayAt } from "./dates.ts";

const CODE = /^[A-Za-z]{3}$/;
const MOST_AIRPORTS = 5;

interface KnownPlaces extends Airports {
  /** The code of the city that an airport serves. */
  metroCode(code: string): string;
  /** The biggest first. */
  airportsOfCity(name: string): readonly { iataCode: string; metroCode: string; cityName: string }[];
  airportsNamed(name: string): readonly { iataCode: string; name: string }[];
}

interface GivenSlice {
  origin: unknown;
  destination: unknown;
  date: unknown;
}

/** The names of the arguments, for issues. */
interface SlicePaths {
  origin: string;
  destination: string;
  date: string;
}

/** Issues with the places and the day of a flight, naming the codes and today's date. */
export function checkSlice(
  { origin, destination, date }: GivenSlice,
  paths: SlicePaths,
  { maps, clock }: { maps: KnownPlaces; clock: { now(): Temporal.Instant } },
): Issue[] {
  const issues = [...checkPlace(origin, paths.origin, maps), ...checkPlace(destination, paths.destination, maps)];
  const [from, to] = [parseCode(origin), parseCode(destination)];
  if (from !== undefined && to !== undefined && maps.metroCode(from) === maps.metroCode(to)) {
    issues.push({ path: paths.destination, message: "must differ from the origin" });
  }
  if (typeof date === "string" && isCalendarDate(date)) {
    const today = todayAt(from === undefined ? undefined : maps.airport(from)?.timeZone, clock);
    if (isBefore(date, today)) {
      const where = from === undefined ? "" : ` in ${from}`;
      issues.push({ path: paths.date, message: `must not be before today, ${today.toString()}${where}` });
    }
  }
  return issues;
}

const parseCode = (given: unknown): string | undefined =>
  typeof given === "string" && CODE.test(given) ? given.toUpperCase() : undefined;

function checkPlace(given: unknown, path: string, maps: KnownPlaces): Issue[] {
  if (typeof given !== "string" || CODE.test(given)) return [];
  const airports = maps.airportsOfCity(given);
  const [biggest] = airports;
  if (biggest === undefined) {
    const [named] = maps.airportsNamed(given);
    if (named !== undefined) {
      return [{ path, message: `must be an IATA code: ${named.name} is ${named.iataCode}` }];
    }
    const message =
      "must be the three-letter IATA code of an airport or a city, such as LHR or LON; find_airports_nearby finds codes";
    return [{ path, message }];
  }
  const codes = airports.slice(0, MOST_AIRPORTS).map(({ iataCode }) => iataCode);
  const others = codes.length === 1 && codes[0] === biggest.metroCode ? "" : ` (airports ${codes.join(", ")})`;
  return [{ path, message: `must be an IATA code: ${biggest.cityName} is ${biggest.metroCode}${others}` }];
}
