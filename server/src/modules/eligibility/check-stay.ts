import { type Case, compare, daysBetween, type Finding, findSource, sayDays } from "./findings.ts";
import type { Grant } from "./regime-schema.ts";

/** How long the stay may last, alone or together with earlier stays. */
export function checkStay(asked: Case, grant: Grant): Finding {
  const { regime, arrivesOn, leavesOn } = asked;
  const source = findSource(regime, grant.source);
  const { maxStayDays: most } = grant;
  if (most === undefined) {
    const detail = "The rule sets no maximum stay; the border officer decides.";
    return { check: { id: "stay", status: "pass", detail, source }, verdict: "eligible" };
  }
  const used = usedDays(asked, grant);
  const left = daysLeft(asked, grant, used);
  const limit = sayLimit(grant, used.size, arrivesOn);
  if (leavesOn === undefined) {
    const nextStep =
      left === 0
        ? `No day is left on ${arrivesOn}; travel later.`
        : `Give returnDate: a stay of at most ${sayDays(left)}, until ${arrivesOn.add({ days: left - 1 })}, needs nothing more.`;
    const detail = `${limit} Without returnDate, it is not known whether the stay is short enough.`;
    return {
      check: { id: "stay", status: "unknown", detail, source },
      verdict: "needs_information",
      maxStayDays: left,
      nextStep,
    };
  }
  const days = daysBetween(arrivesOn, leavesOn);
  if (days <= left) {
    const detail = `${limit} This stay takes ${sayDays(days)}.`;
    return { check: { id: "stay", status: "pass", detail, source }, verdict: "eligible", maxStayDays: left };
  }
  return {
    check: { id: "stay", status: "fail", detail: `${limit} This stay would take ${sayDays(days)}.`, source },
    verdict: "visa_required",
    maxStayDays: left,
    nextStep:
      left === 0
        ? "Travel later, or apply for a visa for a longer stay."
        : `Stay at most ${sayDays(left)}, or apply for a visa for a longer stay.`,
  };
}

function sayLimit({ maxStayDays, withinDays }: Grant, used: number, arrivesOn: Temporal.PlainDate): string {
  const most = sayDays(maxStayDays ?? 0);
  if (withinDays === undefined) return `A stay may last ${most}.`;
  const known =
    used === 0
      ? "no other stay within that period is known."
      : `other stays known to the service have used ${sayDays(used)} of them by ${arrivesOn}.`;
  return `At most ${most} in any ${withinDays} days; ${known}`;
}

/** Days of other stays in the same regime, within the period that ends the day before the arrival. */
function usedDays({ regime, otherStays, arrivesOn }: Case, { withinDays }: Grant): ReadonlySet<string> {
  const days = new Set<string>();
  if (withinDays === undefined) return days;
  const first = arrivesOn.subtract({ days: withinDays - 1 });
  const last = arrivesOn.subtract({ days: 1 });
  for (const { countryIso3, from, to } of otherStays) {
    if (!regime.countries.has(countryIso3)) continue;
    const end = compare(to, last) < 0 ? to : last;
    for (let day = compare(from, first) < 0 ? first : from; compare(day, end) <= 0; day = day.add({ days: 1 })) {
      days.add(day.toString());
    }
  }
  return days;
}

/** The number of days from the arrival that stay within the limit: each day has its own period. */
function daysLeft({ arrivesOn }: Case, { maxStayDays = 0, withinDays }: Grant, used: ReadonlySet<string>): number {
  if (withinDays === undefined) return maxStayDays;
  let left = 0;
  for (; left < maxStayDays; left += 1) {
    const first = arrivesOn
      .add({ days: left })
      .subtract({ days: withinDays - 1 })
      .toString();
    const counted = [...used].filter((day) => day >= first).length;
    if (counted + left + 1 > maxStayDays) break;
  }
  return left;
}
