/** The tables behind `errors.ts`: subjects of requests, our codes with their texts, and the mapping of the supplier's codes. */

/** The subject of a request, which decides what a 404 or a refusal means to the caller. */
export type Subject =
  | "search"
  | "offer"
  | "booking"
  | "order"
  | "payment"
  | "service_addition"
  | "cancellation"
  | "cancellation_quote"
  | "cancellation_confirmation"
  | "change_request"
  | "change_offer"
  | "change_selection"
  | "change"
  | "change_confirmation"
  | "credit"
  | "customer"
  | "airport"
  | "stay"
  | "negotiated_search"
  | "stay_rate"
  | "stay_quote"
  | "stay_booking"
  | "stay_order"
  | "stay_cancellation"
  | "negotiated_rate"
  | "webhook";

export const DETAIL = {
  provider_timeout: "The supplier did not answer in time. Nothing was done; try again.",
  provider_unavailable: "The supplier is unavailable at the moment. Nothing was done; try again later.",
  outcome_unknown:
    "The request was sent to the supplier, but its outcome is not known yet. It is being checked; do not make a new request for the same thing until then.",
  offer_not_found: "The supplier does not know this offer. Search again and use an offer id from the result.",
  offer_expired: "The offer or its price hold is no longer available. Search again and choose a new offer.",
  price_changed: "The price has changed since it was read. Read it again and confirm the new price.",
  order_not_found: "The supplier does not know this order.",
  booking_rejected:
    "The supplier refused the booking. Nothing was booked. Check the traveler details or choose another offer.",
  hold_not_available: "This offer cannot be held; it must be paid for at once.",
  service_not_available:
    "A requested bag or seat is taken or no longer offered. Nothing was booked; call list_flight_ancillaries again and choose from its list.",
  credit_not_applicable: "The airline credit cannot be used for this offer.",
  order_not_cancellable: "The supplier does not allow this order to be cancelled; it is unchanged. Read it again.",
  cancellation_not_found: "The supplier does not know this cancellation. Request a new quote.",
  cancellation_expired: "The cancellation quote has expired. Request a new one.",
  cancellation_stale: "A newer quote or a change to the order replaced this cancellation. Request a new quote.",
  already_cancelled: "This is already cancelled.",
  already_confirmed: "This is already confirmed.",
  order_not_changeable: "The supplier does not allow this change to the order; it is unchanged.",
  change_offer_not_found: "The supplier does not know this change offer. Request the change again.",
  change_not_found: "The supplier does not know this change. Request the change again.",
  change_expired: "The change or its offer is no longer available. Request the change again.",
  rate_not_found: "The supplier does not know this rate. Search again and use a rate id from the result.",
  rate_unavailable: "The rate is sold out or no longer offered. Search again and choose another.",
  quote_not_found: "The supplier does not know this quote. Request a new one.",
  quote_expired: "The quote has expired. Request a new one.",
  booking_not_found: "The supplier does not know this stay.",
  not_cancellable: "The supplier does not allow this stay to be cancelled; it is unchanged.",
  negotiated_rate_not_found: "The supplier does not know this negotiated rate.",
  customer_email_taken:
    "Another customer at the supplier has this email address. Use save_traveler to set a different one.",
} as const;
export type SupplierCode = keyof typeof DETAIL;

type Codes = ReadonlyMap<string, SupplierCode>;

/** The supplier's error codes with the same meaning everywhere. */
export const CODE_BY_SUPPLIER_CODE: Codes = new Map<string, SupplierCode>([
  ["offer_no_longer_available", "offer_expired"],
  ["offer_expired", "offer_expired"],
  ["offer_request_expired", "offer_expired"],
  ["past_payment_required_by_date", "offer_expired"],
  ["price_changed", "price_changed"],
  ["payment_amount_does_not_match_order_amount", "price_changed"],
  ["payment_amount_does_not_match_offer_amount", "price_changed"],
  ["payment_amount_does_not_match_order_change_amount", "price_changed"],
  ["payment_currency_does_not_match_order_currency", "price_changed"],
  ["payment_currency_does_not_match_offer_currency", "price_changed"],
  ["payment_currency_does_not_match_order_change_currency", "price_changed"],
  ["invalid_order_create_type", "hold_not_available"],
  ["ineligible_airline_credit", "credit_not_applicable"],
  ["airline_credit_not_found", "credit_not_applicable"],
  ["order_cancellation_stale", "cancellation_stale"],
  ["order_cancellation_expired", "cancellation_expired"],
  ["order_change_expired", "change_expired"],
  ["order_change_offer_expired", "change_expired"],
  ["order_change_offer_no_longer_available", "change_expired"],
  ["rate_unavailable", "rate_unavailable"],
  ["rate_expired", "rate_unavailable"],
  ["quote_expired", "quote_expired"],
  ["duplicate_booking", "booking_rejected"],
  ["emails_not_unique", "customer_email_taken"],
  // The operator's account at the supplier is short of money, which the caller cannot fix.
  ["insufficient_balance", "provider_unavailable"],
  ["rate_limit_exceeded", "provider_unavailable"],
  ["order_not_created", "provider_unavailable"],
]);

const CANCELLING: Codes = new Map<string, SupplierCode>([
  ["already_cancelled", "already_cancelled"],
  ["already_confirmed", "already_confirmed"],
  // The airline moved the flight, so a quote for the old one is void.
  ["schedule_changed", "cancellation_stale"],
  ["offer_expired", "cancellation_expired"],
]);

const CHANGING: Codes = new Map<string, SupplierCode>([
  ["order_not_changeable", "order_not_changeable"],
  ["already_cancelled", "order_not_changeable"],
  ["already_confirmed", "already_confirmed"],
  ["schedule_changed", "order_not_changeable"],
  ["offer_expired", "change_expired"],
  ["offer_no_longer_available", "change_expired"],
  // About a change that the airline made itself.
  ["already_actioned", "order_not_changeable"],
  ["action_not_available", "order_not_changeable"],
]);

/** Meanings of a supplier's code for these requests only; looked up first. */
export const CODE_BY_SUBJECT: Readonly<Partial<Record<Subject, Codes>>> = {
  cancellation_quote: new Map([...CANCELLING, ["schedule_changed", "order_not_cancellable"]]),
  cancellation_confirmation: CANCELLING,
  change_request: CHANGING,
  change_offer: CHANGING,
  change_selection: CHANGING,
  change_confirmation: CHANGING,
  stay_rate: new Map([
    ["offer_no_longer_available", "rate_unavailable"],
    ["search_result_expired", "rate_unavailable"],
  ]),
  stay_booking: new Map([["offer_no_longer_available", "rate_unavailable"]]),
  stay_cancellation: new Map([["already_cancelled", "already_cancelled"]]),
};

/** The meaning of "not found", by the subject of the request. */
export const MISSING: Readonly<Record<Subject, SupplierCode>> = {
  search: "provider_unavailable",
  offer: "offer_not_found",
  booking: "offer_not_found",
  order: "order_not_found",
  payment: "order_not_found",
  service_addition: "order_not_found",
  cancellation: "cancellation_not_found",
  cancellation_quote: "order_not_found",
  cancellation_confirmation: "cancellation_not_found",
  change_request: "order_not_found",
  change_offer: "change_offer_not_found",
  change_selection: "change_offer_not_found",
  change: "change_not_found",
  change_confirmation: "change_not_found",
  credit: "credit_not_applicable",
  customer: "provider_unavailable",
  airport: "provider_unavailable",
  stay: "provider_unavailable",
  negotiated_search: "negotiated_rate_not_found",
  stay_rate: "rate_not_found",
  stay_quote: "quote_not_found",
  stay_booking: "quote_not_found",
  stay_order: "booking_not_found",
  stay_cancellation: "booking_not_found",
  negotiated_rate: "negotiated_rate_not_found",
  webhook: "provider_unavailable",
};

/** The meaning of a refusal with an unknown code; by default `booking_rejected` for a commit, and MISSING for a read. */
export const REFUSED: Readonly<Partial<Record<Subject, SupplierCode>>> = {
  service_addition: "service_not_available",
  cancellation_quote: "order_not_cancellable",
  cancellation_confirmation: "order_not_cancellable",
  change_request: "order_not_changeable",
  change_selection: "order_not_changeable",
  change_confirmation: "order_not_changeable",
  negotiated_search: "provider_unavailable",
  stay_rate: "rate_unavailable",
  stay_booking: "booking_rejected",
  stay_cancellation: "not_cancellable",
  webhook: "provider_unavailable",
};

/** The field whose refusal means, like a 404, that the subject does not exist. */
export const SUBJECT_FIELD: Readonly<Partial<Record<Subject, RegExp>>> = {
  booking: /(^|\/)selected_offers\b/,
  cancellation_quote: /(^|\/)order_id$/,
  change_request: /(^|\/)order_id$/,
  change_selection: /(^|\/)selected_order_change_offer$/,
  negotiated_search: /(^|\/)negotiated_rate_ids\b/,
  stay_rate: /(^|\/)rate_id$/,
  stay_booking: /(^|\/)quote_id$/,
};

/** Requests with the caller's own arguments, for which a refused field can be named to the caller. */
export const WITH_INPUTS: ReadonlySet<Subject> = new Set([
  "search",
  "airport",
  "stay",
  "negotiated_search",
  "customer",
  "change_request",
  "stay_booking",
  "negotiated_rate",
]);

/** The caller's name of a supplier's field. The last known part of the path wins. */
export const INPUT_BY_FIELD: ReadonlyMap<string, string> = new Map([
  ["origin", "origin"],
  ["destination", "destination"],
  ["departure_date", "departureDate"],
  ["cabin_class", "cabinClass"],
  ["passengers", "passengers"],
  ["fare_type", "leisureFareTypes"],
  ["loyalty_programme_accounts", "loyaltyProgrammeAccounts"],
  ["private_fares", "privateFares"],
  ["airline_credit_ids", "airlineCreditIds"],
  ["check_in_date", "checkInDate"],
  ["check_out_date", "checkOutDate"],
  ["location", "location"],
  ["guests", "guests"],
  ["rooms", "rooms"],
  ["email", "email"],
  ["phone_number", "phoneNumber"],
  ["given_name", "givenName"],
  ["family_name", "familyName"],
  ["loyalty_programme_account_number", "loyaltyProgrammeAccountNumber"],
  ["accommodation_special_requests", "accommodationSpecialRequests"],
  ["display_name", "displayName"],
  ["rate_access_code", "rateAccessCode"],
  ["accommodation_ids", "accommodationIds"],
]);

/** request_order_change takes slices with the supplier's own field names. */
export const CHANGE_INPUT_BY_FIELD: ReadonlyMap<string, string> = new Map([
  ["origin", "slices.add"],
  ["destination", "slices.add"],
  ["departure_date", "slices.add"],
  ["cabin_class", "slices.add"],
  ["add", "slices.add"],
  ["slice_id", "slices.remove"],
  ["remove", "slices.remove"],
  ["slices", "slices"],
]);
