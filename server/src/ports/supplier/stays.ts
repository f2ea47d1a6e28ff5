import type { Provenance } from "../../domain/schemas.ts";
import type { CallOptions } from "./flights.ts";

export interface StaySearch {
  latitude: number;
  longitude: number;
  radiusKilometers: number;
  checkInDate: string;
  checkOutDate: string;
  guests: number;
  /** The ages of the guests who are children; the others are adults. */
  childAges?: readonly number[];
  rooms: number;
  /** `nre_…`: negotiated rates to search in addition to the public ones. */
  negotiatedRateIds?: readonly string[];
}

/** Empty `timeline`: the rate is not refundable. */
export interface CancellationPolicy {
  refundable: boolean;
  timeline: readonly { before: string; refundAmount: string; currency: string }[];
}

export interface Accommodation {
  /** The supplier's accommodation id. */
  id: string;
  /** The search result's id, from which all rates can be fetched. */
  searchResultId: string;
  name: string;
  /** Null, like the longitude, if the supplier does not say where it is. */
  latitude: number | null;
  longitude: number | null;
  address: string | null;
  photos: readonly string[];
  starRating: number | null;
  reviewScore: number | null;
  reviewCount: number | null;
  /** The rates that can be paid from the operator's balance; cheapest first, and at least one. */
  rates: readonly [StayRate, ...StayRate[]];
  expiresAt: string | null;
}

export interface Beds {
  /** In the supplier's terms, such as `double`. */
  type: string;
  count: number;
}

export interface StayRate {
  id: string;
  /** For the whole stay and all its rooms. */
  totalAmount: string;
  totalCurrency: string;
  boardType: string | null;
  roomName: string | null;
  /** In each room. Empty: the supplier does not say. */
  beds: readonly Beds[];
  cancellationPolicy: CancellationPolicy;
  /** Paid there, in addition; null: nothing. */
  dueAtAccommodationAmount: string | null;
  dueAtAccommodationCurrency: string | null;
}

/** A place that a search found, before its rates are read. */
export interface FoundStay {
  /** From which its rates are read. */
  searchResultId: string;
  name: string;
  latitude: number | null;
  longitude: number | null;
  starRating: number | null;
  reviewScore: number | null;
  /** The price of its cheapest rate; null: the supplier does not say. */
  cheapest: { totalAmount: string; totalCurrency: string } | null;
}

export interface StaysFound {
  /** Best first, by review score and price. */
  accommodations: readonly Accommodation[];
  /** Every place of the supplier there, best first. */
  found: readonly FoundStay[];
}

/**
 * The stays supplier. Failure codes as in `ports/supplier/flights.ts`: `provider_timeout`, `provider_unavailable`; and
 * `negotiated_rate_not_found` for a search that names one which the supplier lacks.
 */
export interface Stays {
  readonly provenance: () => Provenance;
  readonly sandbox: boolean;
  /** The best `limit` places with their rates; fewer if the supplier has fewer. */
  searchAccommodations(query: StaySearch, limit: number, options?: CallOptions): Promise<StaysFound>;
  /** The first `limit` of these search results that have rates, in this order; fewer if the supplier sells no more of them. */
  readAccommodations(
    searchResultIds: readonly string[],
    limit: number,
    options?: CallOptions,
  ): Promise<readonly Accommodation[]>;
  /**
   * Reads a picture that only this service can reach, by the last part of its link. Undefined: there is none, as a live
   * supplier's pictures are public.
   */
  readPhoto(name: string, options?: CallOptions): Promise<{ contentType: string; body: string } | undefined>;
}
