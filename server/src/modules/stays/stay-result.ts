import { z } from "zod";
import type { Micro } from "../../domain/money.ts";
import { DecimalAmount, wordsOfOthers } from "../../domain/schemas.ts";
import { SupplierResult } from "../../domain/travel/offer-schema.ts";
import { DueAtAccommodation, sayDue } from "../../domain/travel/say-due.ts";
import type { SupplierStay } from "../../ports/supplier/stay-bookings.ts";
import type { Stays } from "../../ports/supplier/stays.ts";
import {
  type Booking,
  BookingRate,
  ChargeTransferId,
  ChargeTxHash,
  COVERED,
  CoveredUsdc,
  hashItinerary,
  hashTicketOrder,
  inUsdc,
  NextStep,
  OrderHashes,
  pickNames,
  sayWhoPays,
  VendorAddress,
} from "../bookings/index.ts";

export const StayCancellationPolicy = z.object({
  refundable: z.boolean(),
  timeline: z
    .array(z.object({ before: z.string(), refundAmount: DecimalAmount, currency: z.string() }))
    .readonly()
    .describe("What cancelling before each moment refunds; nothing afterwards"),
});

export const StayResult = SupplierResult.extend({
  bookingId: z.string(),
  orderId: z.string().describe("For cancel_order_quote"),
  quoteId: z.string(),
  reference: wordsOfOthers("To show at the accommodation").nullable(),
  status: z.enum(["confirmed", "cancelled"]),
  accommodationName: wordsOfOthers(),
  accommodationAddress: wordsOfOthers().nullable().default(null),
  accommodationPhone: wordsOfOthers().nullable().default(null),
  checkInDate: z.string(),
  checkOutDate: z.string(),
  totalAmount: DecimalAmount,
  totalCurrency: z.string(),
  dueAtAccommodation: DueAtAccommodation,
  chargedUsdc: DecimalAmount.describe("Taken from the treasury wallet"),
  coveredUsdc: CoveredUsdc,
  chargeTransferId: ChargeTransferId,
  chargeTxHash: ChargeTxHash,
  rate: BookingRate,
  cancellationPolicy: StayCancellationPolicy,
  keyCollectionInstructions: wordsOfOthers().nullable(),
  confirmedAt: z.string().nullable(),
  travelers: z
    .array(z.object({ givenName: wordsOfOthers(), familyName: wordsOfOthers(), userId: z.string().optional() }))
    .readonly()
    .default([]),
  ...OrderHashes.shape,
  vendorAddress: VendorAddress,
  next: NextStep,
});
export type StayResult = z.infer<typeof StayResult>;

function shownPrice({ totalAmount: amount, totalCurrency: currency }: Booking, { price }: SupplierStay) {
  return price ?? { amount, currency };
}

/**
 * The amount taken from the balance: the supplier's price of the stay, at most the held amount. A stay in another currency than
 * its quote takes the held amount, since that was requested.
 */
export function balancePaysForStay(booking: Booking, stay: SupplierStay): Micro {
  const { amount, currency } = shownPrice(booking, stay);
  const total = currency === booking.totalCurrency ? inUsdc(amount, currency, booking.rate) : undefined;
  return total === undefined || total > booking.amountMicroUsdc ? booking.amountMicroUsdc : total;
}

const CANCELLING = "cancel_order_quote says what cancelling it would refund.";
const NOTHING_LEFT = "Nothing is left to do for this stay.";
const IN_ESCROW = `${CANCELLING} To charge it to a trip's budget, pass itineraryHash and vendorAddress to commit_booking and ticketOrderHash to confirm_flight: settle_booking then returns to the wallet what it has paid.`;

export function sayNextOfStay(
  { dueAtAccommodation }: Pick<StayResult, "dueAtAccommodation">,
  { isCovered }: { isCovered: boolean },
): string {
  const due = sayDue(dueAtAccommodation);
  // A guest with an amount due there has something left to do.
  const first = due.length === 0 ? [NOTHING_LEFT] : due;
  return [...first, ...(isCovered ? [COVERED, CANCELLING] : [IN_ESCROW])].join(" ");
}

export function toStayResult(
  stays: Pick<Stays, "provenance" | "sandbox">,
  booking: Booking,
  stay: SupplierStay,
): Omit<StayResult, "chargeTransferId" | "chargeTxHash" | "vendorAddress"> & {
  itineraryHash: string;
  ticketOrderHash: string;
} {
  const { id: orderId, bookingId: _, cancelledAt: __, price: ___, ...facts } = stay;
  const { amount, currency } = shownPrice(booking, stay);
  const { accommodationName, checkInDate, checkOutDate } = stay;
  const place = { accommodationName, checkInDate, checkOutDate };
  const travelers = pickNames(booking.travelers);
  const proofs = [stay.reference ?? orderId];
  return {
    ...facts,
    totalAmount: amount,
    totalCurrency: currency,
    bookingId: booking.id,
    orderId,
    travelers: booking.travelers.map(({ givenName, familyName, userId }) => ({
      givenName,
      familyName,
      ...(userId === undefined ? {} : { userId }),
    })),
    itineraryHash: hashItinerary({ orderId, travelers, stay: place, amount, currency }, booking.itinerarySalt),
    ticketOrderHash: hashTicketOrder({ orderId, proofs }, booking.itinerarySalt),
    next: sayNextOfStay(stay, { isCovered: booking.escrowBookingId !== undefined }),
    accommodationAddress: stay.accommodationAddress ?? null,
    accommodationPhone: stay.accommodationPhone ?? null,
    quoteId: booking.offerId,
    ...sayWhoPays(booking, balancePaysForStay(booking, stay)),
    rate: booking.rate,
    ...stays.provenance(),
    sandbox: stays.sandbox,
  };
}
