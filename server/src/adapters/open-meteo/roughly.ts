import type { Position } from "../../ports/maps.ts";

/**
 * A hundredth of a degree is finer than the models. Neighbors share an answer, and a traveler's exact position stays private.
 */
export function roughly({ latitude, longitude }: Position): Position {
  return { latitude: Number(latitude.toFixed(2)), longitude: Number(longitude.toFixed(2)) };
}
