import { describe, expect, it } from "vitest";
import { createEmbeddedPlaces } from "../../adapters/embedded-places/index.ts";
import type { FlightLeg, FlightPurchase, StayPurchase } from "../../domain/travel/purchase.ts";
import { findContradictions } from "./contradictions.ts";
import { PolicyDocument } from "./document.ts";
import { compilePolicy, evaluate } from "./evaluate.ts";
import type { Booker, Subject } from "./facts.ts";

/** Tests rules on whole offers; check_policy, which sees only few facts, is tested through the front door in another test. */

const NOW = "2027-03-01T12:00:00Z";
const { airport } = createEmbeddedPlaces();

const leg: FlightLeg = {
  origin: "LHR",
  destination: "JFK",
  departsAt: Temporal.PlainDateTime.from("2027-04-10T11:00"),
  arrivesAt: Temporal.PlainDateTime.from("2027-04-10T14:00"),
  durationMinutes: 480,
  stops: 0,
  flights: ["BA117"],
  cabin: "economy",
};
const back: FlightLeg = {
  ...leg,
  origin: "JFK",
  destination: "LHR",
  departsAt: Temporal.PlainDateTime.from("2027-04-15T21:00"),
  arrivesAt: Temporal.PlainDateTime.from("2027-04-16T09:00"),
};
const flight: FlightPurchase = {
  kind: "flight",
  price: 800_000_000n,
  travelerIds: ["user_ada"],
  refundable: true,
  carriers: ["BA"],
  changeable: true,
  fareBrands: ["Standard"],
  emissionsKgPerPassenger: 400,
  legs: [leg, back],
  comparables: undefined,
};
const stay: StayPurchase = {
  kind: "stay",
  name: "Example Hotel",
  price: 900_000_000n,
  travelerIds: ["user_ada"],
  refundable: true,
  suppliers: ["acc_1", "chain_1"],
  rooms: 1,
  checkInDate: Temporal.PlainDate.from("2027-04-10"),
  checkOutDate: Temporal.PlainDate.from("2027-04-13"),
  place: { latitude: 40.754, longitude: -73.984 },
  country: "US",
  timeZone: "America/New_York",
  stars: 4,
};
const booker: Booker = { userId: "user_ada", travelerId: "user_ada" };

interface Asked {
  now?: string;
  booker?: Booker | undefined;
}

function judge(document: unknown, subject: Subject, { now = NOW, booker: who = booker }: Asked = {}) {
  const parsed = PolicyDocument.parse(document);
  expect(findContradictions(parsed)).toEqual([]);
  return evaluate(compilePolicy(parsed), subject, { now: Temporal.Instant.from(now), booker: who, airport });
}

const onFlight = (document: unknown, change: Partial<FlightPurchase> = {}, asked?: Asked) =>
  judge(document, { bought: { ...flight, ...change } }, asked);
const onStay = (document: unknown, change: Partial<StayPurchase> = {}, asked?: Asked) =>
  judge(document, { bought: { ...stay, ...change } }, asked);
const onPayment = (document: unknown) => judge(document, { payment: { amount: 800_000_000n, recipient: undefined } });
const kept = { decision: "allow", violations: [], notEvaluated: [], notShown: 0 };
const dollars = (amount: number) => BigInt(Math.round(amount * 1e6));

describe("a price limit", () => {
  const maxPrice = {
    default: 2_000,
    byDuration: [
      { maxHours: 3, amount: 450 },
      { maxHours: 8, amount: 800 },
    ],
  };

  it("is kept at its bound and broken by a micro-unit more, in each step of the duration", () => {
    for (const [minutes, amount] of [
      [180, 450],
      [181, 800],
      [480, 800],
      [481, 2_000],
    ] as const) {
      const legs = [{ ...leg, durationMinutes: minutes }];
      expect(onFlight({ flight: { maxPrice } }, { legs, price: dollars(amount) })).toEqual(kept);
      const over = onFlight({ flight: { maxPrice } }, { legs, price: dollars(amount) + 1n });
      expect(over).toMatchObject({
        decision: "require_approval",
        violations: [{ rule: "flight.maxPrice", limit: `${amount}.00`, actual: `${amount}.000001`, unit: "USD" }],
      });
    }
  });

  it.each([
    [0, 0n],
    [0.000001, 1n],
    [1_000_000_000, 1_000_000_000_000_000n],
  ])("of %d is exact", (limit, micro) => {
    const document = { flight: { maxPrice: { default: limit } } };
    expect(onFlight(document, { price: micro })).toEqual(kept);
    expect(onFlight(document, { price: micro + 1n })).toMatchObject({ decision: "require_approval" });
  });

  it("is stated in dollars, with the excess", () => {
    const limit = { default: 799.5 };
    const own = { rules: [{ id: "dear", when: { kind: "flight", priceUsdOver: 799.5 } }] };
    const said = [
      ...[onFlight({ flight: { maxPrice: limit } }), onStay({ hotel: { maxNightly: { default: 299.5 } } })],
      ...[onPayment({ payments: { maxAmountUsd: 799.5 } }), onFlight(own)],
      onFlight({ flight: { fare: { requireRefundableAbove: 799.5 } } }, { refundable: false }),
    ].flatMap(({ violations }) => violations.map(({ text }) => text));
    expect(said).toEqual([
      "The flight costs 800.00 USD, over the limit of 799.50 USD by 0.50 USD.",
      "A night costs 300.00 USD, over the limit of 299.50 USD by 0.50 USD.",
      "The payment is 800.00 USD, over the limit of 799.50 USD by 0.50 USD.",
      "A rule of the policy applies: the price in USD is 800.00 (limit: 799.50).",
      "It is not refundable, which is required above 799.50 USD.",
    ]);
  });

  it("against comparable offers counts those of the same cabin that depart in the window", () => {
    const dynamic = { basis: "lowest_logical", plusPercent: 20, plusUsd: 10, windowHours: 4 };
    const departures = [leg, back].flatMap(({ departsAt }) => departsAt ?? []);
    const at = (price: number, hours = 0, cabin: "economy" | "business" = "economy") => ({
      price: dollars(price),
      departures: departures.map((one) => one.add({ hours })),
      cabin,
    });
    // 500 is too early and 400 another cabin: the cheapest comparable offer is 600, and the limit 730.
    const comparables = [at(800), at(600, 4), at(700), at(500, -5), at(400, 0, "business")];
    const document = { flight: { maxPrice: { dynamic } } };
    expect(onFlight(document, { comparables, price: dollars(730) })).toEqual(kept);
    expect(onFlight(document, { comparables, price: dollars(730) + 1n })).toMatchObject({
      violations: [{ rule: "flight.maxPrice.dynamic", limit: "730.00" }],
    });
    const median = { flight: { maxPrice: { dynamic: { ...dynamic, basis: "median" } } } };
    expect(onFlight(median, { comparables, price: dollars(850) })).toEqual(kept);
    expect(onFlight(median, { comparables, price: dollars(850) + 1n })).toMatchObject({ decision: "require_approval" });
    expect(onFlight(document)).toMatchObject({ notEvaluated: [{ missing: ["comparableOffers"] }] });
  });

  it("per night counts calendar nights, rooms, and the city", () => {
    const document = { hotel: { maxNightly: { default: 220, byCity: { NYC: 300 } } } };
    expect(onStay(document)).toEqual(kept);
    expect(onStay(document, { price: dollars(900) + 1n })).toMatchObject({
      violations: [{ rule: "hotel.maxNightly", limit: "300.00", actual: "300.000001" }],
    });
    expect(onStay(document, { rooms: 2, price: dollars(1_800) })).toEqual(kept);
    expect(onStay(document, { place: { latitude: 48.86, longitude: 2.35 } })).toMatchObject({
      violations: [{ limit: "220.00", actual: "300.00" }],
    });
    // The night in which clocks go forward counts like any other.
    const change = {
      checkInDate: Temporal.PlainDate.from("2027-03-13"),
      checkOutDate: Temporal.PlainDate.from("2027-03-15"),
    };
    expect(onStay(document, { ...change, price: dollars(600) })).toEqual(kept);
  });
});

describe("a cabin limit", () => {
  const maxCabin = {
    default: "economy",
    byDuration: [
      { minHours: 6, cabin: "premium_economy" },
      { minHours: 10, cabin: "business" },
    ],
    overnight: "premium_economy",
  };
  const document = { flight: { maxCabin } };

  it.each([
    [359, "economy", true],
    [359, "premium_economy", false],
    [360, "premium_economy", true],
    [599, "business", false],
    [600, "business", true],
    [6_000, "first", false],
  ] as const)("for %d minutes in %s: %s", (durationMinutes, cabin, allowed) => {
    const verdict = onFlight(document, { legs: [{ ...leg, durationMinutes, cabin }] });
    expect(verdict.decision).toBe(allowed ? "allow" : "require_approval");
    if (!allowed) expect(verdict.violations).toMatchObject([{ rule: "flight.maxCabin", actual: cabin }]);
  });

  it("names the longest of the legs that break it, as check_policy does", () => {
    const legs = [620, 635].map((durationMinutes) => ({ ...leg, durationMinutes, cabin: "first" as const }));
    const { violations } = onFlight(document, { legs });
    expect(violations[0]?.text).toContain("for a leg of 10.58 hours");
  });

  it("judges each leg by its own length, and allows more overnight", () => {
    const short = { ...leg, durationMinutes: 60 };
    const cabin = "premium_economy" as const;
    expect(
      onFlight(document, {
        legs: [
          { ...leg, cabin },
          { ...short, cabin },
        ],
      }),
    ).toMatchObject({
      violations: [{ actual: "premium_economy", limit: "economy" }],
    });
    expect(onFlight(document, { legs: [{ ...back, durationMinutes: 60, cabin }] })).toEqual(kept);
  });
});

describe("advance purchase", () => {
  const document = { flight: { advancePurchaseDays: { severity: "deny", domestic: 7, international: 14 } } };
  const departing = (origin: string, destination: string, date: string) => ({
    legs: [{ ...leg, origin, destination, departsAt: Temporal.PlainDateTime.from(`${date}T00:05`) }],
  });

  it.each([
    // Still the 30th of April in Los Angeles, already the 1st of May in Auckland.
    ["2027-05-01T05:00:00Z", "LAX", "LHR", "2027-05-14", "allow"],
    ["2027-05-01T07:00:00Z", "LAX", "LHR", "2027-05-14", "deny"],
    ["2027-04-30T11:59:59Z", "AKL", "SYD", "2027-05-14", "allow"],
    ["2027-04-30T12:00:00Z", "AKL", "SYD", "2027-05-14", "deny"],
    // A domestic trip needs fewer days.
    ["2027-05-01T07:00:00Z", "LAX", "JFK", "2027-05-08", "allow"],
    ["2027-05-02T07:00:00Z", "LAX", "JFK", "2027-05-08", "deny"],
  ])("at %s from %s to %s on %s: %s", (now, origin, destination, date, decision) => {
    expect(onFlight(document, departing(origin, destination, date), { now })).toMatchObject({
      decision,
      notEvaluated: [],
    });
  });

  it("of a stay counts on the calendar of its place", () => {
    const hotel = { hotel: { advancePurchaseDays: { days: 3 } } };
    const tokyo = { timeZone: "Asia/Tokyo", checkInDate: Temporal.PlainDate.from("2027-05-04") };
    expect(onStay(hotel, tokyo, { now: "2027-05-01T14:59:59Z" })).toEqual(kept);
    expect(onStay(hotel, tokyo, { now: "2027-05-01T15:00:00Z" })).toMatchObject({
      violations: [{ rule: "hotel.advancePurchaseDays", limit: "3", actual: "2", unit: "days" }],
    });
  });
});

describe("the other rules", () => {
  it.each([
    [
      "a blocked airline",
      { flight: { carriers: { severity: "deny", blocked: ["BA"] } } },
      "deny",
      "flight.carriers.blocked",
    ],
    [
      "another than the only airlines",
      { flight: { carriers: { only: ["LH"] } } },
      "require_approval",
      "flight.carriers.only",
    ],
    [
      "another than a preferred airline",
      { flight: { carriers: { preferred: ["LH"] } } },
      "warn",
      "flight.carriers.preferred",
    ],
    [
      "too many hours",
      { flight: { itinerary: { maxDurationHours: 7.9 } } },
      "require_approval",
      "flight.itinerary.maxDurationHours",
    ],
    [
      "emissions",
      { flight: { emissions: { severity: "warn", maxKgPerPassenger: 399.9 } } },
      "warn",
      "flight.emissions",
    ],
    ["a blocked country", { destinations: { blockedCountries: ["US"] } }, "deny", "destinations.blockedCountries"],
    [
      "a country's risk",
      { destinations: { riskLevels: { US: 3 }, approvalFromLevel: 3, denyFromLevel: 4 } },
      "require_approval",
      "destinations.approvalFromLevel",
    ],
    [
      "a blackout that it begins before",
      { travelDates: { blackouts: [{ from: "2027-04-12", to: "2027-04-12" }] } },
      "require_approval",
      "travelDates.blackouts",
    ],
    [
      "a trip that begins too early",
      { travelDates: { earliest: "2027-04-11" } },
      "require_approval",
      "travelDates.earliest",
    ],
    ["a trip that ends too late", { travelDates: { latest: "2027-04-15" } }, "require_approval", "travelDates.latest"],
    ["a long trip", { travelDates: { maxDays: 6 } }, "require_approval", "travelDates.maxDays"],
    [
      "a rule of its own",
      { rules: [{ id: "ny", when: { kind: "flight", countries: ["US"], weekdays: ["saturday"] } }] },
      "require_approval",
      "rules.ny",
    ],
  ])("find %s", (_name, document, decision, rule) => {
    expect(onFlight(document)).toMatchObject({
      decision,
      violations: [{ rule, severity: decision }],
      notEvaluated: [],
    });
  });

  it.each([
    ["airlines", { flight: { carriers: { blocked: ["LH"], only: ["BA", "AA"], preferred: ["BA"] } } }],
    ["a trip's end in its own country", { destinations: { blockedCountries: ["GB"] } }],
    ["a length", { travelDates: { maxDays: 7, earliest: "2027-04-10", latest: "2027-04-16" } }],
    ["a blackout that it does not meet", { travelDates: { blackouts: [{ from: "2027-04-17", to: "2027-04-20" }] } }],
    [
      "a rule of which one condition does not hold",
      { rules: [{ id: "x", when: { kind: "flight", countries: ["US"], stopsOver: 0 } }] },
    ],
    ["a rule for hotels", { rules: [{ id: "x", when: { kind: "hotel" } }] }],
  ])("leave %s alone", (_name, document) => {
    expect(onFlight(document)).toEqual(kept);
  });

  it("require conditions only above their amount", () => {
    const document = { flight: { fare: { requireRefundableAbove: 800, allowBasicEconomy: false } } };
    expect(onFlight(document, { refundable: false })).toEqual(kept);
    expect(onFlight(document, { refundable: false, price: dollars(800) + 1n })).toMatchObject({
      violations: [{ rule: "flight.fare.refundable" }],
    });
    expect(onFlight(document, { fareBrands: ["Standard", "Basic Economy"] })).toMatchObject({
      violations: [{ rule: "flight.fare.basicEconomy", actual: "Basic Economy" }],
    });
  });

  it("limit who may book for whom", () => {
    const allowed = [
      { booker: "*", travelers: "self" },
      { booker: "user_office", travelers: ["user_ada", "user_bob"] },
      { booker: "svc:key_1", travelers: "anyone" },
    ];
    const by = (userId: string, travelerIds: string[] | undefined) =>
      onFlight({ booking: { severity: "deny", allowed } }, { travelerIds }, { booker: { userId, travelerId: userId } });
    expect(by("user_ada", ["user_ada"])).toEqual(kept);
    expect(by("user_ada", ["user_ada", "user_bob"])).toMatchObject({
      decision: "deny",
      violations: [{ rule: "booking.allowed", actual: "user_ada for user_bob" }],
    });
    expect(by("user_office", ["user_ada", "user_bob", "user_office"])).toEqual(kept);
    expect(by("svc:key_1", undefined)).toEqual(kept);
    expect(by("user_ada", undefined)).toMatchObject({ decision: "allow", notEvaluated: [{ missing: ["travelers"] }] });
  });

  it("of the tenant are judged one by one in order, however many share a condition", () => {
    const over = (priceUsdOver: number, more: object = {}) => ({ kind: "flight", priceUsdOver, ...more });
    const rules = [
      { id: "a", when: over(799, { carriers: ["BA"], stopsOver: 1 }) },
      { id: "b", when: over(799, { carriers: ["BA"] }) },
      { id: "c", when: over(900, { carriers: ["BA"] }) },
      { id: "d", when: over(799, { cabins: ["first"], carriers: ["BA"] }) },
      { id: "e", when: over(799, { carriers: ["BA"] }) },
      { id: "f", severity: "deny", when: over(799, { carriers: ["LH"] }) },
      { id: "g", severity: "deny", when: over(700) },
    ];
    const legs = [{ ...leg, stops: undefined, cabin: undefined }];
    expect(onFlight({ rules }, { legs })).toMatchObject({
      violations: [{ rule: "rules.g" }, { rule: "rules.b" }, { rule: "rules.e" }],
      notEvaluated: [
        { rule: "rules.a", missing: ["stops"] },
        { rule: "rules.d", missing: ["cabin"] },
      ],
    });
  });

  it("decide by the strictest, and never pass unknown facts silently", () => {
    const document = {
      flight: { maxPrice: { severity: "warn", default: 1 }, itinerary: { severity: "deny", maxStops: 1 } },
      rules: [{ id: "dear", severity: "deny", when: { kind: "flight", priceUsdOver: 799 } }],
      destinations: { riskLevels: { FR: 1 }, denyFromLevel: 4 },
    };
    expect(onFlight(document, { legs: [{ ...leg, stops: undefined }] })).toMatchObject({
      decision: "deny",
      violations: [{ rule: "rules.dear" }, { rule: "flight.maxPrice" }],
      notEvaluated: [
        { rule: "flight.itinerary.maxStops", severity: "deny", missing: ["stops"] },
        { rule: "destinations.denyFromLevel", severity: "deny", missing: ["riskLevel of US"] },
      ],
    });
  });
});
