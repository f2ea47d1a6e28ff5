import type { OfferDigest } from "../../../ports/supplier/flights.ts";

export const task: OfferDigest<undefined, number> = {
  module: import.meta.url,
  run: ({ found }) => found.offers.length,
};
