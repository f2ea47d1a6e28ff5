export {
  AccommodationAnswer,
  AccommodationPicks,
  pickAccommodations,
  toAccommodationAnswer,
} from "./accommodation-answer.ts";
export { searchWithOwnRates } from "./negotiated-rates.ts";
export { searchRadiusKilometers } from "./search-radius.ts";
export { seeAccommodations } from "./see-stays.ts";
