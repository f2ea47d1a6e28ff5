import type { Place } from "../../ports/maps.ts";

/** How far around a place its hotels are looked for: the wider the place, the farther. */
export const searchRadiusKilometers: Readonly<Record<Place["precision"] | "point", number>> = {
  point: 3,
  address: 3,
  landmark: 3,
  neighborhood: 5,
  airport: 10,
  city: 15,
  region: 25,
};

/** Around a place that has none near, its hotels are those of the city that it would be in. */
export function searchRadii(
  precision: Place["precision"] | "point",
): readonly [near: number, wider: number | undefined] {
  const first = searchRadiusKilometers[precision];
  return first < searchRadiusKilometers.city ? [first, searchRadiusKilometers.city] : [first, undefined];
}
