import type { ProviderProvenance } from "../domain/schemas.ts";

export interface KnownElevation {
  /** Above mean sea level. */
  meters: number;
  /** What was measured or modelled, and how finely. */
  basis: string;
  /** How far away the known place is whose elevation this is; null: it is that of the point itself. */
  distanceMeters: number | null;
}

/** Undefined: no provider knows it there, such as on the open sea. */
interface ElevationFound {
  elevation: KnownElevation | undefined;
  provenance: ProviderProvenance;
}

export interface Elevation {
  /** Throws `provider_unavailable` when nobody answers. */
  at(position: { latitude: number; longitude: number }, signal?: AbortSignal): Promise<ElevationFound>;
}
