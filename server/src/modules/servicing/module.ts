import { defineJob } from "../../kernel/contracts/job.ts";
import { defineModule } from "./context.ts";
import * as flightCancellationQuotes from "./migrations/0106-flight-cancellation-quotes.ts";
import { pruneChangeOffers } from "./prune-change-offers.ts";
import { servicingCommits } from "./servicing-commits.ts";
import { servicingUse } from "./servicing-effect.ts";
import { createServicingQuotes } from "./store-quotes.ts";
import { cancelOrderQuote } from "./tools/cancel-order-quote.ts";
import { confirmCancelOrder } from "./tools/confirm-cancel-order.ts";
import { confirmOrderChange } from "./tools/confirm-order-change.ts";
import { requestOrderChange } from "./tools/request-order-change.ts";
import { selectOrderChangeOffer } from "./tools/select-order-change-offer.ts";

const PRUNE_MILLISECONDS = 600_000;

export const servicingModule = defineModule({
  name: "servicing",
  tools: [requestOrderChange, selectOrderChangeOffer, confirmOrderChange, cancelOrderQuote, confirmCancelOrder],
  stores: ({ db, clock }) => ({
    servicingQuotes: createServicingQuotes(db, clock),
  }),
  migrations: { "0106-flight-cancellation-quotes": flightCancellationQuotes },
  effectUses: ({ stores, clock, portsFor }) => [
    servicingUse({ stores, clock }, (environment) => {
      const ports = portsFor(environment);
      return ports === undefined ? undefined : { submission: ports.submission, commits: servicingCommits(ports) };
    }),
  ],
  jobs: ({ stores, clock }) => [
    defineJob({
      name: "prune-change-offers",
      everyMilliseconds: PRUNE_MILLISECONDS,
      run: () => pruneChangeOffers(stores, clock),
    }),
  ],
});
