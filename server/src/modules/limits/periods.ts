import { instantText } from "../../ports/clock.ts";
import type { CountedIn } from "./call-spends.ts";

/** What can be limited by time. */
export type LimitedPeriod = "perDay" | "perMonth";

/** Of the text that names it. */
export const lengthOf: Readonly<Record<LimitedPeriod, number>> = {
  perDay: "2026-11-22".length,
  perMonth: "2026-11".length,
};

export function keyAccount(keyId: string): string {
  return `key:${keyId}`;
}

/** Days and months are those of UTC. */
export function periodOf(limited: LimitedPeriod, at: Temporal.Instant): string {
  return instantText(at).slice(0, lengthOf[limited]);
}

/** When what was used of a day or a month is there again. */
export function renewalOf({ period }: Pick<CountedIn, "period">): Temporal.Instant {
  const isMonth = period.length === lengthOf.perMonth;
  const begin = Temporal.PlainDate.from(isMonth ? `${period}-01` : period);
  return begin
    .add(isMonth ? { months: 1 } : { days: 1 })
    .toZonedDateTime("UTC")
    .toInstant();
}
