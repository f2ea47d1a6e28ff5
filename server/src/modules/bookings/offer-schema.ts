import { z } from "zod";
import { DecimalAmount, Provenance } from "../../domain/schemas.ts";

/** As short as a list of offers must be: what describes an aircraft or a terminal is not in it. */
const Segment = z.object({
  id: z.string().describe("segmentId of seats in list_flight_ancillaries"),
  carrier: z.string(),
  flightNumber: z.string(),
  operatingCarrier: z.string(),
  origin: z.string(),
  destination: z.string(),
  departingAt: z.string().describe("Local time at the airport, no offset"),
  arrivingAt: z.string().describe("Local time at the airport, no offset"),
  durationMinutes: z.number(),
  cabinClass: z.string(),
});

export const Slice = z.object({
  origin: z.string(),
  destination: z.string(),
  durationMinutes: z.number(),
  segments: z.array(Segment).readonly(),
});

/** Of an order, which stands also where the supplier does not say everything. */
export const OrderedSlice = Slice.extend({
  durationMinutes: z.number().nullable(),
  segments: z.array(Segment.extend({ durationMinutes: z.number().nullable() })).readonly(),
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

/** What the caller asked for and the supplier does not know. */
export const NotApplied = z.array(z.object({ input: z.string(), value: z.string(), reason: z.string() })).readonly();

export const SupplierResult = Provenance.extend({ sandbox: z.boolean() });
