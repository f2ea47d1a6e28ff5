import type { Place } from "../../ports/maps.ts";

/** The search radius around a place: larger for less precise places. */
export const searchRadiusKilometers: Readonly<Record<Place["precision"] | "point", number>> = {
  point: 3,
  address: 3,
  landmark: 3,
  neighborhood: 5,
  airport: 10,
  city: 15,
  region: 25,
};

/** If a place has no hotels nearby, those of its surrounding city are used. */
export function searchRadii(
  precision: Place["precision"] | "point",
): readonly [near: number, wider: number | undefined] {
  const first = searchRadiusKilometers[precision];
  return first < searchRadiusKilometers.city ? [first, searchRadiusKilometers.city] : [first, undefined];
}
