export {
  type AskedBooking,
  contactHashesOf,
  differingContact,
  particularsHashOf,
  requireSame,
} from "./asked-booking.ts";
export { type AskedService, priceOfServices, type SeenService } from "./asked-services.ts";
export { type BookOptions, bookOnce, type PreparedBooking, requireBalance, requireTravelers } from "./book-once.ts";
export type { BookedTraveler } from "./booked-travelers.ts";
export {
  type BookingMove,
  type BookingSteps,
  type BookingStorage,
  booked,
  bookingUse,
  ledgerReference,
  type NextBookingMove,
} from "./booking-effect.ts";
export {
  BOOKING_RATE,
  BookingRate,
  inUsdc,
  partsInUsdc,
  type RatePorts,
  requireRate,
  type SaleRates,
  saleRates,
  shownInUsdc,
  toRate,
} from "./booking-rate.ts";
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
} from "./booking-result.ts";
export type { Booking, Bookings } from "./bookings.ts";
export { toPurchase, unknownPurchase } from "./bought.ts";
export { checkSlice } from "./check-slice.ts";
export { coverErrors } from "./cover.ts";
export { isBefore, isEarlier, todayAt } from "./dates.ts";
export { departureOf, sayVoidWindow } from "./first-departure.ts";
export {
  Conditions,
  DescribedSlice,
  NamedPassengers,
  NotApplied,
  OfferedConditions,
  OrderedSlice,
  PaymentRequirements,
  SearchedSlice,
  Slice,
  SupplierResult,
  VoidWindow,
} from "./offer-schema.ts";
export { itineraryHashOf, namesOf, newSalt, ticketOrderHashOf } from "./order-hashes.ts";
export { planBooking } from "./plan-booking.ts";
export { readChargeHash } from "./read-charge-hash.ts";
export { isSameWay } from "./same-way.ts";
export { DueAtAccommodation, sayDue } from "./say-due.ts";
export { seenCarriers, seenLegs } from "./see-slices.ts";
export {
  keepsRecords,
  requireSeenPrice,
  type SeenFlight,
  type SeenOffer,
  type SeenOffers,
  type SeenStay,
} from "./seen-offers.ts";
export { rateErrors, supplierErrors } from "./supplier-errors.ts";
export { TimeZones, timeZonesOf } from "./time-zones.ts";
