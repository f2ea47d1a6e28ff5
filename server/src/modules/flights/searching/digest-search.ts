import type { FlightOffer, FlightSearchResult } from "../../../ports/supplier/flights.ts";
import { type Fare, otherFares } from "../offers/fares.ts";
import { type FoundSearch, packSearch } from "./found-search.ts";
import { type SeenSearch, toSeenSearch } from "./see-flight.ts";

/** For every search; each tool adds what its view of the offers needs. */
export interface SearchAsk {
  cabinClass: FoundSearch["cabinClass"];
  notApplied: FoundSearch["notApplied"];
  /** Whether the search is stored. */
  isKept: boolean;
  /** Whether the offers are the caller's own. */
  isPrivate: boolean;
}

/** A search without most of its offers, which may be thousands. */
export interface SearchDigest<View> extends Omit<FoundSearch, "offers"> {
  currencies: string[];
  /** The expiry of the offer that lasts longest. */
  expiresAt: string | undefined;
  seen: SeenSearch;
  /** The ids of all offers, if they are the caller's own. */
  privateIds: string[];
  /** Undefined if the search is not stored. */
  packed: Uint8Array | undefined;
  /** Undefined without offers. */
  view: View | undefined;
}

/** An offer to show, with the other fares of its flights. */
export interface ShownOffer {
  offer: FlightOffer;
  fares: Fare[];
}

/** The flights between two airports. */
export interface Flown {
  segments: { origin: string; destination: string }[];
}

export async function digestSearch<View>(
  { offers, notApplied, provenance, sandbox }: FlightSearchResult,
  ask: SearchAsk,
  makeView: (found: FoundSearch) => View,
): Promise<SearchDigest<View>> {
  const { cabinClass, isKept, isPrivate } = ask;
  const about = {
    cabinClass,
    considered: offers.length,
    notApplied: [...notApplied, ...ask.notApplied],
    provenance,
    sandbox,
  };
  const found = { ...about, offers };
  return {
    ...about,
    currencies: listCurrencies(offers),
    expiresAt: findLatest(offers.map(({ expiresAt }) => expiresAt)),
    seen: isKept ? toSeenSearch(offers) : { offers: [], comparables: [] },
    privateIds: isPrivate ? offers.map(({ id }) => id) : [],
    packed: isKept && offers.length > 0 ? await packSearch(found) : undefined,
    view: offers.length === 0 ? undefined : makeView(found),
  };
}

export function listCurrencies(offers: readonly FlightOffer[]): string[] {
  return [...new Set(offers.map(({ totalCurrency }) => totalCurrency))];
}

export function withFares(offer: FlightOffer, offers: readonly FlightOffer[]): ShownOffer {
  return { offer, fares: otherFares(offer, offers) };
}

export function listFlown(offers: readonly FlightOffer[]): Flown[] {
  return offers.flatMap(({ slices }) =>
    slices.map(({ segments }) => ({
      segments: segments.map(({ origin, destination }) => ({ origin, destination })),
    })),
  );
}

function findLatest(moments: readonly string[]): string | undefined {
  const [first, ...others] = new Set(moments);
  if (first === undefined) return undefined;
  return others.reduce((latest, one) => (Temporal.Instant.compare(one, latest) > 0 ? one : latest), first);
}
