import type { ProviderProvenance } from "../domain/schemas.ts";
import type { Position } from "./maps.ts";

export const helpKinds = ["hospital", "clinic", "pharmacy", "police", "diplomatic"] as const;
type HelpKind = (typeof helpKinds)[number];

/** A place from a third-party map, with its texts. Null: the map does not say. */
interface NearbyPlace extends Position {
  name: string;
  address: string | null;
  phone: string | null;
  website: string | null;
  /** In OpenStreetMap's format, such as `Mo-Fr 09:00-18:00`. */
  openingHours: string | null;
}

export interface HelpPlace extends NearbyPlace {
  kind: HelpKind;
}

export const priceLevels = ["inexpensive", "moderate", "expensive", "very_expensive"] as const;
export type PriceLevel = (typeof priceLevels)[number];

export interface Restaurant extends NearbyPlace {
  cuisines: readonly string[];
  wheelchair: "yes" | "limited" | "no" | null;
  priceLevel: PriceLevel | null;
  /** An id of Google Maps. */
  placeId: string | null;
}

export interface RestaurantQuestion extends Position {
  withinMeters: number;
  /** Letters, digits and underscores only. */
  cuisine: string | undefined;
  /** Only for providers that know prices. */
  priceLevel: PriceLevel | undefined;
}

export interface RestaurantsFound {
  restaurants: readonly Restaurant[];
  /** False: the question's price level was not applied. */
  arePricesKnown: boolean;
}

/** Undefined: no provider is configured, or none answers now; the provenance says which. */
interface Known<Answer> {
  answer: Answer | undefined;
  provenance: ProviderProvenance;
}

/** Places near a point, in no order. Never fails. */
export interface Nearby {
  helpNear(position: Position, signal?: AbortSignal): Promise<Known<readonly HelpPlace[]>>;
  restaurantsNear(question: RestaurantQuestion, signal?: AbortSignal): Promise<Known<RestaurantsFound>>;
}
