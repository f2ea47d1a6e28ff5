import type { FlightOffer, FlightSearchResult } from "../../../ports/supplier/flights.ts";

const OFFERS = 100;
const EXPIRES_AT = "2026-01-01T00:30:00Z";

/** The result of a search for rehearsals. Nobody is shown it. */
export function buildSampleSearch(): FlightSearchResult {
  return {
    offers: Array.from({ length: OFFERS }, (_, index) => buildOffer(index)),
    notApplied: [],
    provenance: { source: "", sourceLevel: "embedded", asOf: "" },
    sandbox: true,
  };
}

function buildOffer(index: number): FlightOffer {
  const hour = String(6 + (index % 16)).padStart(2, "0");
  const flown = { origin: "LHR", destination: "CDG", durationMinutes: 59 };
  return {
    id: `off_sample_${index}`,
    totalAmount: `${100 + index}.00`,
    totalCurrency: "USD",
    taxAmount: "20.00",
    owner: { iataCode: "ZZ", name: "Duffel Airways" },
    slices: [
      {
        ...flown,
        id: `sli_${index}`,
        fareBrandName: "Basic",
        changeBeforeDeparture: null,
        segments: [
          {
            ...flown,
            id: `seg_${index}`,
            carrier: "ZZ",
            carrierName: "Duffel Airways",
            flightNumber: `ZZ${index}`,
            operatingCarrier: "ZZ",
            originTerminal: null,
            destinationTerminal: null,
            departingAt: `2026-03-01T${hour}:00:00`,
            arrivingAt: `2026-03-01T${hour}:59:00`,
            aircraft: null,
            cabinClass: "economy",
            baggage: [{ type: "carry_on", quantity: 1 }],
            stops: [],
            passengers: [],
          },
        ],
      },
    ],
    conditions: {
      refundBeforeDeparture: { allowed: true, penaltyAmount: "10.00", penaltyCurrency: "USD" },
      changeBeforeDeparture: null,
    },
    paymentRequirements: { requiresInstantPayment: true, priceGuaranteeExpiresAt: null, paymentRequiredBy: null },
    passengers: [{ id: "pas_1", type: "adult", fareType: null }],
    identityDocumentsRequired: false,
    identityDocumentTypes: [],
    privateFares: [],
    availableAirlineCreditIds: [],
    totalEmissionsKg: "60",
    expiresAt: EXPIRES_AT,
  };
}
