import type { FlightSearchResult, OfferDigest } from "../../../ports/supplier/flights.ts";

/** All offers with all their fields. */
export const task: OfferDigest<undefined, FlightSearchResult> = {
  module: import.meta.url,
  run: ({ found }) => found,
};
