export interface QuietHours {
  readonly timeZone: string;
  /** Local times, HH:MM; the quiet time may pass midnight. */
  readonly quietFrom: string | undefined;
  readonly quietUntil: string | undefined;
}

/** When the quiet time that it is now ends. Undefined: it is not quiet. */
export function findEndOfQuiet(
  now: Temporal.Instant,
  { timeZone, quietFrom, quietUntil }: QuietHours,
): Temporal.Instant | undefined {
  if (quietFrom === undefined || quietUntil === undefined || quietFrom === quietUntil) return undefined;
  const local = now.toZonedDateTimeISO(timeZone);
  const time = local.toPlainTime();
  const [from, until] = [Temporal.PlainTime.from(quietFrom), Temporal.PlainTime.from(quietUntil)];
  const isAfterFrom = Temporal.PlainTime.compare(time, from) >= 0;
  const isBeforeUntil = Temporal.PlainTime.compare(time, until) < 0;
  const passesMidnight = Temporal.PlainTime.compare(from, until) > 0;
  const isQuiet = passesMidnight ? isAfterFrom || isBeforeUntil : isAfterFrom && isBeforeUntil;
  if (!isQuiet) return undefined;
  const day = local.toPlainDate();
  const endDay = passesMidnight && isAfterFrom ? day.add({ days: 1 }) : day;
  // A local time that a clock change leaves out is the moment of the change.
  return endDay.toZonedDateTime({ timeZone, plainTime: until }).toInstant();
}
