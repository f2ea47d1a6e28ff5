// The timetable of one airline between two airports on one local date.
import { chance, pickWhole } from "../hash.ts";
import { type AircraftRecord, type AirlineRecord, type AirportRecord, aircraftByCode } from "../reference/data.ts";
import { blockMinutes, JET_KM_PER_HOUR, TURBOPROP_KM_PER_HOUR } from "./block-time.ts";
import { distanceKm } from "./geography.ts";

export type Flight = {
  readonly airline: AirlineRecord;
  readonly number: string;
  readonly from: AirportRecord;
  readonly to: AirportRecord;
  readonly departsMs: number;
  readonly arrivesMs: number;
  /** Local times at each end, without offset. */
  readonly departsLocal: Temporal.PlainDateTime;
  readonly arrivesLocal: Temporal.PlainDateTime;
  readonly aircraft: AircraftRecord;
  readonly distanceKm: number;
  /** A technical stop on the way, under one flight number. */
  readonly stop?: { readonly airport: AirportRecord; readonly groundMinutes: number };
};

const LONG_HAUL_KM = 4500;
const MEDIUM_KM = 1500;
const USABLE_RANGE = 0.93;
const TURBOPROPS = new Set(["AT7", "DH4"]);
const TURBOPROP_REACH_KM = 900;

function chooseAircraft(seed: string, airline: AirlineRecord, from: AirportRecord, to: AirportRecord, slot: number) {
  const distance = distanceKm(from, to);
  const able = airline.fleet
    .map((code) => aircraftByCode.get(code))
    .filter((type) => type !== undefined)
    .filter((type) => type.rangeKm * USABLE_RANGE >= distance)
    .filter((type) => !TURBOPROPS.has(type.iata) || distance < TURBOPROP_REACH_KM);
  const small = Math.max(from.tier, to.tier) === 3;
  const wanted = able.filter((type) => {
    if (distance >= LONG_HAUL_KM) return type.body === "wide";
    if (small) return type.body === "regional" || TURBOPROPS.has(type.iata) || type.seats < 150;
    return type.body === "narrow";
  });
  const pool = wanted.length > 0 ? wanted : able;
  return pool[pickWhole(0, Math.max(0, pool.length - 1), seed, "aircraft", airline.iata, from.iata, to.iata, slot)];
}

function dailyFlights(
  seed: string,
  airline: AirlineRecord,
  from: AirportRecord,
  to: AirportRecord,
  distance: number,
): number {
  const tier = Math.max(from.tier, to.tier);
  const [least, most] =
    distance < MEDIUM_KM
      ? ([
          [4, 7],
          [2, 4],
          [1, 2],
        ][tier - 1] ?? [1, 2])
      : distance < LONG_HAUL_KM
        ? ([
            [3, 5],
            [1, 3],
            [1, 1],
          ][tier - 1] ?? [1, 1])
        : ([
            [1, 3],
            [1, 1],
            [1, 1],
          ][tier - 1] ?? [1, 1]);
  // The same both ways, so that the aircraft come home.
  const pair = [from.iata, to.iata].sort().join("-");
  return pickWhole(least ?? 1, most ?? 1, seed, "frequency", airline.iata, pair);
}

/** Local minute of day at which a slot leaves: spread over the day, and on long flights so that people arrive awake. */
function departureMinute(
  seed: string,
  key: string,
  slot: number,
  slots: number,
  block: number,
  hoursEast: number,
): number {
  const random = chance(seed, "minute", key, slot);
  if (block < 330) {
    const width = (16.5 * 60) / slots;
    return Math.round((345 + width * (slot + 0.15 + random * 0.7)) / 5) * 5;
  }
  const humane: number[] = [];
  for (let minute = 360; minute <= 1430; minute += 5) {
    const arrival = (((minute + block + hoursEast * 60) % 1440) + 1440) % 1440;
    if (arrival >= 330 && arrival <= 1410) humane.push(minute);
  }
  return humane[Math.floor(((slot + random) / slots) * humane.length)] ?? 600;
}

function flightNumber(
  seed: string,
  airline: AirlineRecord,
  from: AirportRecord,
  to: AirportRecord,
  slot: number,
  long: boolean,
): string {
  const pair = [from.iata, to.iata].sort().join("-");
  const outbound = from.iata < to.iata ? 0 : 1;
  const [lowest, span] = airline.kind === "network" ? (long ? [2, 180] : [400, 1200]) : [1000, 3500];
  const start = lowest + 2 * Math.floor(chance(seed, "number", airline.iata, pair) * span);
  return String(start + 2 * slot + outbound);
}

export function makeFlight(
  flight: Pick<Flight, "airline" | "number" | "from" | "to" | "aircraft">,
  date: Temporal.PlainDate,
  minuteOfDay: number,
  stop?: { airport: AirportRecord; groundMinutes: number },
): Flight {
  const cruise = TURBOPROPS.has(flight.aircraft.iata) ? TURBOPROP_KM_PER_HOUR : JET_KM_PER_HOUR;
  const minutes =
    stop === undefined
      ? blockMinutes(flight.from, flight.to, cruise)
      : blockMinutes(flight.from, stop.airport, cruise) +
        stop.groundMinutes +
        blockMinutes(stop.airport, flight.to, cruise);
  // A time that a clock change skips moves forward with the clocks, so the local time is read back from the instant.
  const wanted = date.toPlainDateTime({ hour: Math.floor(minuteOfDay / 60) % 24, minute: minuteOfDay % 60 });
  const departs = wanted.toZonedDateTime(flight.from.tz, { disambiguation: "compatible" });
  const arrives = departs.add({ minutes }).withTimeZone(flight.to.tz);
  return {
    ...flight,
    departsMs: departs.epochMilliseconds,
    arrivesMs: arrives.epochMilliseconds,
    departsLocal: departs.toPlainDateTime(),
    arrivesLocal: arrives.toPlainDateTime(),
    distanceKm: distanceKm(flight.from, flight.to),
    ...(stop === undefined ? {} : { stop }),
  };
}

type Slot = {
  readonly number: string;
  readonly aircraft: AircraftRecord;
  readonly minute: number;
  readonly daysOff: ReadonlySet<number>;
};

function planSlots(seed: string, airline: AirlineRecord, from: AirportRecord, to: AirportRecord): readonly Slot[] {
  const distance = distanceKm(from, to);
  const slots = dailyFlights(seed, airline, from, to, distance);
  const hoursEast = Math.round((to.lon - from.lon) / 15);
  const key = `${airline.iata}-${from.iata}-${to.iata}`;
  const planned: Slot[] = [];
  for (let slot = 0; slot < slots; slot += 1) {
    const aircraft = chooseAircraft(seed, airline, from, to, slot);
    if (aircraft === undefined) continue;
    // Thin routes have days off.
    const daysOff = [1, 2, 3, 4, 5, 6, 7].filter((day) => slots === 1 && chance(seed, "weekday", key, day) > 0.9);
    const minute = departureMinute(seed, key, slot, slots, blockMinutes(from, to), hoursEast);
    const number = flightNumber(seed, airline, from, to, slot, distance >= LONG_HAUL_KM);
    planned.push({ number, aircraft, minute: Math.min(minute, 1435), daysOff: new Set(daysOff) });
  }
  return planned;
}

const REMEMBERED_ROUTES = 20_000;
const rememberedSlots = new Map<string, readonly Slot[]>();

/** The timetable of a route is the same every week, so it is worked out once. */
function listSlots(seed: string, airline: AirlineRecord, from: AirportRecord, to: AirportRecord): readonly Slot[] {
  const key = `${seed}|${airline.iata}|${from.iata}|${to.iata}`;
  const known = rememberedSlots.get(key);
  if (known !== undefined) return known;
  if (rememberedSlots.size >= REMEMBERED_ROUTES) rememberedSlots.clear();
  const planned = planSlots(seed, airline, from, to);
  rememberedSlots.set(key, planned);
  return planned;
}

/** Flights of one airline that leave on a local date, in order of departure. */
export function flightsOn(
  seed: string,
  airline: AirlineRecord,
  from: AirportRecord,
  to: AirportRecord,
  date: Temporal.PlainDate,
): readonly Flight[] {
  return listSlots(seed, airline, from, to)
    .filter((slot) => !slot.daysOff.has(date.dayOfWeek))
    .map(({ number, aircraft, minute }) => makeFlight({ airline, number, from, to, aircraft }, date, minute))
    .sort((a, b) => a.departsMs - b.departsMs);
}
