export { bestOffers } from "./best-offers.ts";
export { OfferAnswer, toOfferAnswer } from "./offer-answer.ts";
export { seeSearch } from "./see-offers.ts";
