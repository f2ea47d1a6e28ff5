import type { Position } from "../../ports/maps.ts";

/** A hundredth of a degree is finer than the models, and neighbors share an answer; nobody learns where a traveler stands. */
export function roughly({ latitude, longitude }: Position): Position {
  return { latitude: Number(latitude.toFixed(2)), longitude: Number(longitude.toFixed(2)) };
}
