import type { z } from "zod";
import type { OfferDigest } from "../../../ports/supplier/flights.ts";
import { chooseOffers } from "../offers/best-offers.ts";
import { type Comparison, compareOffers, type Picks, pickedOffers } from "../offers/fares.ts";
import {
  digestSearch,
  type Flown,
  listFlown,
  type SearchAsk,
  type SearchDigest,
  type ShownOffer,
  withFares,
} from "./digest-search.ts";
import type { FoundSearch } from "./found-search.ts";
import { buildSampleSearch } from "./sample-search.ts";

interface BestView {
  shown: ShownOffer[];
  considered: z.infer<typeof Comparison>;
  picks: z.infer<typeof Picks>;
  /** The flights of the offers shown and picked. */
  flown: Flown[];
}

/** The best offers of a search. */
export const task: OfferDigest<SearchAsk & { most: number }, SearchDigest<BestView>> = {
  module: import.meta.url,
  run: ({ found, ask }) => digestSearch(found, ask, (whole) => viewBest(whole, ask.most)),
  rehearse: () => digestSearch(buildSampleSearch(), SAMPLE_ASK, (whole) => viewBest(whole, SAMPLE_ASK.most)),
};

const SAMPLE_ASK = { cabinClass: "economy", notApplied: [], isKept: true, isPrivate: false, most: 3 } as const;

function viewBest({ offers, cabinClass }: FoundSearch, most: number): BestView {
  const chosen = chooseOffers(offers, most, cabinClass);
  if (chosen === undefined) throw new Error("a search without offers was let through");
  const comparison = compareOffers(chosen, offers, cabinClass);
  return {
    ...comparison,
    shown: chosen.shown.map((offer) => withFares(offer, offers)),
    flown: listFlown([...chosen.shown, ...pickedOffers(comparison.picks, offers)]),
  };
}
