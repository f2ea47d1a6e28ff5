const RADIANS = Math.PI / 180;
const MILLISECONDS_IN_A_DAY = 86_400_000;
const MILLISECONDS_IN_A_MINUTE = 60_000;
/** The sun's radius plus refraction: at this distance from the zenith its upper edge is on the horizon. */
const ZENITH_DEGREES = 90.833;
/** 2000-01-01T12:00:00Z, the epoch of the formulas. */
const EPOCH_MILLISECONDS = 946_728_000_000;

export interface SunDay {
  date: string;
  /** `up_all_day`: it does not set; `down_all_day`: it does not rise. */
  kind: "rises_and_sets" | "up_all_day" | "down_all_day";
  sunrise: Temporal.Instant | null;
  sunset: Temporal.Instant | null;
  dayLengthMinutes: number;
}

/**
 * Sunrise and sunset around noon of a day, by the formulas of Meeus that NOAA's solar calculator uses: accurate to a
 * minute or two between 65° south and north at sea level, less so nearer to the poles.
 */
export function sunOn(
  { latitude, longitude }: { latitude: number; longitude: number },
  date: Temporal.PlainDate,
  timeZone: string,
): SunDay {
  const clockNoon = date.toZonedDateTime({ timeZone, plainTime: "12:00" }).epochMilliseconds;
  const noon = solarNoonNear(clockNoon, longitude);
  const angle = hourAngle(latitude, noon);
  if (angle.kind !== "rises_and_sets") {
    const dayLengthMinutes = angle.kind === "up_all_day" ? 24 * 60 : 0;
    return { date: date.toString(), kind: angle.kind, sunrise: null, sunset: null, dayLengthMinutes };
  }
  const [sunrise, sunset] = [edge(noon, -1, latitude, angle.minutes), edge(noon, 1, latitude, angle.minutes)];
  const dayLengthMinutes = Math.round((sunset - sunrise) / MILLISECONDS_IN_A_MINUTE);
  return {
    date: date.toString(),
    kind: "rises_and_sets",
    dayLengthMinutes,
    sunrise: roundToMinute(sunrise),
    sunset: roundToMinute(sunset),
  };
}

/** The solar noon nearest to noon by the clock: in some zones they are hours apart. */
function solarNoonNear(clockNoon: number, longitude: number): number {
  const utcNoon = Math.floor(clockNoon / MILLISECONDS_IN_A_DAY) * MILLISECONDS_IN_A_DAY + MILLISECONDS_IN_A_DAY / 2;
  const rough = utcNoon - longitude * 4 * MILLISECONDS_IN_A_MINUTE;
  const nearest = rough + Math.round((clockNoon - rough) / MILLISECONDS_IN_A_DAY) * MILLISECONDS_IN_A_DAY;
  return nearest - sunAt(nearest).equationOfTimeMinutes * MILLISECONDS_IN_A_MINUTE;
}

/** Uses the declination at that time, not at noon. */
function edge(noon: number, direction: -1 | 1, latitude: number, minutes: number): number {
  const first = noon + direction * minutes * MILLISECONDS_IN_A_MINUTE;
  const then = hourAngle(latitude, first);
  return then.kind === "rises_and_sets" ? noon + direction * then.minutes * MILLISECONDS_IN_A_MINUTE : first;
}

/** The time from noon until the sun is on the horizon. */
function hourAngle(latitude: number, at: number): { kind: SunDay["kind"]; minutes: number } {
  const { declinationRadians } = sunAt(at);
  const cosine =
    (Math.cos(ZENITH_DEGREES * RADIANS) - Math.sin(latitude * RADIANS) * Math.sin(declinationRadians)) /
    (Math.cos(latitude * RADIANS) * Math.cos(declinationRadians));
  if (cosine <= -1) return { kind: "up_all_day", minutes: 12 * 60 };
  if (cosine >= 1) return { kind: "down_all_day", minutes: 0 };
  return { kind: "rises_and_sets", minutes: (Math.acos(cosine) / RADIANS) * 4 };
}

function sunAt(epochMilliseconds: number): { declinationRadians: number; equationOfTimeMinutes: number } {
  const century = (epochMilliseconds - EPOCH_MILLISECONDS) / MILLISECONDS_IN_A_DAY / 36_525;
  const meanLongitude = (280.46646 + century * (36_000.76983 + century * 0.0003032)) * RADIANS;
  const anomaly = (357.52911 + century * (35_999.05029 - century * 0.0001537)) * RADIANS;
  const eccentricity = 0.016708634 - century * (0.000042037 + century * 0.0000001267);
  const center =
    Math.sin(anomaly) * (1.914602 - century * (0.004817 + century * 0.000014)) +
    Math.sin(2 * anomaly) * (0.019993 - century * 0.000101) +
    Math.sin(3 * anomaly) * 0.000289;
  const node = (125.04 - 1_934.136 * century) * RADIANS;
  const longitude = meanLongitude + (center - 0.00569 - 0.00478 * Math.sin(node)) * RADIANS;
  const obliquity = (23.439291 - 0.0130042 * century + 0.00256 * Math.cos(node)) * RADIANS;
  const y = Math.tan(obliquity / 2) ** 2;
  const equation =
    y * Math.sin(2 * meanLongitude) -
    2 * eccentricity * Math.sin(anomaly) +
    4 * eccentricity * y * Math.sin(anomaly) * Math.cos(2 * meanLongitude) -
    0.5 * y * y * Math.sin(4 * meanLongitude) -
    1.25 * eccentricity * eccentricity * Math.sin(2 * anomaly);
  return {
    declinationRadians: Math.asin(Math.sin(obliquity) * Math.sin(longitude)),
    equationOfTimeMinutes: (equation / RADIANS) * 4,
  };
}

const roundToMinute = (epochMilliseconds: number): Temporal.Instant =>
  Temporal.Instant.fromEpochMilliseconds(
    Math.round(epochMilliseconds / MILLISECONDS_IN_A_MINUTE) * MILLISECONDS_IN_A_MINUTE,
  );
