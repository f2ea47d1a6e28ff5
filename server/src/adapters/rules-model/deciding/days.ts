import type { Reading } from "../reading/read-message.ts";
import type { Deciding } from "./outcome.ts";

export interface Days {
  readonly from: Temporal.PlainDate;
  readonly to: Temporal.PlainDate;
}

export const sayPeriod = ({ speaker }: Deciding, { from, to }: Days): string =>
  from.equals(to) ? speaker.day(from) : `${speaker.day(from)} – ${speaker.day(to)}`;

/** A named day, this or the last week or month; this month where nothing is said. */
export function findDays({ today }: Deciding, { dates, kinds }: Reading): Days {
  const [named] = dates;
  const earliest = (...days: readonly Temporal.PlainDate[]) => days.toSorted(Temporal.PlainDate.compare)[0] ?? today;
  if (named?.date !== undefined) {
    const from = earliest(named.date, today);
    return { from, to: named.end === undefined ? from : earliest(named.end, today) };
  }
  const isLast = kinds.has("last");
  if (kinds.has("week")) {
    const monday = today.subtract({ days: today.dayOfWeek - 1 });
    return isLast
      ? { from: monday.subtract({ days: 7 }), to: monday.subtract({ days: 1 }) }
      : { from: monday, to: today };
  }
  const first = today.with({ day: 1 });
  return isLast && kinds.has("monthUnit")
    ? { from: first.subtract({ months: 1 }), to: first.subtract({ days: 1 }) }
    : { from: first, to: today };
}

export const isPeriodSaid = ({ kinds }: Reading): boolean => kinds.has("week") || kinds.has("monthUnit");
