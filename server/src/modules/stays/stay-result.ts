import { z } from "zod";
import { formatDecimal, type Micro } from "../../domain/money.ts";
import { DecimalAmount } from "../../domain/schemas.ts";
import type { SupplierStay } from "../../ports/stay-bookings.ts";
import type { Stays } from "../../ports/stays.ts";
import { BOOKING_RATE, type Booking, BookingRate, SupplierResult, toMicroUsdc } from "../bookings/index.ts";

export const StayCancellationPolicy = z.object({
  refundable: z.boolean(),
  timeline: z
    .array(z.object({ before: z.string(), refundAmount: DecimalAmount, currency: z.string() }))
    .readonly()
    .describe("What cancelling before each moment gives back; afterwards nothing"),
});

export const StayResult = SupplierResult.extend({
  bookingId: z.string(),
  orderId: z.string().describe("For cancel_order_quote"),
  quoteId: z.string(),
  reference: z.string().nullable().describe("Shown at the accommodation"),
  status: z.enum(["confirmed", "cancelled"]),
  accommodationName: z.string(),
  checkInDate: z.string(),
  checkOutDate: z.string(),
  totalAmount: DecimalAmount,
  totalCurrency: z.string(),
  chargedUsdc: DecimalAmount.describe("Taken from the treasury wallet"),
  rate: BookingRate,
  cancellationPolicy: StayCancellationPolicy,
  keyCollectionInstructions: z.string().nullable(),
  confirmedAt: z.string().nullable(),
});
export type StayResult = z.infer<typeof StayResult>;

/**
 * What the balance pays: the stay's price by the supplier's books; at most what is held. A stay in another currency than its
 * quote was paid with what is held, as that is what was asked.
 */
export function balancePaysForStay(booking: Booking, stay: SupplierStay): Micro {
  const total = stay.totalCurrency === booking.totalCurrency ? toMicroUsdc(stay.totalAmount) : undefined;
  return total === undefined || total > booking.amountMicroUsdc ? booking.amountMicroUsdc : total;
}

export function toStayResult(
  stays: Pick<Stays, "provenance" | "sandbox">,
  booking: Booking,
  stay: SupplierStay,
): StayResult {
  const { id: orderId, bookingId: _, cancelledAt: __, ...facts } = stay;
  return {
    ...facts,
    bookingId: booking.id,
    orderId,
    quoteId: booking.offerId,
    chargedUsdc: formatDecimal(balancePaysForStay(booking, stay)),
    rate: BOOKING_RATE,
    ...stays.provenance(),
    sandbox: stays.sandbox,
  };
}
