import { wireCancellation, wireChange, wireOrderDetails, wireQuote, wireStayBooking } from "./servicing.ts";
import { wireOffer } from "./wire.ts";

/** Answers with every field that the supplier's libraries and documentation know. */

const [slice] = wireOffer.slices;
const segments = (slice?.segments ?? []).map((segment) => ({
  ...segment,
  stops: [
    {
      id: "sto_1",
      airport: segment.destination,
      arriving_at: "2027-01-19T12:20:00",
      departing_at: "2027-01-19T13:05:00",
      duration: "PT45M",
    },
  ],
  passengers: segment.passengers.map((passenger) => ({
    ...passenger,
    seat: { designator: "14B", name: "Exit row seat", disclosures: ["Do not seat children in exit row seats"] },
    cabin: { name: "economy", marketing_name: "Economy", amenities: { wifi: { available: "true", cost: "free" } } },
  })),
}));
const slices = [{ ...slice, segments, conditions: wireOffer.conditions, comparison_key: "BmlZDw==", ngs_shelf: 3 }];

export const richOffer = { ...wireOffer, slices };

export const richOrder = {
  ...wireOrderDetails,
  slices,
  base_amount: "280.00",
  base_currency: "USD",
  tax_amount: "74.20",
  tax_currency: "USD",
  synced_at: "2026-11-20T10:02:01Z",
  void_window_ends_at: "2026-11-21T10:02:00Z",
  content: "managed",
  users: ["icu_1"],
  passengers: [
    {
      id: "pas_1",
      type: "adult",
      title: "ms",
      gender: "f",
      given_name: "Ada",
      family_name: "Lovelace",
      born_on: "1990-12-10",
      email: "ada@example.test",
      phone_number: "+442071234567",
      infant_passenger_id: null,
      loyalty_programme_accounts: [{ airline_iata_code: "BA", account_number: "12345678" }],
    },
  ],
  services: [
    {
      id: "ser_1",
      type: "baggage",
      quantity: 1,
      passenger_ids: ["pas_1"],
      segment_ids: ["seg_1"],
      total_amount: "30.00",
      total_currency: "USD",
      metadata: { type: "checked", maximum_weight_kg: 23 },
    },
    {
      id: "ser_2",
      type: "seat",
      quantity: 1,
      passenger_ids: ["pas_1"],
      segment_ids: ["seg_1"],
      total_amount: "15.00",
      total_currency: "USD",
      metadata: { designator: "14B", name: "Exit row seat", disclosures: ["No children"] },
    },
  ],
  airline_initiated_changes: [
    {
      id: "aic_1",
      order_id: "ord_1",
      created_at: "2026-11-20T11:00:00Z",
      updated_at: "2026-11-20T11:00:00Z",
      action_taken: null,
      action_taken_at: null,
      available_actions: ["accept", "cancel"],
      added: slices,
      removed: slices,
      travel_agent_ticket: { id: "tkt_1", external_ticket_id: "77" },
    },
  ],
};

export const richCancellation = { ...wireCancellation, confirmed_at: "2026-11-20T10:05:00Z" };
export const richChange = {
  ...wireChange,
  confirmed_at: "2026-11-20T10:05:00Z",
  slices: { add: slices, remove: slices },
};
export const richStay = { ...wireStayBooking, total_amount: "123.45", total_currency: "USD" };
export const richQuote = { ...wireQuote, expires_at: "2026-11-20T11:00:00Z" };
export const richPayment = {
  id: "pay_1",
  type: "balance",
  amount: "354.20",
  currency: "USD",
  status: "succeeded",
  failure_reason: null,
  created_at: "2026-11-20T10:02:00Z",
  live_mode: false,
};
