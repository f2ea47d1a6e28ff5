import { degreesEast, distanceKm, type Position } from "./geography.ts";

/** Taxiing out and in. */
const TAXI_MINUTES = 30;
/** Time lost against cruise speed in climb and approach; short flights never reach the whole of it. */
const CLIMB_MINUTES = 25;
const CLIMB_SCALE_KM = 500;
export const JET_KM_PER_HOUR = 860;
export const TURBOPROP_KM_PER_HOUR = 520;
const WESTERLY_KM_PER_HOUR = 55;
const FULL_WIND_DEGREES = 45;

/** Westerlies blow strongest in the middle latitudes of both halves of the globe. */
function tailwindKmPerHour(from: Position, to: Position): number {
  const middleLatitude = Math.abs((from.lat + to.lat) / 2);
  const strength = middleLatitude >= 25 && middleLatitude <= 65 ? 1 : 0.5;
  const eastward = Math.max(-1, Math.min(1, degreesEast(from, to) / FULL_WIND_DEGREES));
  return WESTERLY_KM_PER_HOUR * strength * eastward;
}

/** Scheduled gate-to-gate minutes, rounded to five. */
export function blockMinutes(from: Position, to: Position, cruiseKmPerHour = JET_KM_PER_HOUR): number {
  const distance = distanceKm(from, to);
  const groundMinutes = TAXI_MINUTES + CLIMB_MINUTES * (1 - Math.exp(-distance / CLIMB_SCALE_KM));
  const cruiseMinutes = (distance / (cruiseKmPerHour + tailwindKmPerHour(from, to))) * 60;
  return Math.round((groundMinutes + cruiseMinutes) / 5) * 5;
}
