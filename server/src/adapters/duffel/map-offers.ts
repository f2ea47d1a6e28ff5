import { z } from "zod";
import type { Condition, FlightOffer, Segment, Slice } from "../../ports/flights.ts";
import { Amount, Count, Currency, Instant, LocalDateTime, Minutes, Text } from "./wire.ts";

/** The supplier's offers as ours. Unknown fields are ignored; what is used here must fit, or the offer does not count. */

const Place = z.object({ iata_code: Text, time_zone: z.string().nullish() });
const Carrier = z.object({ iata_code: Text.nullish(), name: Text });

/** Without a duration the local times must do, and they mean nothing without their zones. */
function isTimed(duration: unknown, origin: z.infer<typeof Place>, destination: z.infer<typeof Place>): boolean {
  return typeof duration === "number" || (isTimeZone(origin.time_zone) && isTimeZone(destination.time_zone));
}

function isTimeZone(name: string | null | undefined): boolean {
  if (!name) return false;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}

const WireSegment = z
  .object({
    id: Text,
    departing_at: LocalDateTime,
    arriving_at: LocalDateTime,
    origin: Place,
    destination: Place,
    origin_terminal: z.string().nullish(),
    destination_terminal: z.string().nullish(),
    duration: Minutes.nullish(),
    aircraft: z.object({ name: z.string() }).nullish(),
    marketing_carrier: Carrier,
    marketing_carrier_flight_number: Text,
    operating_carrier: Carrier,
    passengers: z
      .array(
        z.object({
          cabin_class: z.string().nullish(),
          baggages: z.array(z.object({ type: Text, quantity: Count })).nullish(),
        }),
      )
      .nullish(),
  })
  .refine((segment) => isTimed(segment.duration, segment.origin, segment.destination), { message: "no duration" });

export const WireSlice = z
  .object({
    id: Text,
    origin: Place,
    destination: Place,
    duration: Minutes.nullish(),
    fare_brand_name: z.string().nullish(),
    segments: z.array(WireSegment).min(1),
  })
  .refine(
    ({ duration, segments }) => {
      const [first] = segments;
      const last = segments.at(-1);
      return first !== undefined && last !== undefined && isTimed(duration, first.origin, last.destination);
    },
    { message: "no duration" },
  );

const WireCondition = z
  .object({ allowed: z.boolean(), penalty_amount: Amount.nullish(), penalty_currency: Currency.nullish() })
  .nullish();

export const WireOwner = z.object({ iata_code: Text.nullish(), name: Text });
export const WireConditions = z
  .object({ refund_before_departure: WireCondition, change_before_departure: WireCondition })
  .nullish();

export const WireOffer = z.object({
  id: Text,
  total_amount: Amount,
  total_currency: Currency,
  base_amount: Amount,
  tax_amount: Amount.nullish(),
  owner: WireOwner,
  slices: z.array(WireSlice).min(1),
  conditions: WireConditions,
  payment_requirements: z.object({
    requires_instant_payment: z.boolean(),
    price_guarantee_expires_at: Instant.nullish(),
    payment_required_by: Instant.nullish(),
  }),
  passengers: z.array(z.object({ id: Text, type: z.string().nullish(), fare_type: z.string().nullish() })).min(1),
  passenger_identity_documents_required: z.boolean().nullish(),
  private_fares: z
    .array(
      z.object({
        type: Text,
        corporate_code: z.string().nullish(),
        tour_code: z.string().nullish(),
        tracking_reference: z.string().nullish(),
      }),
    )
    .nullish(),
  available_airline_credit_ids: z.array(Text).nullish(),
  total_emissions_kg: z.string().nullish(),
  expires_at: Instant,
});
type WireOffer = z.infer<typeof WireOffer>;

/** Some airlines leave a duration out; the two local times and their zones say it as well. */
function minutesBetween(first: z.infer<typeof WireSegment>, last: z.infer<typeof WireSegment>): number {
  const zoned = (local: string, zone: string | null | undefined) =>
    Temporal.PlainDateTime.from(local).toZonedDateTime(zone ?? "UTC");
  const departure = zoned(first.departing_at, first.origin.time_zone);
  const arrival = zoned(last.arriving_at, last.destination.time_zone);
  return Math.round((arrival.epochMilliseconds - departure.epochMilliseconds) / 60_000);
}

function toSegment(segment: z.infer<typeof WireSegment>): Segment {
  const { marketing_carrier: marketing, operating_carrier: operating } = segment;
  const carrier = marketing.iata_code ?? operating.iata_code ?? "";
  const passenger = segment.passengers?.[0];
  return {
    id: segment.id,
    carrier,
    carrierName: marketing.name,
    flightNumber: `${carrier}${segment.marketing_carrier_flight_number}`,
    operatingCarrier: operating.iata_code ?? carrier,
    origin: segment.origin.iata_code,
    destination: segment.destination.iata_code,
    originTerminal: segment.origin_terminal ?? null,
    destinationTerminal: segment.destination_terminal ?? null,
    departingAt: segment.departing_at,
    arrivingAt: segment.arriving_at,
    durationMinutes: segment.duration ?? minutesBetween(segment, segment),
    aircraft: segment.aircraft?.name ?? null,
    cabinClass: passenger?.cabin_class ?? "unknown",
    baggage: (passenger?.baggages ?? []).map(({ type, quantity }) => ({ type, quantity })),
  };
}

export function toSlice(slice: z.infer<typeof WireSlice>): Slice {
  const first = slice.segments[0];
  const last = slice.segments.at(-1);
  return {
    id: slice.id,
    origin: slice.origin.iata_code,
    destination: slice.destination.iata_code,
    durationMinutes: slice.duration ?? (first === undefined || last === undefined ? 0 : minutesBetween(first, last)),
    fareBrandName: slice.fare_brand_name ?? null,
    segments: slice.segments.map(toSegment),
  };
}

export function toCondition(condition: z.infer<typeof WireCondition>): Condition | null {
  if (condition === null || condition === undefined) return null;
  return {
    allowed: condition.allowed,
    penaltyAmount: condition.penalty_amount ?? null,
    penaltyCurrency: condition.penalty_currency ?? null,
  };
}

export function toOffer(offer: WireOffer): FlightOffer {
  const requirements = offer.payment_requirements;
  return {
    id: offer.id,
    totalAmount: offer.total_amount,
    totalCurrency: offer.total_currency,
    baseAmount: offer.base_amount,
    taxAmount: offer.tax_amount ?? null,
    owner: { iataCode: offer.owner.iata_code ?? "", name: offer.owner.name },
    slices: offer.slices.map(toSlice),
    conditions: {
      refundBeforeDeparture: toCondition(offer.conditions?.refund_before_departure),
      changeBeforeDeparture: toCondition(offer.conditions?.change_before_departure),
    },
    paymentRequirements: {
      requiresInstantPayment: requirements.requires_instant_payment,
      priceGuaranteeExpiresAt: requirements.price_guarantee_expires_at ?? null,
      paymentRequiredBy: requirements.payment_required_by ?? null,
    },
    passengers: offer.passengers.map((passenger) => ({
      id: passenger.id,
      type: passenger.type ?? null,
      fareType: passenger.fare_type ?? null,
    })),
    identityDocumentsRequired: offer.passenger_identity_documents_required ?? false,
    privateFares: (offer.private_fares ?? []).map((fare) => ({
      type: fare.type,
      ...(fare.corporate_code ? { corporateCode: fare.corporate_code } : {}),
      ...(fare.tour_code ? { tourCode: fare.tour_code } : {}),
      ...(fare.tracking_reference ? { trackingReference: fare.tracking_reference } : {}),
    })),
    availableAirlineCreditIds: offer.available_airline_credit_ids ?? [],
    totalEmissionsKg: offer.total_emissions_kg ?? null,
    expiresAt: offer.expires_at,
  };
}
