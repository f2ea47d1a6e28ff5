import { defineJob } from "../../kernel/contracts/job.ts";
import { defineModule } from "./context.ts";
import { listExpiringCredits } from "./expiring-credits.ts";
import * as privateOffers from "./migrations/0004-private-offers.ts";
import * as searchedLoyaltyAccounts from "./migrations/0039-searched-loyalty-accounts.ts";
import * as foundSearches from "./migrations/0096-found-searches.ts";
import { createPrivateOffers } from "./offers/store-private-offers.ts";
import { flightBookingUse } from "./ordering/booking-steps.ts";
import { flightHoldUse } from "./ordering/hold-steps.ts";
import { bookAFlight } from "./prompts/book-a-flight.ts";
import { task as bestView } from "./searching/best-view.ts";
import { task as pageView } from "./searching/page-view.ts";
import { createFoundSearches } from "./searching/store-found-searches.ts";
import { task as storedPageView } from "./searching/stored-page-view.ts";
import { bookFlight } from "./tools/book-flight.ts";
import { displayOfferConditions } from "./tools/display-offer-conditions.ts";
import { ensureFlightCustomer } from "./tools/ensure-flight-customer.ts";
import { findAirportsNearby } from "./tools/find-airports-nearby.ts";
import { holdFlight } from "./tools/hold-flight.ts";
import { listAirlineCredits } from "./tools/list-airline-credits.ts";
import { listFlightAncillaries } from "./tools/list-flight-ancillaries.ts";
import { searchFlights } from "./tools/search-flights.ts";
import { searchMoreFlights } from "./tools/search-more-flights.ts";

/** Later than the start of the service, which needs the processor itself. */
const LOAD_MILLISECONDS = 500;
const PRUNE_MILLISECONDS = 600_000;
const PRUNE_SEARCHES_MILLISECONDS = 60_000;

export const flightsModule = defineModule({
  name: "flights",
  tools: [
    searchFlights,
    searchMoreFlights,
    displayOfferConditions,
    findAirportsNearby,
    ensureFlightCustomer,
    listFlightAncillaries,
    listAirlineCredits,
    bookFlight,
    holdFlight,
  ],
  prompts: [bookAFlight],
  stores: ({ db, clock, vault }) => ({
    foundSearches: createFoundSearches(db, clock),
    privateOffers: createPrivateOffers(db, vault),
  }),
  migrations: {
    "0004-private-offers": privateOffers,
    "0039-searched-loyalty-accounts": searchedLoyaltyAccounts,
    "0096-found-searches": foundSearches,
  },
  async start({ threads, maps }) {
    for (const task of [bestView, pageView, storedPageView]) threads.prepare(task);
    // Loads the airports, so that the first search need not wait for them.
    setTimeout(() => maps.airport("LHR"), LOAD_MILLISECONDS).unref();
  },
  async account({ stores, clock, portsFor }, caller) {
    const ports = portsFor(caller.environment);
    const expiring = ports === undefined ? [] : await listExpiringCredits({ ...ports, stores }, caller, clock.now());
    return { facts: { expiringAirlineCredits: expiring } };
  },
  effectUses: ({ stores, clock, portsFor }) => [
    flightBookingUse({ stores, clock }, (environment) => portsFor(environment)?.flights),
    flightHoldUse({ stores, clock }, (environment) => portsFor(environment)?.flights),
  ],
  jobs: ({ stores, clock }) => [
    defineJob({
      name: "prune-private-offers",
      everyMilliseconds: PRUNE_MILLISECONDS,
      run: () => stores.privateOffers.prune(clock.now()),
    }),
    defineJob({
      name: "prune-found-searches",
      everyMilliseconds: PRUNE_SEARCHES_MILLISECONDS,
      run: () => stores.foundSearches.prune(),
    }),
  ],
});
