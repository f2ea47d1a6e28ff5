const EARTH_DIAMETER_KM = 12_742;
const RADIANS = Math.PI / 180;

export type Position = { readonly lat: number; readonly lon: number };

/** Great-circle distance. */
export function distanceKm(from: Position, to: Position): number {
  const latitudes = Math.sin(((to.lat - from.lat) * RADIANS) / 2) ** 2;
  const longitudes = Math.sin(((to.lon - from.lon) * RADIANS) / 2) ** 2;
  const chord = latitudes + Math.cos(from.lat * RADIANS) * Math.cos(to.lat * RADIANS) * longitudes;
  return EARTH_DIAMETER_KM * Math.asin(Math.sqrt(chord));
}

/** Degrees eastward along the shorter way round, -180..180. */
export function degreesEast(from: Position, to: Position): number {
  return ((((to.lon - from.lon) % 360) + 540) % 360) - 180;
}
