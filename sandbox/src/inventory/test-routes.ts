// Routes whose behaviour is fixed for integration tests, flown by an invented airline.
import { pickWhole } from "../hash.ts";
import { type AirportRecord, aircraftByCode, airlineByCode, airportByCode } from "../reference/data.ts";
import { distanceKm } from "./geography.ts";
import { type Flight, makeFlight } from "./schedule.ts";

export type TestRoute =
  | "no_offers"
  | "all_holdable"
  | "connecting"
  | "no_bags"
  | "timeout"
  | "technical_stop"
  | "insufficient_balance"
  | "price_change"
  | "credit_refund"
  | "documents";

const TEST_ROUTES: Readonly<Record<string, TestRoute>> = {
  "PVD-RAI": "no_offers",
  "JFK-EWR": "all_holdable",
  "LHR-DXB": "connecting",
  "BTS-MRU": "no_bags",
  "STN-LHR": "timeout",
  "DXB-AMS": "technical_stop",
  "LGW-STN": "insufficient_balance",
  "LHR-STN": "price_change",
  "LTN-SYD": "credit_refund",
  "LHR-DEL": "documents",
};
const DEPARTURES = [8 * 60 + 10, 12 * 60 + 45, 17 * 60 + 25] as const;
const STOPOVERS: Partial<Record<TestRoute, { code: string; minutes: number }>> = {
  connecting: { code: "IST", minutes: 120 },
  credit_refund: { code: "SIN", minutes: 135 },
  technical_stop: { code: "IST", minutes: 55 },
};

export function findTestRoute(origin: string, destination: string): TestRoute | undefined {
  return TEST_ROUTES[`${origin}-${destination}`];
}

function minutesInto(flight: Flight): number {
  return flight.arrivesLocal.hour * 60 + flight.arrivesLocal.minute;
}

/** Undefined where the route is an ordinary one. */
export function testRouteFlights(
  seed: string,
  from: AirportRecord,
  to: AirportRecord,
  date: Temporal.PlainDate,
): [Flight, ...Flight[]][] | undefined {
  const route = findTestRoute(from.iata, to.iata);
  const airline = airlineByCode.get("ZZ");
  const aircraft = aircraftByCode.get(distanceKm(from, to) > 4500 ? "789" : "320");
  if (route === undefined || airline === undefined || aircraft === undefined) return undefined;
  if (route === "no_offers") return [];
  const stopover = STOPOVERS[route];
  const via = stopover === undefined ? undefined : airportByCode.get(stopover.code);
  const base = pickWhole(100, 8000, seed, from.iata, to.iata);
  return DEPARTURES.map((minute, index) => {
    const first = { airline, aircraft, number: String(base + index * 2), from };
    if (stopover === undefined || via === undefined) return [makeFlight({ ...first, to }, date, minute)];
    if (route === "technical_stop") {
      return [makeFlight({ ...first, to }, date, minute, { airport: via, groundMinutes: stopover.minutes })];
    }
    const before = makeFlight({ ...first, to: via }, date, minute);
    const leaves = minutesInto(before) + stopover.minutes;
    const day = before.arrivesLocal.toPlainDate().add({ days: Math.floor(leaves / 1440) });
    return [
      before,
      makeFlight({ airline, aircraft, number: String(base + index * 2 + 1), from: via, to }, day, leaves % 1440),
    ];
  });
}
