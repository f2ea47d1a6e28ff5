export { bestOffers } from "./offers/best-offers.ts";
export { OfferAnswer, toOfferAnswer } from "./offers/offer-answer.ts";
export { searchedAge } from "./searching/passenger-types.ts";
export { seeSearch } from "./searching/see-offers.ts";
