import { z } from "zod";
import { DecimalAmount, Provenance } from "../../domain/schemas.ts";

const Segment = z.object({
  id: z.string().describe("segmentId of seats in list_flight_ancillaries"),
  carrier: z.string(),
  carrierName: z.string(),
  flightNumber: z.string(),
  operatingCarrier: z.string(),
  origin: z.string(),
  destination: z.string(),
  originTerminal: z.string().nullable(),
  destinationTerminal: z.string().nullable(),
  departingAt: z.string().describe("Local time at the airport, no offset"),
  arrivingAt: z.string().describe("Local time at the airport, no offset"),
  durationMinutes: z.number(),
  aircraft: z.string().nullable(),
  cabinClass: z.string(),
  baggage: z.array(z.object({ type: z.string(), quantity: z.number() })).readonly(),
});

export const Slice = z.object({
  id: z.string(),
  origin: z.string(),
  destination: z.string(),
  durationMinutes: z.number(),
  fareBrandName: z.string().nullable(),
  segments: z.array(Segment).readonly(),
});

const Condition = z
  .object({ allowed: z.boolean(), penaltyAmount: DecimalAmount.nullable(), penaltyCurrency: z.string().nullable() })
  .nullable()
  .describe("null: the airline did not say");

export const Conditions = z.object({ refundBeforeDeparture: Condition, changeBeforeDeparture: Condition });

export const PaymentRequirements = z.object({
  requiresInstantPayment: z.boolean(),
  priceGuaranteeExpiresAt: z.string().nullable(),
  paymentRequiredBy: z.string().nullable(),
});

export const Offer = z.object({
  id: z.string().describe("offerId of book_flight"),
  totalAmount: DecimalAmount,
  totalCurrency: z.string(),
  baseAmount: DecimalAmount,
  taxAmount: DecimalAmount.nullable(),
  owner: z.object({ iataCode: z.string(), name: z.string() }),
  slices: z.array(Slice).readonly(),
  conditions: Conditions,
  paymentRequirements: PaymentRequirements,
  passengers: z
    .array(z.object({ id: z.string(), type: z.string().nullable(), fareType: z.string().nullable() }))
    .readonly(),
  identityDocumentsRequired: z.boolean(),
  privateFares: z
    .array(
      z.object({
        type: z.string(),
        corporateCode: z.string().optional(),
        tourCode: z.string().optional(),
        trackingReference: z.string().optional(),
      }),
    )
    .readonly(),
  availableAirlineCreditIds: z.array(z.string()).readonly(),
  totalEmissionsKg: z.string().nullable(),
  expiresAt: z.string(),
});

/** What the caller asked for and the supplier does not know. */
export const NotApplied = z.array(z.object({ input: z.string(), value: z.string(), reason: z.string() })).readonly();

export const SupplierResult = Provenance.extend({ sandbox: z.boolean() });
