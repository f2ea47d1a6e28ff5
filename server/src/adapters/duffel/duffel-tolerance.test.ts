import fc from "fast-check";
import { expect, test } from "vitest";
import { startDuffel } from "../../../test/support/duffel-harness.ts";
import type { FlightSearch, OrderRequest } from "../../ports/supplier/flights.ts";
import type { StayBookingRequest } from "../../ports/supplier/stay-bookings.ts";
import type { StaySearch } from "../../ports/supplier/stays.ts";
import {
  richCancellation,
  richChange,
  richOffer,
  richOrder,
  richPayment,
  richQuote,
  richStay,
} from "./__fixtures__/rich.ts";
import { wireStay, withRates } from "./__fixtures__/wire.ts";

/** A purchase is recognised even if the supplier omits descriptive fields. Only identity, price and state are strict. */

type Path = readonly (string | number)[];
type Bend = "remove" | "null" | "other";

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The paths of all fields and list items of a value. */
function listPaths(value: unknown, path: Path = []): Path[] {
  const here = path.length === 0 ? [] : [path];
  if (Array.isArray(value)) return [...here, ...value.flatMap((item, index) => listPaths(item, [...path, index]))];
  if (!isRecord(value)) return here;
  return [...here, ...Object.entries(value).flatMap(([name, field]) => listPaths(field, [...path, name]))];
}

/** One path of each kind: the items of a list have the same fields. */
function pickKinds(paths: readonly Path[]): Path[] {
  const kinds = Map.groupBy(paths, (path) => path.map((step) => (typeof step === "number" ? "*" : step)).join("."));
  return [...kinds.values()].flatMap((all) => all.slice(0, 1));
}

function bent(value: unknown, [step, ...rest]: Path, bend: Bend): unknown {
  if (step === undefined) return bend === "null" ? null : 7.5;
  const isLast = rest.length === 0 && bend === "remove";
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => (index !== step ? [item] : isLast ? [] : [bent(item, rest, bend)]));
  }
  // A parent was bent already.
  if (!isRecord(value) || !(step in value)) return value;
  const { [step]: field, ...others } = value;
  return isLast ? others : { ...others, [step]: bent(field, rest, bend) };
}

const order: OrderRequest = {
  offerId: "off_1",
  bookingId: "bkg_1",
  totalAmount: "354.20",
  totalCurrency: "USD",
  passengers: [],
  services: [],
};
const stay: StayBookingRequest = {
  quoteId: "quo_1",
  bookingId: "bkg_1",
  email: "ada@example.test",
  phoneNumber: "+442071234567",
  guests: [],
  customerUserIds: [],
};

type Duffel = Awaited<ReturnType<typeof startDuffel>>;

interface Shape {
  answer: unknown;
  /** Sent instead of the answer. */
  wrap?: (answer: unknown, path: string) => unknown;
  read: (duffel: Duffel) => Promise<unknown>;
  /** Strict paths: identity, money and state, and the terms of anything that is not bought yet. */
  strict: RegExp;
  known: object;
}

const orderState = /^(id|total_amount|total_currency|payment_status(\.paid_at)?|cancelled_at|cancellation|metadata.*)$/;
const bought = { id: "ord_1", totalAmount: "354.20", totalCurrency: "USD", paid: true };
const changeState = /^(id|order_id|change_total_amount|change_total_currency|confirmed_at)$/;
const changed = { id: "oce_1", orderId: "ord_1", changeTotalAmount: "-12.30", confirmedAt: "2026-11-20T10:05:00Z" };
const cancellationState = /^(id|order_id|refund_amount|refund_currency|confirmed_at)$/;
const cancelled = { id: "ore_1", orderId: "ord_1", refundAmount: "254.20", confirmedAt: "2026-11-20T10:05:00Z" };
const stayState = /^(id|status|total_amount|total_currency)$/;
const stayed = { id: "bok_1", price: { amount: "123.45", currency: "USD" } };

const place = String.raw`(origin|destination)(\.(iata_code|time_zone))?`;
const flight = `(id|${place}|(departing|arriving)_at|marketing_carrier_flight_number)`;
const flown = String.raw`slices(\.\d+(\.(id|${place}|segments(\.\d+(\.${flight})?)?))?)?`;
const terms = String.raw`(total_(amount|currency)|expires_at|payment_requirements(\.requires_instant_payment)?)`;
const soldBy = new RegExp(
  String.raw`^(id|${terms}|passengers(\.\d+(\.id)?)?|passenger_identity_documents_required|${flown})$`,
);
const quoteTerms =
  /^(id|check_(in|out)_date|rooms|guests|accommodation(\.(id|name))?|(total|due_at_accommodation)_(amount|currency)|expires_at)$/;

const rate = String.raw`(id|total_(amount|currency)|available_payment_methods(\.\d+)?|due_at_accommodation_(amount|currency))`;
const rooms = String.raw`rooms(\.\d+(\.rates(\.\d+(\.${rate})?)?)?)?`;
const rateTerms = new RegExp(
  String.raw`^(id|expires_at|cheapest_rate_(total_amount|currency)|accommodation(\.(id|name|${rooms}))?)$`,
);

const flightSearch: FlightSearch = {
  origin: "LHR",
  destination: "JFK",
  departureDate: "2027-01-19",
  cabinClass: "economy",
  passengers: [{ loyaltyAccounts: [] }],
  privateFares: {},
  airlineCreditIds: [],
};
const staySearch: StaySearch = {
  latitude: 38.7,
  longitude: -9.1,
  radiusKilometers: 10,
  guests: 1,
  rooms: 1,
  checkInDate: "2027-01-19",
  checkOutDate: "2027-01-22",
};

const shapes: Record<string, Shape> = {
  "an order that is made": {
    answer: richOrder,
    read: ({ flights }) => flights.instantOrder(order),
    strict: orderState,
    known: bought,
  },
  "an order that is read": {
    answer: richOrder,
    read: ({ flightServicing }) => flightServicing.getOrderDetails("ord_1"),
    strict: orderState,
    known: bought,
  },
  "an order that is looked for": {
    answer: richOrder,
    wrap: (answer, path) => (path === "/air/payments" ? [] : [answer]),
    read: async ({ flights }) => (await flights.findOrdersByBooking("off_1", "bkg_1"))[0],
    strict: orderState,
    known: bought,
  },
  "a payment": {
    answer: richPayment,
    read: ({ flights }) => flights.payOrder("ord_1", "354.20", "USD").then(() => ({ paid: true })),
    strict: /^(id|status)$/,
    known: { paid: true },
  },
  "a change": {
    answer: richChange,
    read: ({ flightServicing }) => flightServicing.confirmChange("oce_1", undefined),
    strict: changeState,
    known: changed,
  },
  "a cancellation": {
    answer: richCancellation,
    read: ({ flightServicing }) => flightServicing.confirmCancellation("ore_1"),
    strict: cancellationState,
    known: cancelled,
  },
  "a stay that is booked": {
    answer: richStay,
    read: ({ stayBookings }) => stayBookings.bookStay(stay),
    strict: stayState,
    known: { ...stayed, status: "confirmed" },
  },
  "a stay that is cancelled": {
    answer: { ...richStay, status: "cancelled", cancelled_at: "2026-11-20T11:00:00Z" },
    read: ({ stayBookings }) => stayBookings.cancelStay("bok_1"),
    strict: stayState,
    known: { ...stayed, status: "cancelled" },
  },
  "a quote of a stay": {
    answer: richQuote,
    read: ({ stayBookings }) => stayBookings.getQuote("quo_1"),
    strict: quoteTerms,
    known: { id: "quo_1", totalAmount: "123.45", totalCurrency: "USD" },
  },
  "an offer": {
    answer: richOffer,
    read: ({ flights }) => flights.getOffer("off_1"),
    strict: soldBy,
    known: { id: richOffer.id, totalAmount: "354.20", totalCurrency: "USD" },
  },
  "a search for flights": {
    answer: richOffer,
    wrap: (answer) => ({ id: "orq_1", offers: [answer] }),
    read: async ({ flights }) => (await flights.searchOffers(flightSearch)).offers[0],
    strict: soldBy,
    known: { id: richOffer.id, totalAmount: "354.20", totalCurrency: "USD" },
  },
  "a search for stays": {
    answer: withRates(wireStay("near", 8, "150.00"), "123.45"),
    wrap: (answer, path) => (path === "/stays/search" ? { results: [answer] } : answer),
    read: async ({ stays }) => (await stays.searchAccommodations(staySearch, 6)).accommodations[0],
    strict: rateTerms,
    known: { id: "acc_near", name: "House near (Sandbox)" },
  },
};

test.for(Object.keys(shapes))("%s is recognised without its descriptive fields", async (name) => {
  const shape = shapes[name];
  if (shape === undefined) throw new Error("no such shape");
  const paths = listPaths(shape.answer).filter((path) => !shape.strict.test(path.join(".")));
  let answer: unknown;
  await using duffel = await startDuffel(({ path }) => ({
    status: 200,
    json: { data: shape.wrap === undefined ? answer : shape.wrap(answer, path) },
  }));
  const readBent = async (some: readonly Path[], bend: Bend) => {
    answer = some.reduce((value: unknown, path) => bent(value, path, bend), shape.answer);
    expect(await shape.read(duffel), `${bend} ${some.map((path) => path.join(".")).join(" ")}`).toMatchObject(
      shape.known,
    );
  };
  for (const bend of ["remove", "null"] as const) {
    for (const path of pickKinds(paths)) await readBent([path], bend);
  }
  const bends = fc.constantFrom<Bend[]>("remove", "null", "other");
  await fc.assert(fc.asyncProperty(fc.subarray(paths, { minLength: 2 }), bends, readBent), { numRuns: 10 });
});

test("a time without an offset is in UTC, and a local time with one is the local time", async () => {
  let answer: unknown = { ...richCancellation, confirmed_at: "2026-11-20T10:05:00.123", expires_at: "2026-11-21" };
  await using duffel = await startDuffel(() => ({ status: 200, json: { data: answer } }));
  expect(await duffel.flightServicing.confirmCancellation("ore_1")).toMatchObject({
    confirmedAt: "2026-11-20T10:05:00.123Z",
    expiresAt: "2026-11-21T00:00:00Z",
  });
  const [slice] = richOrder.slices;
  const segments = slice?.segments.map((segment) => ({ ...segment, departing_at: "2027-01-19T11:20:00.000Z" }));
  answer = { ...richOrder, slices: [{ ...slice, segments }], payment_status: { paid_at: "2026-11-20T10:02:00" } };
  const details = await duffel.flightServicing.getOrderDetails("ord_1");
  expect(details.paid).toBe(true);
  expect(details.slices[0]?.segments[0]?.departingAt).toBe("2027-01-19T11:20:00");
});
