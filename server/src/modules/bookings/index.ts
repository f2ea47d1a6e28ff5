export {
  type AskedBooking,
  differingContact,
  hashContact,
  hashParticulars,
  requireSame,
} from "./booking/asked-booking.ts";
export { type AskedService, priceOfServices, type SeenService } from "./booking/asked-services.ts";
export {
  type BookOptions,
  bookOnce,
  type PreparedBooking,
  requireBalance,
  requireTravelers,
} from "./booking/book-once.ts";
export { type BookedTraveler, BookedTravelers } from "./booking/booked-travelers.ts";
export {
  type BookingMove,
  type BookingSteps,
  type BookingStorage,
  booked,
  bookingUse,
  ledgerReference,
  type NextBookingMove,
} from "./booking/booking-effect.ts";
export {
  BookingResult,
  balancePays,
  ChargeTransferId,
  ChargeTxHash,
  COVERED,
  CoveredUsdc,
  NextStep,
  OrderHashes,
  sayNext,
  sayWhoPays,
  toBookedSegment,
  toResult,
  VendorAddress,
} from "./booking/booking-result.ts";
export type { Booking, Bookings, Ticket } from "./booking/bookings.ts";
export { coverErrors } from "./booking/cover.ts";
export { findLiveBooking } from "./booking/find-live-booking.ts";
export { hashItinerary, hashTicketOrder, newSalt, pickNames } from "./booking/order-hashes.ts";
export { planBooking } from "./booking/plan-booking.ts";
export { readBookingColumns } from "./booking/store.ts";
export {
  BOOKING_RATE,
  BookingRate,
  fromUsdc,
  inUsdc,
  partsInUsdc,
  type RatePorts,
  requireRate,
  type SaleRates,
  saleRates,
  shownInUsdc,
  toRate,
} from "./booking-rate.ts";
export { toPurchase, unknownPurchase } from "./offers/bought.ts";
export {
  keepsRecords,
  requireSeenPrice,
  type SeenComparable,
  type SeenFlight,
  type SeenOffer,
  type SeenOffers,
  type SeenStay,
} from "./offers/seen-offers.ts";
export { readChargeHash } from "./read-charge-hash.ts";
