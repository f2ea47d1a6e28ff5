/** Answers in the supplier's format, including fields that we do not use. */

const heathrow = {
  id: "arp_lhr_gb",
  type: "airport",
  iata_code: "LHR",
  iata_city_code: "LON",
  iata_country_code: "GB",
  icao_code: "EGLL",
  name: "Heathrow Airport",
  city_name: "London",
  latitude: 51.470311,
  longitude: -0.458118,
  time_zone: "Europe/London",
};
const kennedy = {
  id: "arp_jfk_us",
  type: "airport",
  iata_code: "JFK",
  iata_city_code: "NYC",
  iata_country_code: "US",
  icao_code: "KJFK",
  name: "John F. Kennedy International Airport",
  city_name: "New York",
  latitude: 40.640556,
  longitude: -73.778519,
  time_zone: "America/New_York",
};
const britishAirways = { id: "arl_0000ba", name: "British Airways", iata_code: "BA", logo_symbol_url: null };

export const wireOffer = {
  id: "off_00009htYpSCXrwaB9DnUm0",
  live_mode: false,
  created_at: "2026-11-20T10:00:00.000000Z",
  updated_at: "2026-11-20T10:00:00.000000Z",
  expires_at: "2026-11-20T10:30:00.000000Z",
  partial: false,
  owner: britishAirways,
  total_amount: "354.20",
  total_currency: "USD",
  base_amount: "280.00",
  base_currency: "USD",
  tax_amount: "74.20",
  tax_currency: "USD",
  total_emissions_kg: "460",
  conditions: {
    refund_before_departure: { allowed: true, penalty_amount: "100.00", penalty_currency: "USD" },
    change_before_departure: null,
  },
  payment_requirements: {
    requires_instant_payment: false,
    price_guarantee_expires_at: "2026-11-22T10:00:00Z",
    payment_required_by: "2026-11-23T10:00:00Z",
  },
  passenger_identity_documents_required: false,
  supported_passenger_identity_document_types: ["passport", "known_traveler_number"],
  supported_loyalty_programmes: ["BA"],
  private_fares: [{ type: "corporate", corporate_code: "ACME1", tracking_reference: null }],
  available_airline_credit_ids: ["acd_1"],
  passengers: [{ id: "pas_1", type: "adult", age: null, fare_type: null, loyalty_programme_accounts: [] }],
  slices: [
    {
      id: "sli_1",
      origin_type: "airport",
      destination_type: "airport",
      origin: heathrow,
      destination: kennedy,
      duration: "PT8H5M",
      fare_brand_name: "Economy Standard",
      segments: [
        {
          id: "seg_1",
          departing_at: "2027-01-19T11:20:00",
          arriving_at: "2027-01-19T14:25:00",
          origin: heathrow,
          destination: kennedy,
          origin_terminal: "5",
          destination_terminal: "8",
          duration: "PT8H5M",
          distance: "5540",
          aircraft: { id: "arc_1", name: "Boeing 777-300ER", iata_code: "77W" },
          marketing_carrier: britishAirways,
          marketing_carrier_flight_number: "117",
          operating_carrier: britishAirways,
          operating_carrier_flight_number: null,
          stops: [],
          passengers: [
            {
              passenger_id: "pas_1",
              cabin_class: "economy",
              cabin_class_marketing_name: "World Traveller",
              fare_basis_code: "OHN0A5B",
              baggages: [{ type: "checked", quantity: 1 }],
            },
          ],
        },
      ],
    },
  ],
};

export const wireOrder = {
  id: "ord_1",
  live_mode: false,
  offer_id: wireOffer.id,
  booking_reference: "ZZ7K2Q",
  metadata: { booking_id: "bkg_1" },
  total_amount: "354.20",
  total_currency: "USD",
  created_at: "2026-11-20T10:01:00Z",
  cancelled_at: null,
  cancellation: null,
  documents: [],
  payment_status: { awaiting_payment: true, paid_at: null, payment_required_by: "2026-11-23T10:00:00Z" },
  available_actions: ["cancel"],
};

export const wireAirports = { heathrow, kennedy };

export function wireError(type: string, code: string | number, text: string, source?: unknown) {
  return {
    meta: { status: 0, request_id: "req_1" },
    errors: [{ type, code, title: text, message: text, documentation_url: "https://example.test", source }],
  };
}

export function wireStay(id: string, reviewScore: number | null, price: string) {
  return {
    id: `srr_${id}`,
    check_in_date: "2027-01-19",
    check_out_date: "2027-01-22",
    rooms: 1,
    guests: [{ type: "adult" }],
    expires_at: "2026-11-20T10:30:00Z",
    cheapest_rate_total_amount: price,
    cheapest_rate_currency: "USD",
    accommodation: {
      id: `acc_${id}`,
      name: `House ${id} (Sandbox)`,
      description: "",
      location: {
        address: { line_one: "1 Quay", city_name: "Lisbon", region: null, postal_code: "1100", country_code: "PT" },
        geographic_coordinates: { latitude: 38.71, longitude: -9.14 },
      },
      rating: 4,
      review_score: reviewScore,
      review_count: 120,
      photos: [{ url: "https://photos.example.test/1.png" }],
    },
  };
}

export function withRates(stay: ReturnType<typeof wireStay>, price: string) {
  const rate = (id: string, amount: string, methods: string[]) => ({
    id: `rat_${id}`,
    total_amount: amount,
    total_currency: "USD",
    board_type: "room_only",
    available_payment_methods: methods,
    cancellation_timeline: [
      { before: "2027-01-18T12:00:00Z", refund_amount: "50.00", currency: "USD" },
      { before: "2027-01-10T12:00:00Z", refund_amount: amount, currency: "USD" },
    ],
  });
  const name = stay.id.slice(4);
  return {
    ...stay,
    accommodation: {
      ...stay.accommodation,
      rooms: [
        { name: "Suite", rates: [rate(`${name}_suite`, "999.00", ["balance"])] },
        {
          name: "Double",
          beds: [{ type: "double", count: 1 }],
          rates: [rate(`${name}_card`, "1.00", ["card"]), rate(`${name}_double`, price, ["balance", "card"])],
        },
      ],
    },
  };
}
