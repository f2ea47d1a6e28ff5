import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBookingWorld } from "../../../../test/support/booking-world.ts";
import { createMemoryStays, toolCaller } from "../../../../test/support/call-tool.ts";
import { offer, segment, slice } from "../../../../test/support/offers.ts";
import type { NearbyAirport } from "../../../ports/supplier/flights.ts";
import type { Accommodation } from "../../../ports/supplier/stays.ts";
import { searchHotels } from "../../stays/tools/search-hotels.ts";
import { displayOfferConditions } from "../tools/display-offer-conditions.ts";
import { findAirportsNearby } from "../tools/find-airports-nearby.ts";

let world: Awaited<ReturnType<typeof openBookingWorld>>;
let tenant: Awaited<ReturnType<typeof world.newTenant>>;
let call: ReturnType<typeof toolCaller>;
const hotels = createMemoryStays();

beforeAll(async () => {
  world = await openBookingWorld();
  tenant = await world.newTenant();
  call = toolCaller(tenant, hotels.stays);
});
afterAll(() => world.close());

const issueAt = (path: string) => ({ code: "invalid_input", issues: [{ path }] });

describe("display_offer_conditions", () => {
  const show = (offerId: string) => call(displayOfferConditions, { offerId });

  test("puts the conditions into words and keeps the figures", async () => {
    expect(await show("off_1")).toMatchObject({
      offerId: "off_1",
      totalAmount: "412.50",
      holdPossible: true,
      conditions: { changeBeforeDeparture: { penaltyAmount: "75.00" } },
      summary: [
        "Not refundable before departure.",
        "Change before departure costs 75.00 USD.",
        "The airline would hold it unpaid until 2026-11-22T10:00:00Z; its price is guaranteed until 2026-11-22T10:00:00Z; book_flight still pays for it at once.",
        "You can book the offer until 2099-01-01T00:00:00Z.",
      ],
    });
  });

  test("tells what applies to each leg alone, if the airline says so", async () => {
    const back = segment({ origin: "JFK", destination: "LHR" });
    const free = { allowed: true, penaltyAmount: "0.00", penaltyCurrency: "USD" };
    const slices = [slice(), slice([back], { changeBeforeDeparture: free })];
    tenant.supplier.offers.set("off_3", offer({ id: "off_3", slices }));
    expect(await show("off_3")).toMatchObject({
      slices: [
        { origin: "LHR", destination: "JFK", changeBeforeDeparture: null },
        { origin: "JFK", destination: "LHR", changeBeforeDeparture: free },
      ],
      summary: [
        "Not refundable before departure.",
        "Change before departure costs 75.00 USD.",
        "JFK to LHR alone: Change before departure is free of charge.",
        ...[expect.stringMatching(/^The airline would hold/), expect.stringMatching(/^You can book the offer/)],
      ],
    });
  });

  test("does not promise what the airline does not say", async () => {
    const free = { allowed: true, penaltyAmount: "0.00", penaltyCurrency: "USD" };
    const conditions = { refundBeforeDeparture: null, changeBeforeDeparture: free };
    const paymentRequirements = {
      requiresInstantPayment: true,
      priceGuaranteeExpiresAt: null,
      paymentRequiredBy: null,
    };
    tenant.supplier.offers.set("off_2", offer({ id: "off_2", conditions, paymentRequirements }));
    expect(await show("off_2")).toMatchObject({
      holdPossible: false,
      summary: [
        "Refund before departure: the airline does not say.",
        "Change before departure is free of charge.",
        "It must be paid for at booking; it cannot be held.",
        expect.any(String),
      ],
    });
  });

  test("knows no other offers", async () => {
    await expect(show("off_unheard_of")).rejects.toMatchObject({ code: "offer_not_found" });
  });
});

describe("find_airports_nearby", () => {
  const find = (args: object) => call(findAirportsNearby, args);
  const airport = (iataCode: string, latitude: number, longitude: number): NearbyAirport => ({
    iataCode,
    name: iataCode,
    cityName: "London",
    countryCode: "GB",
    latitude,
    longitude,
    timeZone: "Europe/London",
    distanceMeters: null,
  });

  beforeAll(() => {
    tenant.supplier.answerAirportsWith([
      airport("STN", 51.885, 0.235),
      airport("LCY", 51.505, 0.055),
      airport("LHR", 51.47, -0.454),
    ]);
  });

  test("lists airports around coordinates, nearest first, as many as requested", async () => {
    const answer = await find({ latitude: 51.5, longitude: 0, maxResults: 2 });
    expect(answer).toMatchObject({
      airports: [{ iataCode: "LCY" }, { iataCode: "LHR" }],
      center: { latitude: 51.5, longitude: 0 },
      // This supplier gives no date for its airports.
      asOf: null,
    });
  });

  test("measures from the place that the text names", async () => {
    const answer = await find({ query: "London" });
    expect(answer).toMatchObject({ place: expect.stringContaining("London"), airports: [{ iataCode: "LCY" }, {}, {}] });
  });

  test("reports similar names if it knows neither an airport nor a place", async () => {
    tenant.supplier.answerAirportsWith([]);
    await expect(find({ query: "Lodnon" })).rejects.toMatchObject({
      code: "location_not_found",
      extra: { nearMatches: expect.arrayContaining([expect.stringContaining("London")]) },
    });
  });

  test.each([
    ["query", {}],
    ["query", { query: " " }],
    ["longitude", { latitude: 1 }],
    ["latitude", { longitude: 1 }],
    ["latitude", { latitude: 90.1, longitude: 0 }],
    ["longitude", { latitude: 0, longitude: -180.1 }],
    ["radiusMeters", { query: "x", radiusMeters: 999 }],
    ["maxResults", { query: "x", maxResults: 21 }],
  ])("refuses %s of %j", async (path, args) => {
    await expect(find(args)).rejects.toMatchObject(issueAt(path));
  });
});

describe("search_hotels", () => {
  const stay = { location: "Berlin", checkInDate: "2027-01-20", checkOutDate: "2027-01-22" };
  const search = (args: object) => call(searchHotels, { ...stay, ...args });
  const hotel = (id: string): Accommodation => ({
    id,
    searchResultId: `srr_${id}`,
    name: `Hotel ${id}`,
    latitude: 52.5,
    longitude: 13.4,
    address: null,
    photos: ["https://example.com/1.jpg"],
    starRating: 4,
    reviewScore: 8.6,
    reviewCount: 120,
    rates: [
      {
        id: `rat_${id}`,
        totalAmount: "240.00",
        totalCurrency: "USD",
        boardType: "room_only",
        roomName: null,
        beds: [],
        cancellationPolicy: { refundable: false, timeline: [] },
        dueAtAccommodationAmount: null,
        dueAtAccommodationCurrency: null,
      },
    ],
    expiresAt: null,
  });

  test("searches around the place and answers with at most six hotels", async () => {
    hotels.answerWith(Array.from({ length: 8 }, (_, index) => hotel(`acc_${index}`)));
    const answer = await search({ guests: 2, rooms: 2 });
    expect(hotels.searches.at(-1)).toMatchObject({
      guests: 2,
      rooms: 2,
      checkInDate: "2027-01-20",
      checkOutDate: "2027-01-22",
    });
    expect(Math.round(hotels.searches.at(-1)?.latitude ?? 0)).toBe(53);
    expect(answer).toMatchObject({
      location: { countryCode: "DE", precision: "city" },
      sandbox: true,
      source: "memory-supplier",
    });
    expect(answer).toHaveProperty("accommodations.length", 6);
  });

  test("lists a hotel without a position, without a distance", async () => {
    hotels.answerWith([{ ...hotel("acc_somewhere"), latitude: null, longitude: null }]);
    expect(await search({})).toMatchObject({
      accommodations: [{ id: "acc_somewhere", distanceMeters: null, latitude: null, longitude: null }],
    });
  });

  test("takes an airport code for the airport", async () => {
    expect(await search({ location: "ber" })).toMatchObject({ location: { precision: "airport", unknownPart: null } });
  });

  test("searches near known sights and districts, and reports a fallback to the city", async () => {
    expect(await search({ location: "Brandenburg Gate" })).toMatchObject({ location: { precision: "landmark" } });
    expect(await search({ location: "Kreuzberg, Berlin" })).toMatchObject({ location: { precision: "neighborhood" } });
    expect(await search({ location: "Nirgendwokiez, Berlin" })).toMatchObject({
      location: { precision: "city", unknownPart: "Nirgendwokiez", provenance: { asOf: "2023-03-05" } },
    });
  });

  test("reports an unknown place, with similar names, or no room", async () => {
    await expect(search({ location: "Berlni" })).rejects.toMatchObject({
      code: "location_not_found",
      extra: { nearMatches: expect.arrayContaining([expect.stringContaining("Berlin")]) },
    });
    hotels.answerWith([]);
    await expect(search({})).rejects.toMatchObject({ code: "no_accommodations", extra: { emptiedBy: [] } });
  });

  test("searches farther around a sight without rooms nearby, and reports the distance", async () => {
    hotels.answerBy(({ radiusKilometers }) => (radiusKilometers >= 15 ? [hotel("acc_near_by")] : []));
    const location = { label: expect.stringContaining("Brandenburg Gate"), radiusKilometers: 15 };
    expect(await search({ location: "Brandenburg Gate" })).toMatchObject({ location, picks: { best: "acc_near_by" } });
    hotels.answerWith([hotel("acc_here")]);
    expect(await search({ location: "Brandenburg Gate" })).toMatchObject({ location: { radiusKilometers: 3 } });
  });

  test("reports the arguments that left a search without rooms", async () => {
    hotels.answerBy(({ rooms, radiusKilometers }) =>
      rooms === 1 || radiusKilometers > 20 ? [hotel("acc_small")] : [],
    );
    await expect(search({ rooms: 2, guests: 2 })).rejects.toMatchObject({
      code: "no_accommodations",
      detail: expect.stringMatching(/location: .* larger place; rooms: .* search for fewer/),
      extra: { emptiedBy: ["location", "rooms"] },
    });
  });

  test.each([
    ["checkOutDate", { checkOutDate: "2027-01-20" }],
    ["checkInDate", { checkInDate: "2026-11-18" }],
    ["checkInDate", { checkInDate: "2027-13-01" }],
    ["guests", { guests: 2, rooms: 3 }],
    ["location", { location: "  " }],
    ["guests", { guests: 0 }],
    ["rooms", { rooms: 10 }],
  ])("refuses %s of %j", async (path, args) => {
    await expect(search(args)).rejects.toMatchObject(issueAt(path));
  });
});
