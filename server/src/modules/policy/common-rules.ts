import type { PolicyDocument, Severity } from "./document.ts";
import type { Facts } from "./facts.ts";
import { isNamed, shortList } from "./flight-rules.ts";
import { type Judgement, micro, missing, over, type Rule } from "./rule.ts";

type Part<Name extends keyof PolicyDocument> = NonNullable<PolicyDocument[Name]>;

/** Rules that apply to flights and hotels. */
export function travelRules({ destinations, travelDates, booking }: PolicyDocument): readonly Rule[] {
  return [
    ...(destinations === undefined ? [] : destinationRules(destinations)),
    ...(travelDates === undefined ? [] : dateRules(travelDates)),
    ...(booking === undefined ? [] : [bookingRule(booking)]),
  ];
}

export function paymentRules({ severity, maxAmountUsd }: Part<"payments">): readonly Rule[] {
  const limit = micro(maxAmountUsd);
  return [
    {
      id: "payments.maxAmountUsd",
      severity,
      judge({ price }) {
        if (price === undefined) return missing("amountUsd");
        return price <= limit ? undefined : over("The payment is", limit, price);
      },
    },
  ];
}

function destinationRules(destinations: Part<"destinations">): readonly Rule[] {
  const { blockedCountries, approvalCountries, riskLevels = {}, approvalFromLevel, denyFromLevel } = destinations;
  const rules: Rule[] = [];
  const named = (id: string, severity: Severity, codes: readonly string[]) => {
    const set = new Set(codes);
    const limit = `not ${shortList(codes)}`;
    rules.push({ id, severity, judge: ({ countries }) => judgeCountries(countries, (code) => set.has(code), limit) });
  };
  if (isNamed(blockedCountries)) named("destinations.blockedCountries", "deny", blockedCountries);
  if (isNamed(approvalCountries)) named("destinations.approvalCountries", "require_approval", approvalCountries);
  const levels = new Map(Object.entries(riskLevels));
  const fromLevel = (id: string, severity: Severity, level: number | undefined) => {
    if (level !== undefined)
      rules.push({ id, severity, judge: ({ countries }) => judgeRisk(countries, levels, level) });
  };
  fromLevel("destinations.denyFromLevel", "deny", denyFromLevel);
  fromLevel("destinations.approvalFromLevel", "require_approval", approvalFromLevel);
  return rules;
}

function judgeCountries(
  countries: readonly string[] | undefined,
  breaks: (code: string) => boolean,
  limit: string,
): Judgement {
  if (countries === undefined) return missing("destinationCountry");
  const actual = countries.filter(breaks).join(", ");
  if (actual === "") return undefined;
  return { limit, actual, unit: "country", text: `The policy restricts travel to ${actual}.` };
}

/** A country without a level in the document is not assumed to be safe. */
function judgeRisk(
  countries: readonly string[] | undefined,
  levels: ReadonlyMap<string, number>,
  from: number,
): Judgement {
  if (countries === undefined) return missing("destinationCountry");
  const risky = countries.filter((code) => (levels.get(code) ?? 0) >= from);
  if (risky.length > 0) {
    const actual = risky.map((code) => `${code} ${levels.get(code)}`).join(", ");
    const text = `The policy restricts travel to countries with risk level ${from} or higher: ${actual}.`;
    return { limit: `under ${from}`, actual, unit: "risk level", text };
  }
  const unlisted = countries.filter((code) => !levels.has(code));
  return unlisted.length === 0 ? undefined : missing(...unlisted.map((code) => `riskLevel of ${code}`));
}

function dateRules({ severity, earliest, latest, blackouts = [], maxDays }: Part<"travelDates">): readonly Rule[] {
  const first = earliest === undefined ? undefined : Temporal.PlainDate.from(earliest);
  const last = latest === undefined ? undefined : Temporal.PlainDate.from(latest);
  const closed = blackouts.map(({ from, to, reason }) => ({
    from: Temporal.PlainDate.from(from),
    to: Temporal.PlainDate.from(to),
    reason,
  }));
  const on = (id: string, judge: (start: Temporal.PlainDate, end: Temporal.PlainDate) => Judgement): Rule => ({
    id: `travelDates.${id}`,
    severity,
    judge: ({ startsOn, endsOn }) =>
      startsOn === undefined || endsOn === undefined ? missing("travelDates") : judge(startsOn, endsOn),
  });
  return [
    ...(first === undefined ? [] : [on("earliest", (start) => judgeBound(start, first, "earliest"))]),
    ...(last === undefined ? [] : [on("latest", (_start, end) => judgeBound(end, last, "latest"))]),
    ...(closed.length === 0 ? [] : [on("blackouts", (start, end) => judgeBlackouts(start, end, closed))]),
    ...(maxDays === undefined ? [] : [on("maxDays", (start, end) => judgeLength(start, end, maxDays))]),
  ];
}

function judgeBound(date: Temporal.PlainDate, bound: Temporal.PlainDate, which: "earliest" | "latest"): Judgement {
  const order = Temporal.PlainDate.compare(date, bound);
  if (which === "earliest" ? order >= 0 : order <= 0) return undefined;
  const text =
    which === "earliest" ? `The trip begins on ${date}, before ${bound}.` : `The trip ends on ${date}, after ${bound}.`;
  return { limit: bound.toString(), actual: date.toString(), unit: "date", text };
}

function judgeBlackouts(
  start: Temporal.PlainDate,
  end: Temporal.PlainDate,
  closed: readonly { from: Temporal.PlainDate; to: Temporal.PlainDate; reason: string | undefined }[],
): Judgement {
  const { compare } = Temporal.PlainDate;
  const met = closed.find(({ from, to }) => compare(start, to) <= 0 && compare(end, from) >= 0);
  if (met === undefined) return undefined;
  const why = met.reason === undefined ? "" : `: ${met.reason}`;
  const text = `The trip from ${start} to ${end} overlaps days on which travel is not allowed, ${met.from} to ${met.to}${why}.`;
  return { limit: `not ${met.from} to ${met.to}`, actual: `${start} to ${end}`, unit: "dates", text };
}

function judgeLength(start: Temporal.PlainDate, end: Temporal.PlainDate, most: number): Judgement {
  const days = start.until(end, { largestUnit: "days" }).days + 1;
  if (days <= most) return undefined;
  const text = `The trip takes ${days} days; at most ${most} are allowed.`;
  return { limit: String(most), actual: String(days), unit: "days", text };
}

function bookingRule({ severity, allowed }: Part<"booking">): Rule {
  return { id: "booking.allowed", severity, judge: (facts) => judgeBooking(facts, allowed) };
}

function judgeBooking({ booker, travelerIds }: Facts, allowed: Part<"booking">["allowed"]): Judgement {
  if (booker === undefined) return missing("booker");
  const mine = allowed.filter((one) => one.booker === "*" || one.booker === booker.userId);
  if (mine.some(({ travelers }) => travelers === "anyone")) return undefined;
  if (mine.length > 0 && travelerIds === undefined) return missing("travelers");
  const may = (travelerId: string) =>
    mine.some(({ travelers }) =>
      Array.isArray(travelers) ? travelers.includes(travelerId) : travelerId === booker.travelerId,
    );
  const others = (travelerIds ?? []).filter((travelerId) => !may(travelerId));
  if (mine.length > 0 && others.length === 0) return undefined;
  const actual = travelerIds === undefined ? "travelers" : others.join(", ");
  const text = `${booker.userId} may not book for ${actual}.`;
  return { limit: "allowed bookers", actual: `${booker.userId} for ${actual}`, unit: "booker", text };
}
