import type { FlightOffer, Segment, Slice } from "../../src/ports/supplier/flights.ts";

export function segment(change: Partial<Segment> = {}): Segment {
  return {
    id: "seg_1",
    carrier: "BA",
    carrierName: "British Airways",
    flightNumber: "BA117",
    operatingCarrier: "BA",
    origin: "LHR",
    destination: "JFK",
    originTerminal: "5",
    destinationTerminal: "8",
    departingAt: "2027-01-20T08:25:00",
    arrivingAt: "2027-01-20T11:20:00",
    durationMinutes: 475,
    aircraft: "Boeing 777-300ER",
    cabinClass: "economy",
    baggage: [{ type: "checked", quantity: 1 }],
    stops: [],
    passengers: [],
    ...change,
  };
}

export function slice(segments: readonly Segment[] = [segment()], change: Partial<Slice> = {}): Slice {
  return {
    id: "sli_1",
    origin: segments[0]?.origin ?? "LHR",
    destination: segments.at(-1)?.destination ?? "JFK",
    durationMinutes: 475,
    fareBrandName: "Basic",
    changeBeforeDeparture: null,
    segments,
    ...change,
  };
}

export function offer(change: Partial<FlightOffer> = {}): FlightOffer {
  return {
    id: "off_1",
    totalAmount: "412.50",
    totalCurrency: "USD",
    taxAmount: "62.50",
    owner: { iataCode: "BA", name: "British Airways" },
    slices: [slice()],
    conditions: {
      refundBeforeDeparture: { allowed: false, penaltyAmount: null, penaltyCurrency: null },
      changeBeforeDeparture: { allowed: true, penaltyAmount: "75.00", penaltyCurrency: "USD" },
    },
    paymentRequirements: {
      requiresInstantPayment: false,
      priceGuaranteeExpiresAt: "2026-11-22T10:00:00Z",
      paymentRequiredBy: "2026-11-22T10:00:00Z",
    },
    passengers: [{ id: "pas_1", type: "adult", fareType: null }],
    identityDocumentsRequired: false,
    identityDocumentTypes: ["passport"],
    privateFares: [],
    availableAirlineCreditIds: [],
    totalEmissionsKg: "460",
    expiresAt: "2099-01-01T00:00:00Z",
    ...change,
  };
}
