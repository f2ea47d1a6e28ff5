import { instantText } from "../../ports/clock.ts";
import type { CountedIn } from "./call-spends.ts";

/** The periods with limits. */
export type LimitedPeriod = "perDay" | "perMonth";

/** The length of a period's text. */
export const periodLength: Readonly<Record<LimitedPeriod, number>> = {
  perDay: "2026-11-22".length,
  perMonth: "2026-11".length,
};

export function keyAccount(keyId: string): string {
  return `key:${keyId}`;
}

/** Days and months are in UTC. */
export function formatPeriod(limited: LimitedPeriod, at: Temporal.Instant): string {
  return instantText(at).slice(0, periodLength[limited]);
}

/** When the used amount of a day or a month is reset. */
export function renewalInstant({ period }: Pick<CountedIn, "period">): Temporal.Instant {
  const isMonth = period.length === periodLength.perMonth;
  const begin = Temporal.PlainDate.from(isMonth ? `${period}-01` : period);
  return begin
    .add(isMonth ? { months: 1 } : { days: 1 })
    .toZonedDateTime("UTC")
    .toInstant();
}
