/** Minutes of the day as HH:MM. */
export const toClock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;

/** Whether a local time is that minute of the day, or up to so many minutes from it. */
export function showsAt(local: string | undefined, minute: number, tolerance = 0): boolean {
  if (local === undefined) return false;
  const shown = Number(local.slice(11, 13)) * 60 + Number(local.slice(14, 16));
  // People say "at 9" of 21:00, too.
  return Math.abs(shown - minute) <= tolerance || (minute < 12 * 60 && Math.abs(shown - minute - 12 * 60) <= tolerance);
}
