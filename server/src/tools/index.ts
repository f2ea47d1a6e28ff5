import type { Tool } from "../kernel/tool.ts";
import { cancelBooking } from "./escrow/cancel-booking.ts";
import { commitBooking } from "./escrow/commit-booking.ts";
import { confirmBooking } from "./escrow/confirm-booking.ts";
import { confirmFlight } from "./escrow/confirm-flight.ts";
import { guestClaimLink } from "./escrow/guest-claim-link.ts";
import { logAgentAction } from "./escrow/log-agent-action.ts";
import { prefundTrip } from "./escrow/prefund-trip.ts";
import { reserveBooking } from "./escrow/reserve-booking.ts";
import { settleBooking } from "./escrow/settle-booking.ts";
import { bookFlight } from "./flights/book-flight.ts";
import { cancelOrderQuote } from "./flights/cancel-order-quote.ts";
import { confirmCancelOrder } from "./flights/confirm-cancel-order.ts";
import { confirmOrderChange } from "./flights/confirm-order-change.ts";
import { displayOfferConditions } from "./flights/display-offer-conditions.ts";
import { ensureFlightCustomer } from "./flights/ensure-flight-customer.ts";
import { findAirportsNearby } from "./flights/find-airports-nearby.ts";
import { listAirlineCredits } from "./flights/list-airline-credits.ts";
import { listFlightAncillaries } from "./flights/list-flight-ancillaries.ts";
import { requestOrderChange } from "./flights/request-order-change.ts";
import { searchFlights } from "./flights/search-flights.ts";
import { selectOrderChangeOffer } from "./flights/select-order-change-offer.ts";
import { activateTenantPricingPolicy } from "./policy/activate-tenant-pricing-policy.ts";
import { getTenantPricingPolicy } from "./policy/get-tenant-pricing-policy.ts";
import { giveFeedback } from "./reputation/give-feedback.ts";
import { readReputation } from "./reputation/read-reputation.ts";
import { readValidation } from "./reputation/read-validation.ts";
import { requestValidation } from "./reputation/request-validation.ts";
import { submitValidationResponse } from "./reputation/submit-validation-response.ts";
import { bookStay } from "./stays/book-stay.ts";
import { manageStaysNegotiatedRate } from "./stays/manage-stays-negotiated-rate.ts";
import { quoteStay } from "./stays/quote-stay.ts";
import { searchHotels } from "./stays/search-hotels.ts";
import { checkTreasury } from "./treasury/check-treasury.ts";
import { faucetDrip } from "./treasury/faucet-drip.ts";
import { quoteFx } from "./treasury/quote-fx.ts";
import { sendTokens } from "./treasury/send-tokens.ts";
import { settleSplit } from "./treasury/settle-split.ts";

/** Every tool of the service. One line here takes a tool to all surfaces, the price list and the documentation. */
export const registry: readonly Tool[] = [
  searchFlights,
  displayOfferConditions,
  findAirportsNearby,
  ensureFlightCustomer,
  listFlightAncillaries,
  listAirlineCredits,
  bookFlight,
  requestOrderChange,
  selectOrderChangeOffer,
  confirmOrderChange,
  cancelOrderQuote,
  confirmCancelOrder,
  searchHotels,
  quoteStay,
  bookStay,
  manageStaysNegotiatedRate,
  checkTreasury,
  sendTokens,
  settleSplit,
  faucetDrip,
  quoteFx,
  prefundTrip,
  guestClaimLink,
  reserveBooking,
  commitBooking,
  confirmBooking,
  confirmFlight,
  settleBooking,
  cancelBooking,
  logAgentAction,
  getTenantPricingPolicy,
  activateTenantPricingPolicy,
  giveFeedback,
  readReputation,
  requestValidation,
  submitValidationResponse,
  readValidation,
];
