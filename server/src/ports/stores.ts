import type { Bookings } from "./bookings.ts";
import type { Effects } from "./effects.ts";
import type { Ledger } from "./ledger.ts";
import type { PrivateOffers } from "./private-offers.ts";

/** Stored aggregates that change together. */
export interface Aggregates {
  bookings: Bookings;
  ledger: Ledger;
  effects: Effects;
  privateOffers: PrivateOffers;
}

export interface Stores extends Aggregates {
  /** Runs `work` in one transaction over all aggregates; whatever it throws rolls everything back. */
  transaction<T>(work: (aggregates: Aggregates) => Promise<T>): Promise<T>;
}
