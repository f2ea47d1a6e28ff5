import type { CallOptions } from "./flights.ts";
import type { Beds, CancellationPolicy } from "./stays.ts";

/**
 * Booking of stays. Failures as in `ports/supplier/flights.ts`, and: `rate_not_found`, `rate_unavailable` (sold out),
 * `quote_not_found`, `quote_expired`, `price_changed`, `booking_not_found`, `already_cancelled`, `not_cancellable`,
 * `negotiated_rate_not_found`, `outcome_unknown`.
 */

export interface StayQuote {
  /** `quo_…` */
  id: string;
  accommodation: { id: string; name: string; address: string | null };
  checkInDate: string;
  checkOutDate: string;
  rooms: number;
  guests: number;
  /** The ages of the guests who are children; the others are adults. Null: the supplier does not say who is which. */
  childAges: readonly number[] | null;
  /** In each room. Empty: the supplier does not say. */
  beds: readonly Beds[];
  totalAmount: string;
  totalCurrency: string;
  taxAmount: string | null;
  feeAmount: string | null;
  /** Paid at the accommodation, not to us. */
  dueAtAccommodationAmount: string | null;
  dueAtAccommodationCurrency: string | null;
  cancellationPolicy: CancellationPolicy;
  conditions: readonly { title: string; description: string }[];
  supportedLoyaltyProgramme: string | null;
  negotiatedRateId: string | null;
  /** ISO 8601 UTC. */
  expiresAt: string | null;
}

export interface StayBookingRequest {
  quoteId: string;
  /** Our id, stored in the supplier's metadata. */
  bookingId: string;
  email: string;
  phoneNumber: string;
  guests: readonly { givenName: string; familyName: string; customerUserId?: string }[];
  customerUserIds: readonly string[];
  loyaltyProgrammeAccountNumber?: string;
  specialRequests?: string;
}

export interface SupplierStay {
  /** `bok_…`: the order's id for callers. */
  id: string;
  /** The accommodation's confirmation. */
  reference: string | null;
  bookingId: string | null;
  status: "confirmed" | "cancelled";
  /** Empty, like the dates, if the supplier does not say. */
  accommodationName: string;
  /** In one line. Null or left out, like the phone number, if the supplier does not say. */
  accommodationAddress?: string | null;
  accommodationPhone?: string | null;
  checkInDate: string;
  checkOutDate: string;
  /** Null: not given, as the booking may have several rates; the quote's price holds. */
  price: { amount: string; currency: string } | null;
  confirmedAt: string | null;
  /** Null also for a cancelled stay if the supplier does not say when. */
  cancelledAt: string | null;
  cancellationPolicy: CancellationPolicy;
  keyCollectionInstructions: string | null;
  /** The wishes that it was booked with. Null or left out: none, or the supplier does not say. */
  specialRequests?: string | null;
  /** Paid at the accommodation, not to us. Null: nothing, or not given, as the booking may have several rates. */
  dueAtAccommodation: { amount: string; currency: string } | null;
}

export interface NegotiatedRate {
  /** `nre_…` */
  id: string;
  displayName: string;
  rateAccessCode: string | null;
  accommodationIds: readonly string[];
}

export interface StayBookings {
  /** How long to wait after an unknown outcome before a look-up proves that nothing happened. */
  readonly quietMilliseconds: number;
  quoteStay(rateId: string, options?: CallOptions): Promise<StayQuote>;
  getQuote(quoteId: string, options?: CallOptions): Promise<StayQuote>;
  /** Books and pays from the operator's balance. Sent once, never repeated. */
  bookStay(request: StayBookingRequest): Promise<SupplierStay>;
  getStay(stayId: string, options?: CallOptions): Promise<SupplierStay>;
  /** Bookings with our booking id made since `since`; the look-up after an unknown outcome. */
  findStaysByBooking(bookingId: string, since: Temporal.Instant): Promise<readonly SupplierStay[]>;
  /** Sent once, never repeated; afterwards `getStay` says whether it took effect. The policy determines the refund. */
  cancelStay(stayId: string): Promise<SupplierStay>;
  createNegotiatedRate(rate: Omit<NegotiatedRate, "id"> & { rateAccessCode: string }): Promise<NegotiatedRate>;
  updateNegotiatedRate(
    id: string,
    change: { displayName?: string; accommodationIds?: readonly string[] },
  ): Promise<NegotiatedRate>;
  /** Does nothing if it is already gone. */
  deleteNegotiatedRate(id: string): Promise<void>;
}
