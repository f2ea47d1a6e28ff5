export { bestOffers } from "./offers/best-offers.ts";
export { otherFares } from "./offers/fares.ts";
export { OfferAnswer, toOfferAnswer } from "./offers/offer-answer.ts";
export { searchedAge } from "./searching/passenger-types.ts";
export { toSeenSearch } from "./searching/see-flight.ts";
export { seeSearch } from "./searching/see-offers.ts";
