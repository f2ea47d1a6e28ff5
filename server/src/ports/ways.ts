import type { ProviderProvenance } from "../domain/schemas.ts";
import type { Position } from "./maps.ts";

/** Timetables are another thing: nobody here knows those. */
const routedModes = ["driving", "walking", "bicycling"] as const;
export type RoutedMode = (typeof routedModes)[number];

export interface WayQuestion {
  from: Position;
  to: Position;
  mode: RoutedMode;
}

/** Over roads and paths, without traffic. */
export interface RoutedWay {
  kilometers: number;
  minutes: number;
}

/** Ways that somebody knows who has the roads. */
export interface Ways {
  /** Never fails. Undefined: nobody is configured for this mode, nobody knows a way, or nobody answers now; the provenance says which. */
  between(
    question: WayQuestion,
    signal?: AbortSignal,
  ): Promise<{ answer: RoutedWay | undefined; provenance: ProviderProvenance }>;
}
