import { expect, test } from "vitest";
import { startDuffel } from "../../../../test/support/duffel-harness.ts";
import type { FlightSearch } from "../../../ports/supplier/flights.ts";
import { wireAirports, wireOffer } from "../__fixtures__/wire.ts";

const query: FlightSearch = {
  origin: "LHR",
  destination: "JFK",
  departureDate: "2027-01-19",
  cabinClass: "economy",
  passengers: [{ loyaltyAccounts: [] }],
  privateFares: {},
  airlineCreditIds: [],
};

test("a search sends every input in the supplier's format and reports what could not be applied", async () => {
  await using duffel = await startDuffel(() => ({ status: 201, json: { data: { id: "orq_1", offers: [wireOffer] } } }));
  const result = await duffel.flights.searchOffers({
    ...query,
    returnDate: "2027-01-26",
    cabinClass: "business",
    passengers: [
      {
        leisureFareType: "tour",
        loyaltyAccounts: [{ airlineIataCode: "BA", accountNumber: "12345678" }],
        givenName: "Ada",
        familyName: "Lovelace",
      },
      { leisureFareType: "senior", loyaltyAccounts: [{ airlineIataCode: "AA", accountNumber: "87654321" }] },
      { leisureFareType: "student", loyaltyAccounts: [] },
      { leisureFareType: "air_crew", loyaltyAccounts: [] },
    ],
    privateFares: {
      BA: [
        { corporateCode: "ACME1", accountNumber: "9" },
        { tourCode: "T1", trackingReference: "R" },
      ],
    },
    airlineCreditIds: ["acd_1"],
  });

  const [request] = duffel.requests;
  expect(request).toMatchObject({ method: "POST", path: "/air/offer_requests" });
  expect(request?.query).toEqual({ return_offers: "true", supplier_timeout: "20000" });
  expect(request?.headers).toMatchObject({
    authorization: "Bearer duffel_test_token",
    "duffel-version": "v2",
    accept: "application/json",
    "content-type": "application/json",
  });
  expect(request?.body).toEqual({
    data: {
      slices: [
        { origin: "LHR", destination: "JFK", departure_date: "2027-01-19" },
        { origin: "JFK", destination: "LHR", departure_date: "2027-01-26" },
      ],
      passengers: [
        {
          fare_type: "tour_operator_inclusive",
          given_name: "Ada",
          family_name: "Lovelace",
          loyalty_programme_accounts: [{ airline_iata_code: "BA", account_number: "12345678" }],
        },
        { type: "adult" },
        { fare_type: "student" },
        { type: "adult" },
      ],
      cabin_class: "business",
      private_fares: {
        BA: [
          { corporate_code: "ACME1", account_number: "9" },
          { tour_code: "T1", tracking_reference: "R" },
        ],
      },
      airline_credit_ids: ["acd_1"],
    },
  });
  expect(result.notApplied.map(({ input, value }) => [input, value])).toEqual([
    ["leisureFareTypes", "senior"],
    ["loyaltyProgrammeAccounts", "AA"],
    ["leisureFareTypes", "air_crew"],
  ]);
  expect(result.sandbox).toBe(true);
  expect(result.provenance).toEqual({
    source: "embedded-sandbox",
    sourceLevel: "embedded",
    asOf: "2026-11-20T10:00:00Z",
  });
});

test("all fields of an offer are mapped", async () => {
  await using duffel = await startDuffel(() => ({ status: 200, json: { data: wireOffer } }));
  expect(await duffel.flights.getOffer(wireOffer.id)).toEqual({
    id: wireOffer.id,
    totalAmount: "354.20",
    totalCurrency: "USD",
    taxAmount: "74.20",
    owner: { iataCode: "BA", name: "British Airways" },
    slices: [
      {
        id: "sli_1",
        origin: "LHR",
        destination: "JFK",
        durationMinutes: 485,
        fareBrandName: "Economy Standard",
        changeBeforeDeparture: null,
        segments: [
          {
            id: "seg_1",
            carrier: "BA",
            carrierName: "British Airways",
            flightNumber: "BA117",
            operatingCarrier: "BA",
            origin: "LHR",
            destination: "JFK",
            originTerminal: "5",
            destinationTerminal: "8",
            departingAt: "2027-01-19T11:20:00",
            arrivingAt: "2027-01-19T14:25:00",
            durationMinutes: 485,
            aircraft: "Boeing 777-300ER",
            cabinClass: "economy",
            baggage: [{ type: "checked", quantity: 1 }],
            stops: [],
            passengers: [
              {
                passengerId: "pas_1",
                cabinClass: "economy",
                baggage: [{ type: "checked", quantity: 1 }],
                seat: null,
              },
            ],
          },
        ],
      },
    ],
    conditions: {
      refundBeforeDeparture: { allowed: true, penaltyAmount: "100.00", penaltyCurrency: "USD" },
      changeBeforeDeparture: null,
    },
    paymentRequirements: {
      requiresInstantPayment: false,
      priceGuaranteeExpiresAt: "2026-11-22T10:00:00Z",
      paymentRequiredBy: "2026-11-23T10:00:00Z",
    },
    passengers: [{ id: "pas_1", type: "adult", fareType: null }],
    identityDocumentsRequired: false,
    identityDocumentTypes: ["passport", "known_traveler_number"],
    privateFares: [{ type: "corporate", corporateCode: "ACME1" }],
    availableAirlineCreditIds: ["acd_1"],
    totalEmissionsKg: "460",
    expiresAt: "2026-11-20T10:30:00.000000Z",
  });
  expect(duffel.requests[0]?.path).toBe(`/air/offers/${wireOffer.id}`);
});

test("a missing duration follows from the local times and their zones, over the date line", async () => {
  const [slice] = wireOffer.slices;
  const [segment] = slice?.segments ?? [];
  const airport = (iata_code: string, time_zone: string) => ({ iata_code, time_zone });
  const crossing = {
    ...segment,
    origin: airport("NRT", "Asia/Tokyo"),
    destination: airport("SFO", "America/Los_Angeles"),
    departing_at: "2027-01-19T17:00:00",
    arriving_at: "2027-01-19T09:30:00",
    duration: null,
  };
  const offer = { ...wireOffer, slices: [{ ...slice, duration: null, segments: [crossing] }] };
  await using duffel = await startDuffel(() => ({ status: 200, json: { data: offer } }));
  const mapped = await duffel.flights.getOffer("off_1");
  expect(mapped.slices[0]?.durationMinutes).toBe(570);
  expect(mapped.slices[0]?.segments[0]?.durationMinutes).toBe(570);
});

test("an offer with an unknown duration is skipped", async () => {
  const [slice] = wireOffer.slices;
  const [segment] = slice?.segments ?? [];
  let zone: string | null = null;
  await using duffel = await startDuffel(() => {
    const untimed = { ...segment, origin: { iata_code: "LHR", time_zone: zone }, duration: null };
    return { status: 200, json: { data: { ...wireOffer, slices: [{ ...slice, segments: [untimed] }] } } };
  });
  for (zone of [null, "Europe/Nowhere"]) {
    await expect(duffel.flights.getOffer("off_1")).rejects.toMatchObject({ code: "provider_unavailable" });
  }
  zone = "Europe/London";
  expect((await duffel.flights.getOffer("off_1")).slices[0]?.segments[0]?.durationMinutes).toBe(485);
});

test("an unreadable offer is skipped; if none can be read, the supplier is unavailable", async () => {
  const bad = { ...wireOffer, id: "off_bad", total_amount: "a lot" };
  let offers: unknown[] = [bad, wireOffer];
  await using duffel = await startDuffel(() => ({ status: 201, json: { data: { offers } } }));
  const result = await duffel.flights.searchOffers(query);
  expect(result.offers.map((offer) => offer.id)).toEqual([wireOffer.id]);
  offers = [bad];
  await expect(duffel.flights.searchOffers(query)).rejects.toMatchObject({ code: "provider_unavailable" });
  offers = [];
  expect((await duffel.flights.searchOffers(query)).offers).toEqual([]);
});

test("airports near a position are listed once, nearest first, with their distance", async () => {
  const { heathrow, kennedy } = wireAirports;
  const city = { id: "cit_lon_gb", type: "city", name: "London", iata_code: "LON", airports: [heathrow] };
  await using duffel = await startDuffel(() => ({
    status: 200,
    json: { data: [kennedy, city, { type: "train_station" }, heathrow] },
  }));
  const { airports: near, asOf } = await duffel.flights.findAirports({
    latitude: 51.5,
    longitude: -0.12,
    radiusMeters: 50_000,
  });
  expect(asOf).toBeUndefined();
  expect(near.map((airport) => airport.iataCode)).toEqual(["LHR", "JFK"]);
  expect(near[0]?.distanceMeters).toBeGreaterThan(23_000);
  expect(near[0]?.distanceMeters).toBeLessThan(24_500);
  expect(near[0]).toMatchObject({ cityName: "London", countryCode: "GB", timeZone: "Europe/London" });
  expect(duffel.requests[0]?.query).toEqual({ lat: "51.5", lng: "-0.12", rad: "50000" });
  const { airports: named } = await duffel.flights.findAirports({ text: "new york" });
  expect(named[0]).toMatchObject({ iataCode: "JFK", distanceMeters: null });
});

test.each(["", ".", "..", "off_1/../..", "off_1?x", "o".repeat(129)])(
  "what cannot be an id is not asked for: %s",
  async (id) => {
    await using duffel = await startDuffel(() => ({ status: 200, json: { data: [] } }));
    await expect(duffel.flights.getOffer(id)).rejects.toMatchObject({ code: "offer_not_found" });
    expect(await duffel.flights.getAirlineCredit(id)).toBeUndefined();
    expect(duffel.requests).toEqual([]);
  },
);
