/** An answer to a search in the supplier's format, for rehearsals. Nobody is shown it. */
export function writeSampleAnswer(offers: number): Uint8Array {
  const data = { offers: Array.from({ length: offers }, (_, index) => buildOffer(index)) };
  return new TextEncoder().encode(JSON.stringify({ data }));
}

const EXPIRES_AT = "2026-01-01T00:30:00Z";
const LONDON = { iata_code: "LHR", time_zone: "Europe/London" };
const PARIS = { iata_code: "CDG", time_zone: "Europe/Paris" };
const CARRIER = { iata_code: "ZZ", name: "Duffel Airways" };

function buildOffer(index: number) {
  const hour = String(6 + (index % 16)).padStart(2, "0");
  return {
    id: `off_sample_${index}`,
    total_amount: `${100 + index}.00`,
    total_currency: "USD",
    tax_amount: "20.00",
    owner: CARRIER,
    slices: [
      {
        id: `sli_${index}`,
        origin: LONDON,
        destination: PARIS,
        duration: "PT1H15M",
        fare_brand_name: "Basic",
        conditions: { change_before_departure: null },
        segments: [
          {
            id: `seg_${index}`,
            departing_at: `2026-03-01T${hour}:00:00`,
            arriving_at: `2026-03-01T${hour}:59:00`,
            origin: LONDON,
            destination: PARIS,
            origin_terminal: null,
            destination_terminal: null,
            duration: "PT59M",
            aircraft: { name: "Airbus A320" },
            marketing_carrier: CARRIER,
            marketing_carrier_flight_number: String(index),
            operating_carrier: CARRIER,
            stops: [],
            passengers: [
              {
                passenger_id: "pas_1",
                seat: null,
                cabin_class: "economy",
                baggages: [{ type: "carry_on", quantity: 1 }],
              },
            ],
          },
        ],
      },
    ],
    conditions: {
      refund_before_departure: { allowed: true, penalty_amount: "10.00", penalty_currency: "USD" },
      change_before_departure: { allowed: false, penalty_amount: null, penalty_currency: null },
    },
    payment_requirements: {
      requires_instant_payment: false,
      price_guarantee_expires_at: EXPIRES_AT,
      payment_required_by: EXPIRES_AT,
    },
    passengers: [{ id: "pas_1", type: "adult", age: null, fare_type: null }],
    passenger_identity_documents_required: false,
    supported_passenger_identity_document_types: ["passport"],
    private_fares: [],
    available_airline_credit_ids: [],
    total_emissions_kg: "60",
    expires_at: EXPIRES_AT,
  };
}
