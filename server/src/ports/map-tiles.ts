import type { ProviderProvenance } from "../domain/schemas.ts";

/** A square of the web's usual map, in Mercator's projection: at zoom 0 one is the whole world, at each further zoom four are as much as one was. */
export interface TileName {
  zoom: number;
  /** From the antimeridian eastward. */
  x: number;
  /** From the north. */
  y: number;
}

export const TILE_PIXELS = 256;

/** Pictures of streets that somebody else has drawn. */
export interface MapTiles {
  /**
   * As PNG, in the order of the names. Never fails. Undefined: nobody is configured, or one of them is not to be had now, and half a map
   * is none; the provenance says which.
   */
  read(
    names: readonly TileName[],
    signal?: AbortSignal,
  ): Promise<{ answer: readonly Uint8Array[] | undefined; provenance: ProviderProvenance }>;
}
