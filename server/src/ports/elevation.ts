import type { ProviderProvenance } from "../domain/schemas.ts";

export interface ElevationAnswer {
  /** Above mean sea level; undefined: not known closely enough, only an upper bound. */
  meters: number | undefined;
  /** The largest error of the elevation; null: the source does not say. */
  errorMeters: number | null;
  /** The highest plausible elevation; null: the source does not say. */
  highestMeters: number | null;
  /** If `meters` is unknown: the range of averages of the surrounding land, which peaks and valleys exceed. */
  landAround?: { lowestMeters: number; highestMeters: number };
  /** The measured or modelled quantity, and its resolution. */
  basis: string;
  /** The distance of the known place with this elevation; null: it is that of the point itself. */
  distanceMeters: number | null;
}

/** Undefined: no provider has data there, such as on the open sea. */
interface ElevationFound {
  elevation: ElevationAnswer | undefined;
  provenance: ProviderProvenance;
}

export interface Elevation {
  /** Throws `provider_unavailable` if none answers. */
  at(position: { latitude: number; longitude: number }, signal?: AbortSignal): Promise<ElevationFound>;
}
