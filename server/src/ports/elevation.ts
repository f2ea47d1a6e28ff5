import type { ProviderProvenance } from "../domain/schemas.ts";

export interface ElevationAnswer {
  /** Above mean sea level; undefined: it is not known nearly enough, only how high it can be. */
  meters: number | undefined;
  /** How far the true elevation may be from it; null: the source does not say. */
  errorMeters: number | null;
  /** Nothing higher is plausible; null: the source does not say. */
  highestMeters: number | null;
  /** Where `meters` is not known: between which heights the land around lies, by means that peaks and valleys go beyond. */
  landAround?: { lowestMeters: number; highestMeters: number };
  /** What was measured or modelled, and how finely. */
  basis: string;
  /** How far away the known place is whose elevation this is; null: it is that of the point itself. */
  distanceMeters: number | null;
}

/** Undefined: no provider knows anything there, such as on the open sea. */
interface ElevationFound {
  elevation: ElevationAnswer | undefined;
  provenance: ProviderProvenance;
}

export interface Elevation {
  /** Throws `provider_unavailable` when nobody answers. */
  at(position: { latitude: number; longitude: number }, signal?: AbortSignal): Promise<ElevationFound>;
}
