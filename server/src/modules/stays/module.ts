import { defineJob } from "../../kernel/contracts/job.ts";
import { defineModule } from "./context.ts";
import * as negotiatedRates from "./migrations/0011-negotiated-rates.ts";
import * as foundStaySearches from "./migrations/0125-found-stay-searches.ts";
import { compareHotels } from "./prompts/compare-hotels.ts";
import { stayBookingUse } from "./stay-booking-steps.ts";
import { createFoundStays } from "./store-found-stays.ts";
import { createNegotiatedRates } from "./store-negotiated-rates.ts";
import { bookStay } from "./tools/book-stay.ts";
import { manageStaysNegotiatedRate } from "./tools/manage-stays-negotiated-rate.ts";
import { quoteStay } from "./tools/quote-stay.ts";
import { searchFamilyHotels } from "./tools/search-family-hotels.ts";
import { searchHotels } from "./tools/search-hotels.ts";
import { searchMoreStays } from "./tools/search-more-stays.ts";

const PRUNE_MILLISECONDS = 60_000;

export const staysModule = defineModule({
  name: "stays",
  tools: [searchHotels, searchFamilyHotels, searchMoreStays, quoteStay, bookStay, manageStaysNegotiatedRate],
  prompts: [compareHotels],
  stores: ({ db, clock }) => ({
    foundStays: createFoundStays(db, clock),
    negotiatedRates: createNegotiatedRates(db, clock),
  }),
  migrations: { "0011-negotiated-rates": negotiatedRates, "0125-found-stay-searches": foundStaySearches },
  jobs: ({ stores }) => [
    defineJob({
      name: "prune-found-stays",
      everyMilliseconds: PRUNE_MILLISECONDS,
      run: () => stores.foundStays.prune(),
    }),
  ],
  effectUses: ({ stores, clock, portsFor }) => [stayBookingUse({ stores, clock }, portsFor)],
});
