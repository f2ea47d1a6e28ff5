import type { ProviderProvenance } from "../domain/schemas.ts";
import type { Position } from "./maps.ts";

export const helpKinds = ["hospital", "clinic", "pharmacy", "police", "diplomatic"] as const;
type HelpKind = (typeof helpKinds)[number];

/** Of a map that others draw: its texts are texts of others. Null: the map does not say. */
interface NearbyPlace extends Position {
  name: string;
  address: string | null;
  phone: string | null;
  website: string | null;
  /** As OpenStreetMap writes them, such as `Mo-Fr 09:00-18:00`. */
  openingHours: string | null;
}

export interface HelpPlace extends NearbyPlace {
  kind: HelpKind;
}

export interface Restaurant extends NearbyPlace {
  cuisines: readonly string[];
  wheelchair: "yes" | "limited" | "no" | null;
}

export interface RestaurantQuestion extends Position {
  withinMeters: number;
  /** A word of letters, digits and underscores. */
  cuisine: string | undefined;
}

/** Undefined: nobody is configured who knows it, or nobody of them answers now; the provenance says which. */
interface Known<Answer> {
  answer: Answer | undefined;
  provenance: ProviderProvenance;
}

/** What is near a point; in no order. Never fails. */
export interface Nearby {
  helpNear(position: Position, signal?: AbortSignal): Promise<Known<readonly HelpPlace[]>>;
  restaurantsNear(question: RestaurantQuestion, signal?: AbortSignal): Promise<Known<readonly Restaurant[]>>;
}
