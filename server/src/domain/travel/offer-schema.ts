import { z } from "zod";
import { DecimalAmount, detailsOfOthers, Provenance } from "../schemas.ts";

/** Kept short for lists of offers: no aircraft or terminals. */
const Segment = z.object({
  id: z.string().describe("Same as segmentId of seats in list_flight_ancillaries"),
  carrier: z.string(),
  flightNumber: z.string(),
  operatingCarrier: z.string(),
  origin: z.string(),
  destination: z.string(),
  departingAt: z.string().describe("Airport local time, without offset"),
  arrivingAt: z.string().describe("Airport local time, without offset"),
  durationMinutes: z.number(),
  cabinClass: z.string(),
});

const details = (members: string) => z.array(detailsOfOthers()).readonly().default([]).describe(members);

export const Slice = z.object({
  origin: z.string(),
  destination: z.string(),
  durationMinutes: z.number(),
  segments: z.array(Segment).readonly(),
});

/** For an offer in a search, where size matters: redundant members are left out. */
export const SearchedSlice = Slice.extend({
  segments: z
    .array(
      Segment.omit({ durationMinutes: true }).extend({
        operatingCarrier: z.string().optional().describe("Present if another airline operates it"),
        cabinClass: z.string().optional().describe("Present if the offer's flights have several"),
        technicalStops: z.array(z.string()).optional().describe("Airports where it stops under the same flight number"),
      }),
    )
    .readonly(),
});

/** An order's facts about a flight besides route and times. */
export const FlownSegment = {
  stops: details("Technical stops: airport, arrivingAt and departingAt (local), durationMinutes"),
  passengers: details("passengerId, cabinClass, baggage in the fare (type, quantity), seat or null"),
};

const Condition = z
  .object({ allowed: z.boolean(), penaltyAmount: DecimalAmount.nullable(), penaltyCurrency: z.string().nullable() })
  .nullable()
  .describe("null: the airline did not say");

const OrderedSegment = Segment.extend({ durationMinutes: z.number().nullable() });

/** For an order, whose supplier may leave members out. */
export const OrderedSlice = Slice.extend({
  durationMinutes: z.number().nullable(),
  segments: z.array(OrderedSegment).readonly(),
});

/** The same with all known facts of its flights. */
export const DescribedSlice = OrderedSlice.extend({
  id: z.string().describe("For slice_id of request_order_change"),
  changeBeforeDeparture: Condition,
  segments: z.array(OrderedSegment.extend(FlownSegment)).readonly(),
});

/** The persons behind passenger ids. */
export const NamedPassengers = details("id, givenName, familyName");

export const VoidWindow = z
  .string()
  .nullable()
  .describe("Until then, the airline may cancel it free of charge; see cancel_order_quote");

const REFUND_FORM = "Refunds are paid as money or airline credit; null: the airline did not say";

export const Conditions = z.object({
  refundBeforeDeparture: Condition.describe(REFUND_FORM),
  changeBeforeDeparture: Condition,
});

const OfferedCondition = z
  .object({ allowed: z.boolean(), penaltyAmount: DecimalAmount.nullish(), penaltyCurrency: z.string().nullish() })
  .nullable()
  .describe("null: the airline did not say");

/** In a list of offers: no penalties for what is not allowed. */
export const OfferedConditions = z.object({
  refundBeforeDeparture: OfferedCondition.describe(REFUND_FORM),
  changeBeforeDeparture: OfferedCondition,
});

export const PaymentRequirements = z.object({
  requiresInstantPayment: z.boolean(),
  priceGuaranteeExpiresAt: z.string().nullable(),
  paymentRequiredBy: z.string().nullable(),
});

/** The caller's wishes that the supplier does not know. */
export const NotApplied = z.array(z.object({ input: z.string(), value: z.string(), reason: z.string() })).readonly();

export const SupplierResult = Provenance.extend({ sandbox: z.boolean() });
