export { bestOffers } from "./best-offers.ts";
export { OfferAnswer, toOfferAnswer } from "./offer-answer.ts";
export { searchedAge } from "./passenger-types.ts";
export { seeSearch } from "./see-offers.ts";
