import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type {
  NegotiatedRate,
  StayBookingRequest,
  StayQuote,
  SupplierStay,
} from "../../../ports/supplier/stay-bookings.ts";
import type { CancellationPolicy } from "../../../ports/supplier/stays.ts";
import { BOOKING_ID } from "../flights/map-orders.ts";
import { Amount, Count, Currency, described, describedList, Instant, Text } from "../wire.ts";
import { addressLine, amountDue, toPolicy, WireAddress, WireBeds, WireTimeline } from "./map-stays.ts";

/** Quotes and bookings of stays. Both contain the accommodation with their one rate. */

const WireRate = z.object({
  total_amount: Amount,
  total_currency: Currency,
  cancellation_timeline: described(WireTimeline),
  conditions: describedList(z.object({ title: z.string(), description: described(z.string()) })),
  negotiated_rate_id: described(z.string()),
  due_at_accommodation_amount: described(Amount),
  due_at_accommodation_currency: described(Currency),
});
type WireRate = z.infer<typeof WireRate>;

const WireRooms = described(z.array(z.object({ beds: WireBeds, rates: z.array(WireRate).nullish() })));
const WireGuest = z.union([z.object({ type: z.literal("adult") }), z.object({ type: z.literal("child"), age: Count })]);

export const WireQuote = z.object({
  id: Text,
  check_in_date: Text,
  check_out_date: Text,
  rooms: Count,
  guests: z.array(z.unknown()),
  accommodation: z.object({
    id: Text,
    name: Text,
    location: described(z.object({ address: WireAddress })),
    rooms: WireRooms,
    supported_loyalty_programme: described(z.string()),
  }),
  total_amount: Amount,
  total_currency: Currency,
  tax_amount: described(Amount),
  fee_amount: described(Amount),
  // The amount due there is part of the price: an unreadable one must not count as zero.
  due_at_accommodation_amount: Amount.nullish(),
  due_at_accommodation_currency: Currency.nullish(),
  cancellation_timeline: described(WireTimeline),
  supported_loyalty_programme: described(z.string()),
  negotiated_rate_id: described(z.string()),
  expires_at: Instant.nullish(),
});

function listRates(rooms: z.infer<typeof WireRooms>): readonly WireRate[] {
  return (rooms ?? []).flatMap((room) => room.rates ?? []);
}

/** The chosen rate, if it is unambiguous. */
function onlyRate(rates: readonly WireRate[]): WireRate | undefined {
  return rates.length === 1 ? rates[0] : undefined;
}

/** The items that all rates share; several rooms have a rate each. */
function agreed<T>(rates: readonly WireRate[], pickList: (rate: WireRate) => readonly T[] | null | undefined): T[] {
  const [first, ...others] = rates.map((rate) => pickList(rate) ?? []);
  return (first ?? []).filter((item) => others.every((list) => list.some((other) => isDeepStrictEqual(other, item))));
}

function readChildAges(guests: readonly unknown[]): number[] | null {
  const known = z.array(WireGuest).safeParse(guests).data;
  return known?.flatMap((guest) => (guest.type === "child" ? [guest.age] : [])) ?? null;
}

export function toQuote(quote: z.infer<typeof WireQuote>): StayQuote {
  const { accommodation } = quote;
  const rates = listRates(accommodation.rooms);
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
    childAges: readChildAges(quote.guests),
    beds: accommodation.rooms?.length === 1 ? (accommodation.rooms[0]?.beds ?? []) : [],
    totalAmount: quote.total_amount,
    totalCurrency: quote.total_currency,
    taxAmount: quote.tax_amount,
    feeAmount: quote.fee_amount,
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
    supportedLoyaltyProgramme: quote.supported_loyalty_programme ?? accommodation.supported_loyalty_programme,
    negotiatedRateId: quote.negotiated_rate_id ?? onlyRate(rates)?.negotiated_rate_id ?? null,
    expiresAt: quote.expires_at ?? null,
  };
}

// A booked stay is recognised even with faulty descriptive fields: strict are its identity, its status, and its price if given.
export const WireStayBooking = z
  .object({
    id: Text,
    reference: described(z.string()),
    status: z.enum(["confirmed", "cancelled"]),
    confirmed_at: described(Instant),
    cancelled_at: described(Instant),
    check_in_date: described(Text),
    check_out_date: described(Text),
    accommodation: described(
      z.object({
        name: described(z.string()),
        location: described(z.object({ address: WireAddress })),
        phone_number: described(z.string()),
        rooms: WireRooms,
      }),
    ),
    total_amount: Amount.nullish(),
    total_currency: Currency.nullish(),
    cancellation_timeline: described(WireTimeline),
    key_collection: described(z.object({ instructions: described(z.string()) })),
    accommodation_special_requests: described(z.string()),
    metadata: described(z.record(z.string(), z.unknown())),
  })
  .transform((booking) => {
    const rates = listRates(booking.accommodation?.rooms ?? null);
    const rate = onlyRate(rates);
    const amount = booking.total_amount ?? rate?.total_amount;
    const currency = booking.total_currency ?? rate?.total_currency;
    const policy: CancellationPolicy = toPolicy(
      booking.cancellation_timeline ?? agreed(rates, ({ cancellation_timeline: timeline }) => timeline),
    );
    const due = { amount: amountDue(rate?.due_at_accommodation_amount), currency: rate?.due_at_accommodation_currency };
    return {
      ...booking,
      price: amount && currency ? { amount, currency } : null,
      due: due.amount && due.currency ? { amount: due.amount, currency: due.currency } : null,
      policy,
    };
  });

export function toStay(booking: z.infer<typeof WireStayBooking>): SupplierStay {
  const bookingId = booking.metadata?.[BOOKING_ID];
  return {
    id: booking.id,
    reference: booking.reference,
    bookingId: typeof bookingId === "string" ? bookingId : null,
    status: booking.status,
    accommodationName: booking.accommodation?.name ?? "",
    accommodationAddress: addressLine(booking.accommodation?.location?.address),
    accommodationPhone: booking.accommodation?.phone_number ?? null,
    checkInDate: booking.check_in_date ?? "",
    checkOutDate: booking.check_out_date ?? "",
    price: booking.price,
    confirmedAt: booking.confirmed_at,
    cancelledAt: booking.cancelled_at,
    cancellationPolicy: booking.policy,
    keyCollectionInstructions: booking.key_collection?.instructions ?? null,
    specialRequests: booking.accommodation_special_requests ?? null,
    dueAtAccommodation: booking.due,
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
