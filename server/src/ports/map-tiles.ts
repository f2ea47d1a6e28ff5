import type { ProviderProvenance } from "../domain/schemas.ts";

/**
 * A square of the usual web map, in Mercator's projection: at zoom 0 one tile is the whole world, and each further zoom divides
 * a tile into four.
 */
export interface TileName {
  zoom: number;
  /** Counted eastward from the antimeridian. */
  x: number;
  /** Counted from the north. */
  y: number;
}

export const TILE_PIXELS = 256;

/** Pictures of streets from a provider. */
export interface MapTiles {
  /**
   * As PNG, in the order of the names. Never fails. Undefined: no provider is configured, or a tile is unavailable, as a
   * partial map is useless; the provenance says which.
   */
  read(
    names: readonly TileName[],
    signal?: AbortSignal,
  ): Promise<{ answer: readonly Uint8Array[] | undefined; provenance: ProviderProvenance }>;
}
