import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { NegotiatedRate, StayBookingRequest, StayQuote, SupplierStay } from "../../ports/stay-bookings.ts";
import type { CancellationPolicy } from "../../ports/stays.ts";
import { BOOKING_ID } from "./map-orders.ts";
import { addressLine, amountDue, toPolicy, WireAddress, WireTimeline } from "./map-stays.ts";
import { Amount, Count, Currency, Instant, Text } from "./wire.ts";

/** Quotes and bookings of stays. Both carry the accommodation with the one rate that they are of. */

const WireRate = z.object({
  total_amount: Amount,
  total_currency: Currency,
  cancellation_timeline: WireTimeline,
  conditions: z
    .array(z.object({ title: z.string(), description: z.string().nullish() }))
    .nullish()
    .catch(null),
  negotiated_rate_id: z.string().nullish().catch(null),
});
type WireRate = z.infer<typeof WireRate>;

// A stay that was booked is known to be booked whatever is wrong with what only describes it.
const WireRooms = z
  .array(z.object({ rates: z.array(WireRate).nullish() }))
  .nullish()
  .catch(null);

const WireProgramme = z.string().nullish().catch(null);

export const WireQuote = z.object({
  id: Text,
  check_in_date: Text,
  check_out_date: Text,
  rooms: Count,
  guests: z.array(z.unknown()),
  accommodation: z.object({
    id: Text,
    name: Text,
    location: z.object({ address: WireAddress }).nullish(),
    rooms: WireRooms,
    supported_loyalty_programme: WireProgramme,
  }),
  total_amount: Amount,
  total_currency: Currency,
  tax_amount: Amount.nullish(),
  fee_amount: Amount.nullish(),
  due_at_accommodation_amount: Amount.nullish(),
  due_at_accommodation_currency: Currency.nullish(),
  cancellation_timeline: WireTimeline,
  supported_loyalty_programme: WireProgramme,
  negotiated_rate_id: z.string().nullish(),
  expires_at: Instant.nullish(),
});

function ratesOf(rooms: z.infer<typeof WireRooms>): readonly WireRate[] {
  return (rooms ?? []).flatMap((room) => room.rates ?? []);
}

/** The rate that was chosen, as long as there is no doubt which one it is. */
function onlyRate(rates: readonly WireRate[]): WireRate | undefined {
  return rates.length === 1 ? rates[0] : undefined;
}

/** What every rate says; several rooms have a rate each. */
function agreed<T>(rates: readonly WireRate[], listOf: (rate: WireRate) => readonly T[] | null | undefined): T[] {
  const [first, ...others] = rates.map((rate) => listOf(rate) ?? []);
  return (first ?? []).filter((item) => others.every((list) => list.some((other) => isDeepStrictEqual(other, item))));
}

export function toQuote(quote: z.infer<typeof WireQuote>): StayQuote {
  const { accommodation } = quote;
  const rates = ratesOf(accommodation.rooms);
  return {
    id: quote.id,
    accommodation: {
      id: accommodation.id,
      name: accommodation.name,
      address: addressLine(accommodation.location?.address),
    },
    checkInDate: quote.check_in_date,
    checkOutDate: quote.check_out_date,
    rooms: quote.rooms,
    guests: quote.guests.length,
    totalAmount: quote.total_amount,
    totalCurrency: quote.total_currency,
    taxAmount: quote.tax_amount ?? null,
    feeAmount: quote.fee_amount ?? null,
    dueAtAccommodationAmount: amountDue(quote.due_at_accommodation_amount),
    dueAtAccommodationCurrency:
      amountDue(quote.due_at_accommodation_amount) === null ? null : (quote.due_at_accommodation_currency ?? null),
    cancellationPolicy: toPolicy(
      quote.cancellation_timeline ?? agreed(rates, ({ cancellation_timeline: timeline }) => timeline),
    ),
    conditions: agreed(rates, ({ conditions }) => conditions).map(({ title, description }) => ({
      title,
      description: description ?? "",
    })),
    supportedLoyaltyProgramme: quote.supported_loyalty_programme ?? accommodation.supported_loyalty_programme ?? null,
    negotiatedRateId: quote.negotiated_rate_id ?? onlyRate(rates)?.negotiated_rate_id ?? null,
    expiresAt: quote.expires_at ?? null,
  };
}

export const WireStayBooking = z
  .object({
    id: Text,
    reference: z.string().nullish().catch(null),
    status: z.enum(["confirmed", "cancelled"]),
    confirmed_at: Instant.nullish(),
    cancelled_at: Instant.nullish(),
    check_in_date: Text,
    check_out_date: Text,
    accommodation: z.object({ name: z.string().catch(""), rooms: WireRooms }).catch({ name: "", rooms: null }),
    total_amount: Amount.nullish(),
    total_currency: Currency.nullish(),
    cancellation_timeline: WireTimeline.catch(null),
    key_collection: z.object({ instructions: z.string().nullish() }).nullish().catch(null),
    metadata: z.record(z.string(), z.unknown()).nullish().catch(null),
  })
  .transform((booking) => {
    const rates = ratesOf(booking.accommodation.rooms);
    const rate = onlyRate(rates);
    const amount = booking.total_amount ?? rate?.total_amount;
    const currency = booking.total_currency ?? rate?.total_currency;
    const policy: CancellationPolicy = toPolicy(
      booking.cancellation_timeline ?? agreed(rates, ({ cancellation_timeline: timeline }) => timeline),
    );
    return { ...booking, price: amount && currency ? { amount, currency } : null, policy };
  });

export function toStay(booking: z.infer<typeof WireStayBooking>): SupplierStay {
  const bookingId = booking.metadata?.[BOOKING_ID];
  return {
    id: booking.id,
    reference: booking.reference ?? null,
    bookingId: typeof bookingId === "string" ? bookingId : null,
    status: booking.status,
    accommodationName: booking.accommodation.name,
    checkInDate: booking.check_in_date,
    checkOutDate: booking.check_out_date,
    price: booking.price,
    confirmedAt: booking.confirmed_at ?? null,
    cancelledAt: booking.cancelled_at ?? null,
    cancellationPolicy: booking.policy,
    keyCollectionInstructions: booking.key_collection?.instructions ?? null,
  };
}

export function toStayBookingData(request: StayBookingRequest): Record<string, unknown> {
  const users = [
    ...new Set([...request.customerUserIds, ...request.guests.flatMap((guest) => guest.customerUserId ?? [])]),
  ];
  return {
    quote_id: request.quoteId,
    email: request.email,
    phone_number: request.phoneNumber,
    guests: request.guests.map((guest) => ({
      given_name: guest.givenName,
      family_name: guest.familyName,
      ...(guest.customerUserId === undefined ? {} : { user_id: guest.customerUserId }),
    })),
    ...(request.loyaltyProgrammeAccountNumber === undefined
      ? {}
      : { loyalty_programme_account_number: request.loyaltyProgrammeAccountNumber }),
    ...(request.specialRequests === undefined ? {} : { accommodation_special_requests: request.specialRequests }),
    ...(users.length === 0 ? {} : { users }),
    metadata: { [BOOKING_ID]: request.bookingId },
  };
}

export const WireNegotiatedRate = z.object({
  id: Text,
  display_name: z.string(),
  rate_access_code: z.string().nullish(),
  accommodation_ids: z.array(Text).nullish(),
});

export function toNegotiatedRate(rate: z.infer<typeof WireNegotiatedRate>): NegotiatedRate {
  return {
    id: rate.id,
    displayName: rate.display_name,
    rateAccessCode: rate.rate_access_code ?? null,
    accommodationIds: rate.accommodation_ids ?? [],
  };
}
