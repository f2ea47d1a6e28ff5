import type { ProviderProvenance } from "../domain/schemas.ts";
import type { Position } from "./maps.ts";

const routedModes = ["driving", "walking", "bicycling", "transit"] as const;
export type RoutedMode = (typeof routedModes)[number];

export interface WayQuestion {
  from: Position;
  to: Position;
  mode: RoutedMode;
}

/** Over roads and paths without traffic, or by public transport. */
export interface RoutedWay {
  kilometers: number;
  minutes: number;
}

/** Routes from providers of road data. */
export interface Ways {
  /**
   * Never fails. Undefined: no provider is configured for this mode, none knows a route, or none answers now; the provenance
   * says which.
   */
  between(
    question: WayQuestion,
    signal?: AbortSignal,
  ): Promise<{ answer: RoutedWay | undefined; provenance: ProviderProvenance }>;
}
