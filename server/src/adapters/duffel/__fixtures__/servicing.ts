import { wireOffer, wireOrder } from "./wire.ts";

/** Servicing answers in the supplier's format, including fields that we do not use. */

export const wireBag = {
  id: "ase_bag",
  type: "baggage",
  maximum_quantity: 2,
  passenger_ids: ["pas_1"],
  segment_ids: ["seg_1"],
  total_amount: "30.00",
  total_currency: "USD",
  metadata: { type: "checked", maximum_weight_kg: 23, maximum_height_cm: null },
};

function seat(designator: string, price: string | undefined, type = "seat", disclosures: string[] = []) {
  return {
    type,
    designator,
    name: type === "seat" ? "" : "No children",
    disclosures,
    available_services:
      price === undefined
        ? []
        : [{ id: `ase_${designator}`, passenger_id: "pas_1", total_amount: price, total_currency: "USD" }],
  };
}

export const wireSeatMap = {
  id: "sea_1",
  slice_id: "sli_1",
  segment_id: "seg_1",
  cabins: [
    {
      deck: 0,
      cabin_class: "economy",
      aisles: 1,
      wings: null,
      rows: [
        { sections: [{ elements: [{ type: "exit_row" }] }, { elements: [{ type: "exit_row" }] }] },
        {
          sections: [
            { elements: [seat("14A", "40.00"), seat("14B", "25.00"), seat("14C", "35.00", "seat", ["Extra legroom"])] },
            { elements: [seat("14D", undefined), seat("14E", "9.50"), { type: "empty" }] },
          ],
        },
        {
          sections: [
            { elements: [seat("15A", "20.00", "restricted_seat_general"), { type: "bassinet" }, { type: "empty" }] },
            { elements: [{ type: "lavatory" }] },
          ],
        },
      ],
    },
  ],
};

export const wireOrderDetails = {
  ...wireOrder,
  owner: wireOffer.owner,
  conditions: wireOffer.conditions,
  slices: wireOffer.slices,
  services: [],
  documents: [{ type: "electronic_ticket", unique_identifier: "000-1234567890", passenger_ids: ["pas_1"] }],
  payment_status: { awaiting_payment: false, paid_at: "2026-11-20T10:02:00Z" },
  airline_initiated_changes: [
    { id: "aic_1", created_at: "2026-11-20T11:00:00Z", action_taken: null, available_actions: ["accept"] },
    { id: "aic_0", created_at: "2026-11-20T09:00:00Z", action_taken: "accepted" },
  ],
  available_actions: ["cancel", "change"],
};

export const wireCancellation = {
  id: "ore_1",
  order_id: "ord_1",
  live_mode: false,
  refund_amount: "254.20",
  refund_currency: "USD",
  refund_to: "balance",
  airline_credits: [
    {
      id: "acd_9",
      credit_name: "British Airways travel credit",
      credit_code: null,
      credit_amount: "50.00",
      credit_currency: "USD",
      issued_on: null,
      passenger_id: "pas_1",
    },
  ],
  expires_at: "2026-11-20T10:30:00Z",
  created_at: "2026-11-20T10:00:00Z",
  confirmed_at: null,
};

const terms = {
  change_total_amount: "-12.30",
  change_total_currency: "USD",
  new_total_amount: "341.90",
  new_total_currency: "USD",
  penalty_total_amount: "20.00",
  penalty_total_currency: "USD",
  refund_to: "original_form_of_payment",
  expires_at: "2026-11-20T10:30:00Z",
  live_mode: false,
};

export const wireChangeOffer = {
  id: "oco_1",
  order_change_id: null,
  ...terms,
  slices: { add: wireOffer.slices, remove: wireOffer.slices },
};

export const wireChangeRequest = {
  id: "ocr_1",
  order_id: "ord_1",
  slices: { add: [], remove: [] },
  order_change_offers: [wireChangeOffer],
};

export const wireChange = {
  id: "oce_1",
  order_id: "ord_1",
  slices: wireChangeOffer.slices,
  ...terms,
  available_payment_types: ["balance"],
  confirmed_at: null,
};

export function wireCredit(id: string, userId: string, createdAt: string, more: Record<string, unknown> = {}) {
  return {
    id,
    airline_iata_code: "BA",
    credit_name: "British Airways travel credit",
    credit_amount: "120.00",
    credit_currency: "USD",
    credit_code: "BA123",
    type: "mco",
    issued_on: createdAt.slice(0, 10),
    expires_at: "2027-11-01",
    user_id: userId,
    order_id: "ord_1",
    created_at: createdAt,
    spent_at: null,
    invalidated_at: null,
    ...more,
  };
}

const timeline = [
  { before: "2027-01-18T12:00:00Z", refund_amount: "50.00", currency: "USD" },
  { before: "2027-01-10T12:00:00Z", refund_amount: "123.45", currency: "USD" },
];

const house = {
  id: "acc_1",
  name: "House (Sandbox)",
  location: {
    address: { line_one: "1 Quay", city_name: "Lisbon", postal_code: "1100", country_code: "PT" },
    geographic_coordinates: { latitude: 38.7, longitude: -9.1 },
  },
  supported_loyalty_programme: "house_points",
  rooms: [
    {
      name: "Double",
      rates: [
        {
          id: "rat_1",
          total_amount: "123.45",
          total_currency: "USD",
          cancellation_timeline: timeline,
          conditions: [{ title: "Pets", description: "None." }],
          negotiated_rate_id: "nre_1",
          due_at_accommodation_amount: "4.00",
          due_at_accommodation_currency: "EUR",
        },
      ],
    },
  ],
};

export const wireQuote = {
  id: "quo_1",
  live_mode: false,
  check_in_date: "2027-01-19",
  check_out_date: "2027-01-22",
  rooms: 1,
  guests: [{ type: "adult" }, { type: "adult" }],
  accommodation: house,
  base_amount: "100.00",
  base_currency: "USD",
  tax_amount: "23.45",
  tax_currency: "USD",
  fee_amount: "0.00",
  fee_currency: "USD",
  total_amount: "123.45",
  total_currency: "USD",
  due_at_accommodation_amount: "4.00",
  due_at_accommodation_currency: "EUR",
};

export const wireStayBooking = {
  id: "bok_1",
  live_mode: false,
  reference: "ZZSTAY",
  status: "confirmed",
  confirmed_at: "2026-11-20T10:00:01Z",
  cancelled_at: null,
  check_in_date: "2027-01-19",
  check_out_date: "2027-01-22",
  rooms: 1,
  guests: [{ given_name: "Ada", family_name: "Lovelace", user_id: "icu_1" }],
  accommodation: house,
  key_collection: { instructions: "At the desk." },
  metadata: { booking_id: "bkg_1" },
};

export const wireNegotiatedRate = {
  id: "nre_1",
  display_name: "Agreed",
  rate_access_code: "CODE1",
  chain_id: null,
  accommodation_ids: ["acc_1"],
  live_mode: false,
};
