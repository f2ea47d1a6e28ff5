import type { z } from "zod";
import type { OfferDigest } from "../../../ports/supplier/flights.ts";
import { type Comparison, countOffers } from "../offers/fares.ts";
import { inOrder, narrow, type Wishes } from "../offers/narrow-offers.ts";
import {
  digestSearch,
  type Flown,
  listCurrencies,
  listFlown,
  type SearchAsk,
  type SearchDigest,
  type ShownOffer,
  withFares,
} from "./digest-search.ts";
import type { FoundSearch } from "./found-search.ts";
import { type SeenOne, toSeen } from "./see-flight.ts";

export interface PageAsk {
  /** ISO 8601: offers that have expired by then are left out. */
  now: string;
  wishes: Wishes;
  offset: number;
  limit: number;
}

export interface PageView {
  /** The number of offers that have not expired. */
  live: number;
  shown: ShownOffer[];
  /** The offers shown and those of their fares. */
  seen: SeenOne[];
  currencies: string[];
  matching: z.infer<typeof Comparison>;
  considered: z.infer<typeof Comparison>;
  emptiedBy: readonly string[];
  /** The offset of the next page. Undefined: this is the last one. */
  next: number | undefined;
  flown: Flown[];
}

/** A page of a new search. */
export const task: OfferDigest<SearchAsk & { page: PageAsk }, SearchDigest<PageView>> = {
  module: import.meta.url,
  run: ({ found, ask }) => digestSearch(found, ask, (whole) => viewPage(whole, ask.page)),
};

export function viewPage({ offers, cabinClass, considered }: FoundSearch, ask: PageAsk): PageView {
  const { wishes, offset, limit } = ask;
  const live = offers.filter(({ expiresAt }) => Temporal.Instant.compare(expiresAt, ask.now) > 0);
  const { matching, emptiedBy } = narrow(live, wishes, cabinClass);
  const all = inOrder(matching, wishes.order, cabinClass);
  const page = all.slice(offset, offset + limit);
  const shown = page.map((offer) => withFares(offer, matching));
  const ids = new Set(shown.flatMap(({ offer, fares }) => [offer.id, ...fares.map((fare) => fare.id)]));
  const next = offset + page.length;
  return {
    live: live.length,
    shown,
    seen: matching.filter(({ id }) => ids.has(id)).map(toSeen),
    currencies: listCurrencies(offers),
    matching: countOffers(matching),
    considered: { ...countOffers(live), offers: considered },
    emptiedBy,
    next: next < all.length ? next : undefined,
    flown: listFlown(page),
  };
}
