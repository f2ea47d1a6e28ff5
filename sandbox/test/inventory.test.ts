// The computed inventory, as plain functions: times, connections, fares, determinism.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blockMinutes } from "../src/inventory/block-time.ts";
import {
  canConnect,
  findItineraries,
  LONGEST_LAYOVER_MINUTES,
  minimumConnectionMinutes,
} from "../src/inventory/itineraries.ts";
import { createNetwork } from "../src/inventory/network.ts";
import { makeFlight } from "../src/inventory/schedule.ts";
import { buildOffers, type Offer } from "../src/offers/build.ts";
import type { OfferRequest } from "../src/offers/request.ts";
import {
  type AirportRecord,
  aircraftByCode,
  airlineByCode,
  airlines,
  airportByCode,
  airports,
} from "../src/reference/data.ts";

const SEED = "wayfare";
const NOW_MS = Date.parse("2026-06-01T12:00:00Z");
const network = createNetwork(SEED);

function airport(code: string): AirportRecord {
  const found = airportByCode.get(code);
  if (found === undefined) throw new Error(`no airport ${code}`);
  return found;
}

function itineraries(origin: string, destination: string, date: string, maxConnections = 1) {
  return findItineraries(SEED, network, {
    origin,
    destination,
    date: Temporal.PlainDate.from(date),
    maxConnections,
    nowMs: NOW_MS,
  });
}

function request(
  changes: Partial<OfferRequest> & { origin?: string; destination?: string; date?: string },
): OfferRequest {
  const { origin = "LHR", destination = "JFK", date = "2026-07-01", ...rest } = changes;
  return {
    core: "A".repeat(16),
    createdAtMs: NOW_MS,
    cabinClass: "economy",
    maxConnections: 1,
    slices: [{ origin, destination, departureDate: date, departureTime: null, arrivalTime: null }],
    passengers: [
      { id: "pas_1", type: "adult", age: null, fareType: null, givenName: null, familyName: null, loyaltyAccounts: [] },
    ],
    privateFares: {},
    credits: [],
    ...rest,
  };
}

function cheapest(offers: readonly Offer[]): number {
  return Math.min(...offers.map((offer) => Number(offer.totalMicro) / 1e6));
}

function buildRequestedOffers(changes: Parameters<typeof request>[0]): readonly Offer[] {
  return buildOffers(SEED, network, request(changes));
}

describe("reference data", () => {
  test("airports: metropolitan areas, real time zones, no closed fields", () => {
    const codes = new Set(airports.map((entry) => entry.iata));
    expect(codes.size).toBe(airports.length);
    expect(airports.length).toBeGreaterThan(1000);
    for (const closed of ["TXL", "SXF", "ISL", "XOF", "JRA"]) expect(codes).not.toContain(closed);
    const metro = (code: string) => airports.filter((entry) => entry.cityCode === code).map((entry) => entry.iata);
    expect(metro("LON")).toEqual(["LCY", "LGW", "LHR", "LTN", "SEN", "STN"]);
    expect(metro("TYO")).toEqual(["HND", "NRT"]);
    expect(metro("PAR")).toEqual(expect.arrayContaining(["CDG", "ORY"]));
    expect(metro("NYC")).toEqual(expect.arrayContaining(["EWR", "JFK", "LGA"]));
    for (const entry of airports) {
      const offsetHours =
        Temporal.Instant.from("2026-01-15T00:00Z").toZonedDateTimeISO(entry.tz).offsetNanoseconds / 3.6e12;
      const apart = Math.abs(offsetHours - entry.lon / 15);
      // China keeps one time from Shanghai to Kashgar.
      expect(Math.min(apart, 24 - apart), entry.iata).toBeLessThan(3.2);
    }
  });

  test("airlines have hubs and aircraft that exist", () => {
    for (const airline of airlines) {
      for (const hub of airline.hubs) expect(airportByCode.has(hub), `${airline.iata} ${hub}`).toBe(true);
      for (const type of airline.fleet) expect(aircraftByCode.has(type), `${airline.iata} ${type}`).toBe(true);
    }
  });
});

test("block times are within 7 % of the known ones on average", () => {
  const lines = readFileSync(new URL("../fixtures/block-times.csv", import.meta.url), "utf8")
    .trim()
    .split("\n");
  const facts = lines.filter((line) => !line.startsWith("#") && !line.startsWith("origin"));
  const errors = facts.map((line) => {
    const [origin = "", destination = "", minutes = ""] = line.split(",");
    return Math.abs(blockMinutes(airport(origin), airport(destination)) - Number(minutes)) / Number(minutes);
  });
  expect(errors.length).toBe(41);
  expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(0.07);
});

describe("local times", () => {
  const airline = airlineByCode.get("ZZ");
  const aircraft = aircraftByCode.get("789");
  function fly(from: string, to: string, date: string, minuteOfDay: number) {
    if (airline === undefined || aircraft === undefined) throw new Error("the test airline is missing");
    return makeFlight(
      { airline, aircraft, number: "1", from: airport(from), to: airport(to) },
      Temporal.PlainDate.from(date),
      minuteOfDay,
    );
  }
  test("over the date line", () => {
    const west = fly("SFO", "NRT", "2026-12-15", 23 * 60 + 10);
    expect(west.arrivesLocal.toPlainDate().toString()).toBe("2026-12-17");
    const east = fly("NRT", "SFO", "2026-12-15", 17 * 60);
    expect(Temporal.PlainDateTime.compare(east.arrivesLocal, east.departsLocal)).toBeLessThan(0);
    expect((east.arrivesMs - east.departsMs) / 60_000).toBe(blockMinutes(airport("NRT"), airport("SFO")));
  });
  test("a time that the spring change skips moves forward with the clocks", () => {
    const flight = fly("JFK", "LHR", "2027-03-14", 2 * 60 + 30);
    expect(flight.departsLocal.toString()).toBe("2027-03-14T03:30:00");
  });
  test("a flight over the night of the change arrives an hour later by the clock", () => {
    const before = fly("JFK", "LHR", "2027-03-26", 20 * 60);
    const over = fly("JFK", "LHR", "2027-03-27", 20 * 60);
    const clock = (time: Temporal.PlainDateTime) => time.hour * 60 + time.minute;
    expect(clock(over.arrivesLocal) - clock(before.arrivesLocal)).toBe(60);
    expect(over.arrivesMs - over.departsMs).toBe(before.arrivesMs - before.departsMs);
  });
});

describe("itineraries", () => {
  const major = fc.constantFrom(
    ...airports.filter((entry) => entry.tier < 3 && network.listRoutes(entry).length > 0).map((entry) => entry.iata),
  );

  test("connections respect the minimum times, hubs and the longest layover, and flights the range of their aircraft", () => {
    let connections = 0;
    fc.assert(
      fc.property(major, major, fc.integer({ min: 2, max: 300 }), (origin, destination, days) => {
        fc.pre(origin !== destination);
        const date = Temporal.PlainDate.from("2026-06-01").add({ days }).toString();
        for (const { flights } of itineraries(origin, destination, date, 2)) {
          expect(flights[0].from.iata).toBe(origin);
          expect(flights.at(-1)?.to.iata).toBe(destination);
          expect(flights[0].departsLocal.toPlainDate().toString()).toBe(date);
          for (const [index, flight] of flights.entries()) {
            if (flight.airline.iata === "ZZ") continue;
            expect(flight.distanceKm).toBeLessThanOrEqual(flight.aircraft.rangeKm);
            expect(flight.airline.hubs.includes(flight.from.iata) || flight.airline.hubs.includes(flight.to.iata)).toBe(
              true,
            );
            const next = flights[index + 1];
            if (next === undefined) continue;
            connections += 1;
            const layover = (next.departsMs - flight.arrivesMs) / 60_000;
            const domestic = [flight, next].map((leg) => leg.from.country === leg.to.country);
            const least = domestic.every(Boolean) ? 60 : domestic.some(Boolean) ? 90 : 75;
            expect(next.from).toBe(flight.to);
            expect(layover).toBeGreaterThanOrEqual(least);
            expect(layover).toBeLessThanOrEqual(300);
          }
        }
      }),
      { numRuns: 150, seed: 7 },
    );
    expect(connections).toBeGreaterThan(300);
    expect(LONGEST_LAYOVER_MINUTES).toBe(300);
  });

  test("the rule itself refuses a minute too little and a minute too much", () => {
    const [first] = itineraries("LHR", "JFK", "2026-07-01", 0);
    const flight = first?.flights[0];
    if (flight === undefined) throw new Error("no nonstop flight");
    const after = (minutes: number) => ({ ...flight, from: flight.to, departsMs: flight.arrivesMs + minutes * 60_000 });
    const least = minimumConnectionMinutes(flight, after(0));
    expect(least).toBe(90);
    expect([least - 1, least, 300, 301].map((minutes) => canConnect(flight, after(minutes)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  test("max_connections is kept, and metropolitan codes search their airports", () => {
    expect(itineraries("LHR", "SYD", "2026-07-01", 0)).toEqual([]);
    const all = itineraries("LON", "NYC", "2026-07-01", 1);
    const from = new Set(all.map(({ flights }) => flights[0].from.iata));
    expect([...from].sort()).toEqual(["LCY", "LGW", "LHR", "LTN", "SEN", "STN"]);
    expect(all.every(({ flights }) => flights.length <= 2)).toBe(true);
  });

  test("nothing leaves in the past", () => {
    const [first, ...others] = itineraries("LHR", "CDG", "2026-06-01").map(({ flights }) => flights[0].departsMs);
    expect(others.length).toBeGreaterThan(3);
    expect(Math.min(first ?? 0, ...others)).toBeGreaterThan(NOW_MS);
  });
});

describe("offers", () => {
  test("the same request has the same offers, another seed other ones", () => {
    const first = buildRequestedOffers({});
    const again = buildOffers(SEED, createNetwork(SEED), request({}));
    const flat = (offers: readonly Offer[]) =>
      offers.map((offer) => `${offer.id} ${offer.totalMicro} ${offer.slices[0]?.flights[0].number}`);
    expect(flat(again)).toEqual(flat(first));
    expect(flat(buildOffers("other", createNetwork("other"), request({})))).not.toEqual(flat(first));
  });

  test("a busy route has 8 to 40 offers and the price level that one knows", () => {
    for (const [origin, destination] of [
      ["LHR", "JFK"],
      ["LHR", "CDG"],
      ["SFO", "NRT"],
      ["JFK", "LAX"],
      ["SIN", "SYD"],
    ] as const) {
      const count = buildRequestedOffers({ origin, destination }).length;
      expect(count, `${origin}-${destination}`).toBeGreaterThanOrEqual(8);
      expect(count).toBeLessThanOrEqual(40);
    }
    const nonstop = buildRequestedOffers({ maxConnections: 0, date: "2026-10-01" });
    expect(cheapest(nonstop)).toBeGreaterThan(260);
    expect(cheapest(nonstop)).toBeLessThan(470);
  });

  test("a metropolitan area has the cheapest of each of its airports, and nothing dearer than they have", () => {
    const fromEach = ["LCY", "LGW", "LHR", "LTN", "SEN", "STN"].map((origin) => {
      const least = cheapest(buildRequestedOffers({ origin, destination: "AMS" }));
      const inLondon = buildRequestedOffers({ origin: "LON", destination: "AMS" }).filter(
        ({ slices }) => slices[0]?.flights[0].from.iata === origin,
      );
      expect(cheapest(inLondon), origin).toBe(least);
      return least;
    });
    expect(cheapest(buildRequestedOffers({ origin: "LON", destination: "AMS" }))).toBe(Math.min(...fromEach));
    const there = { origin: "LON", destination: "AMS", departureDate: "2026-07-01", departureTime: null };
    const back = { origin: "AMS", destination: "LON", departureDate: "2026-07-08", departureTime: null };
    const returns = buildRequestedOffers({ slices: [there, back].map((slice) => ({ ...slice, arrivalTime: null })) });
    for (const airportCode of ["LGW", "STN"]) {
      const [out, home] = [
        { ...there, origin: airportCode },
        { ...back, destination: airportCode },
      ];
      const own = buildRequestedOffers({ slices: [out, home].map((slice) => ({ ...slice, arrivalTime: null })) });
      expect(cheapest(returns), airportCode).toBeLessThanOrEqual(cheapest(own));
    }
  });

  test("fares move with distance, advance purchase, season and cabin", () => {
    expect(cheapest(buildRequestedOffers({ destination: "CDG" }))).toBeLessThan(cheapest(buildRequestedOffers({})));
    expect(cheapest(buildRequestedOffers({ date: "2026-06-03" }))).toBeGreaterThan(
      1.3 * cheapest(buildRequestedOffers({ date: "2026-07-08" })),
    );
    expect(cheapest(buildRequestedOffers({ date: "2026-07-22" }))).toBeGreaterThan(
      cheapest(buildRequestedOffers({ date: "2026-11-11" })),
    );
    expect(cheapest(buildRequestedOffers({ cabinClass: "business" }))).toBeGreaterThan(
      2.5 * cheapest(buildRequestedOffers({})),
    );
  });

  test("infants pay 10 %, children 75 % of the adult fare", () => {
    const of = (type: "adult" | "child" | "infant_without_seat", age: number | null) => ({
      id: "p",
      type,
      age,
      fareType: null,
      givenName: null,
      familyName: null,
      loyaltyAccounts: [],
    });
    const total = (...passengers: OfferRequest["passengers"]) =>
      Number(buildRequestedOffers({ passengers })[0]?.totalMicro);
    const adult = total(of("adult", null));
    expect(total(of("adult", null), of("child", 8)) / adult).toBeCloseTo(1.75, 3);
    expect(total(of("adult", null), of("infant_without_seat", 1)) / adult).toBeCloseTo(1.1, 3);
  });

  test("return trips are flown by one airline or its partners and cost about both ways", () => {
    const slices = [
      { origin: "LHR", destination: "JFK", departureDate: "2026-07-01", departureTime: null, arrivalTime: null },
      { origin: "JFK", destination: "LHR", departureDate: "2026-07-08", departureTime: null, arrivalTime: null },
    ];
    const offers = buildRequestedOffers({ slices });
    expect(offers.length).toBeGreaterThanOrEqual(8);
    for (const offer of offers) {
      expect(offer.slices.length).toBe(2);
      expect(offer.slices[1]?.flights[0].from.iata).toBe("JFK");
    }
    expect(cheapest(offers)).toBeGreaterThan(1.5 * cheapest(buildRequestedOffers({})));
  });
});
