import type { Tool } from "./kernel/tool.ts";
import { cancelBooking } from "./modules/escrow/tools/cancel-booking.ts";
import { commitBooking } from "./modules/escrow/tools/commit-booking.ts";
import { confirmBooking } from "./modules/escrow/tools/confirm-booking.ts";
import { confirmFlight } from "./modules/escrow/tools/confirm-flight.ts";
import { guestClaimLink } from "./modules/escrow/tools/guest-claim-link.ts";
import { logAgentAction } from "./modules/escrow/tools/log-agent-action.ts";
import { prefundTrip } from "./modules/escrow/tools/prefund-trip.ts";
import { reserveBooking } from "./modules/escrow/tools/reserve-booking.ts";
import { settleBooking } from "./modules/escrow/tools/settle-booking.ts";
import { bookFlight } from "./modules/flights/tools/book-flight.ts";
import { displayOfferConditions } from "./modules/flights/tools/display-offer-conditions.ts";
import { ensureFlightCustomer } from "./modules/flights/tools/ensure-flight-customer.ts";
import { findAirportsNearby } from "./modules/flights/tools/find-airports-nearby.ts";
import { listAirlineCredits } from "./modules/flights/tools/list-airline-credits.ts";
import { listFlightAncillaries } from "./modules/flights/tools/list-flight-ancillaries.ts";
import { searchFlights } from "./modules/flights/tools/search-flights.ts";
import { activateTenantPricingPolicy } from "./modules/pricing/tools/activate-tenant-pricing-policy.ts";
import { getTenantPricingPolicy } from "./modules/pricing/tools/get-tenant-pricing-policy.ts";
import { giveFeedback } from "./modules/reputation/tools/give-feedback.ts";
import { readReputation } from "./modules/reputation/tools/read-reputation.ts";
import { readValidation } from "./modules/reputation/tools/read-validation.ts";
import { requestValidation } from "./modules/reputation/tools/request-validation.ts";
import { submitValidationResponse } from "./modules/reputation/tools/submit-validation-response.ts";
import { cancelOrderQuote } from "./modules/servicing/tools/cancel-order-quote.ts";
import { confirmCancelOrder } from "./modules/servicing/tools/confirm-cancel-order.ts";
import { confirmOrderChange } from "./modules/servicing/tools/confirm-order-change.ts";
import { requestOrderChange } from "./modules/servicing/tools/request-order-change.ts";
import { selectOrderChangeOffer } from "./modules/servicing/tools/select-order-change-offer.ts";
import { bookStay } from "./modules/stays/tools/book-stay.ts";
import { manageStaysNegotiatedRate } from "./modules/stays/tools/manage-stays-negotiated-rate.ts";
import { quoteStay } from "./modules/stays/tools/quote-stay.ts";
import { searchHotels } from "./modules/stays/tools/search-hotels.ts";
import { checkTreasury } from "./modules/treasury/tools/check-treasury.ts";
import { faucetDrip } from "./modules/treasury/tools/faucet-drip.ts";
import { quoteFx } from "./modules/treasury/tools/quote-fx.ts";
import { sendTokens } from "./modules/treasury/tools/send-tokens.ts";
import { settleSplit } from "./modules/treasury/tools/settle-split.ts";

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
