import { defineModule } from "./context.ts";
import * as negotiatedRates from "./migrations/0011-negotiated-rates.ts";
import { compareHotels } from "./prompts/compare-hotels.ts";
import { stayBookingUse } from "./stay-booking-steps.ts";
import { createNegotiatedRates } from "./store-negotiated-rates.ts";
import { bookStay } from "./tools/book-stay.ts";
import { manageStaysNegotiatedRate } from "./tools/manage-stays-negotiated-rate.ts";
import { quoteStay } from "./tools/quote-stay.ts";
import { searchFamilyHotels } from "./tools/search-family-hotels.ts";
import { searchHotels } from "./tools/search-hotels.ts";

export const staysModule = defineModule({
  name: "stays",
  tools: [searchHotels, searchFamilyHotels, quoteStay, bookStay, manageStaysNegotiatedRate],
  prompts: [compareHotels],
  stores: ({ db, clock }) => ({
    negotiatedRates: createNegotiatedRates(db, clock),
  }),
  migrations: { "0011-negotiated-rates": negotiatedRates },
  effectUses: ({ stores, clock, portsFor }) => [stayBookingUse({ stores, clock }, portsFor)],
});
