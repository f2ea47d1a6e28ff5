import type { GetPolicyAnswer } from "../answers.ts";

type Document = GetPolicyAnswer["document"];
type Part<Name extends keyof Document> = NonNullable<Document[Name]>;
type Severity = Part<"payments">["severity"];
type When = Part<"rules">[number]["when"];

/** "Flights over $2,500" and "need approval". Without a severity, the subject is the whole sentence. */
interface SaidRule {
  subject: string;
  severity?: Severity;
  /** The name of the tenant's own rule, and what a caller is told. */
  note?: string;
}

export interface SaidPart {
  title: string;
  rules: readonly SaidRule[];
}

export const SEVERITIES: Readonly<Record<Severity, string>> = {
  warn: "get a warning",
  require_approval: "need approval",
  deny: "are refused",
};

const usd = (amount: number): string =>
  amount.toLocaleString("en", {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: Number.isInteger(amount) ? 0 : 2,
    maximumFractionDigits: 6,
  });

const MOST_LISTED = 12;

/** "A, B or C"; of a long list, the first ones. */
function list(items: readonly string[], joint: "or" | "and" = "or"): string {
  const shown = items.slice(0, MOST_LISTED);
  const rest = items.length - shown.length;
  if (rest > 0) return `${shown.join(", ")} ${joint} ${rest} more`;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} ${joint} ${shown.at(-1)}`;
}

const plural = (count: number, one: string): string => `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
const cabin = (name: string): string => name.replaceAll("_", " ");

const regions = new Intl.DisplayNames("en", { type: "region" });
const country = (code: string): string => regions.of(code) ?? code;

/** A part that limits nothing is left out. */
type Given = SaidRule | false | undefined;
const given = (rules: readonly Given[]): SaidRule[] => rules.filter((rule) => rule !== false && rule !== undefined);

function sayPrices({ severity, default: usual, byDuration = [], dynamic }: NonNullable<Part<"flight">["maxPrice"]>) {
  const basis = dynamic?.basis === "median" ? "the median price" : "the lowest price";
  const extra = [
    ...(dynamic?.plusPercent ? [`${dynamic.plusPercent}%`] : []),
    ...(dynamic?.plusUsd ? [usd(dynamic.plusUsd)] : []),
  ];
  return given([
    ...byDuration.map(({ maxHours, amount }) => ({
      subject: `Flights of up to ${plural(maxHours, "hour")} that cost more than ${usd(amount)}`,
      severity,
    })),
    usual !== undefined && {
      subject: `${byDuration.length > 0 ? "Other flights" : "Flights"} over ${usd(usual)}`,
      severity,
    },
    dynamic !== undefined && {
      subject: `Flights that cost more than ${basis}${extra.length === 0 ? "" : ` plus ${extra.join(" and ")}`} of comparable flights that leave within ${plural(dynamic.windowHours, "hour")}`,
      severity,
    },
  ]);
}

function sayCabins({ severity, default: usual, byDuration = [], overnight }: NonNullable<Part<"flight">["maxCabin"]>) {
  return given([
    { subject: `Cabins above ${cabin(usual)}${byDuration.length > 0 ? " on shorter legs" : ""}`, severity },
    ...byDuration.map(({ minHours, cabin: highest }) => ({
      subject: `On legs of ${plural(minHours, "hour")} or more, cabins above ${cabin(highest)}`,
      severity,
    })),
    overnight !== undefined && { subject: `On overnight legs, cabins above ${cabin(overnight)}`, severity },
  ]);
}

function sayCarriers({ severity, preferred = [], blocked = [], only = [] }: NonNullable<Part<"flight">["carriers"]>) {
  return given([
    only.length > 0 && { subject: `Airlines other than ${list(only)}`, severity },
    blocked.length > 0 && { subject: `Flights with ${list(blocked)}`, severity },
    preferred.length > 0 && { subject: `Airlines other than the preferred ${list(preferred)}`, severity: "warn" },
  ]);
}

function sayFlight({
  maxPrice,
  maxCabin,
  carriers,
  fare,
  itinerary,
  emissions,
  ...flight
}: Part<"flight">): SaidRule[] {
  const { severity, domestic, international } = flight.advancePurchaseDays ?? {};
  const ahead = (kind: string, days: number | undefined): Given =>
    days !== undefined &&
    severity !== undefined && { subject: `${kind} flights booked less than ${plural(days, "day")} ahead`, severity };
  return given([
    ...(maxPrice === undefined ? [] : sayPrices(maxPrice)),
    ...(maxCabin === undefined ? [] : sayCabins(maxCabin)),
    ...(carriers === undefined ? [] : sayCarriers(carriers)),
    ahead("Domestic", domestic),
    ahead("International", international),
    fare?.requireRefundableAbove !== undefined && {
      subject: `Fares over ${usd(fare.requireRefundableAbove)} that are not refundable`,
      severity: fare.severity,
    },
    fare?.requireChangeableAbove !== undefined && {
      subject: `Fares over ${usd(fare.requireChangeableAbove)} that cannot be changed`,
      severity: fare.severity,
    },
    fare?.allowBasicEconomy === false && { subject: "Basic fares", severity: fare.severity },
    itinerary?.maxStops !== undefined && {
      subject:
        itinerary.maxStops === 0
          ? "Flights with a stop"
          : `Flights with more than ${plural(itinerary.maxStops, "stop")}`,
      severity: itinerary.severity,
    },
    itinerary?.maxDurationHours !== undefined && {
      subject: `Legs of more than ${plural(itinerary.maxDurationHours, "hour")}`,
      severity: itinerary.severity,
    },
    emissions !== undefined && {
      subject: `Flights that emit more than ${emissions.maxKgPerPassenger.toLocaleString("en")} kg of CO₂ per passenger`,
      severity: emissions.severity,
    },
  ]);
}

function sayHotel({ maxNightly, stars, advancePurchaseDays, chains, refund }: Part<"hotel">): SaidRule[] {
  const cities = Object.entries(maxNightly?.byCity ?? {});
  return given([
    ...cities.map(([city, amount]) => ({
      subject: `Rooms in ${city} over ${usd(amount)} a night`,
      ...(maxNightly === undefined ? {} : { severity: maxNightly.severity }),
    })),
    maxNightly?.default !== undefined && {
      subject: `Rooms ${cities.length > 0 ? "elsewhere " : ""}over ${usd(maxNightly.default)} a night`,
      severity: maxNightly.severity,
    },
    stars !== undefined && { subject: `Hotels with more than ${plural(stars.max, "star")}`, severity: stars.severity },
    advancePurchaseDays !== undefined && {
      subject: `Stays booked less than ${plural(advancePurchaseDays.days, "day")} ahead`,
      severity: advancePurchaseDays.severity,
    },
    chains?.blocked !== undefined &&
      chains.blocked.length > 0 && { subject: `Stays with ${list(chains.blocked)}`, severity: chains.severity },
    chains?.preferred !== undefined &&
      chains.preferred.length > 0 && {
        subject: `Hotels other than the preferred ${list(chains.preferred)}`,
        severity: "warn",
      },
    refund !== undefined && {
      subject: `Stays over ${usd(refund.requireFreeCancellationAbove)} that cannot be cancelled free of charge`,
      severity: refund.severity,
    },
  ]);
}

function sayDestinations(destinations: Part<"destinations">): SaidRule[] {
  const {
    blockedCountries = [],
    approvalCountries = [],
    riskLevels = {},
    approvalFromLevel,
    denyFromLevel,
  } = destinations;
  const levels = Map.groupBy(Object.entries(riskLevels), ([, level]) => level);
  const fromLevel = (level: number) => `Trips to countries with risk level ${level === 4 ? "4" : `${level} or higher`}`;
  return given([
    blockedCountries.length > 0 && { subject: `Trips to ${list(blockedCountries.map(country))}`, severity: "deny" },
    approvalCountries.length > 0 && {
      subject: `Trips to ${list(approvalCountries.map(country))}`,
      severity: "require_approval",
    },
    denyFromLevel !== undefined && { subject: fromLevel(denyFromLevel), severity: "deny" },
    approvalFromLevel !== undefined && { subject: fromLevel(approvalFromLevel), severity: "require_approval" },
    ...[...levels]
      .toSorted(([one], [other]) => other - one)
      .map(([level, countries]) => ({
        subject: `Risk level ${level}: ${list(
          countries.map(([code]) => country(code)),
          "and",
        )}.`,
      })),
  ]);
}

function sayDates({ severity, earliest, latest, blackouts = [], maxDays }: Part<"travelDates">): SaidRule[] {
  return given([
    earliest !== undefined && { subject: `Trips before ${sayDate(earliest)}`, severity },
    latest !== undefined && { subject: `Trips after ${sayDate(latest)}`, severity },
    ...blackouts.map(({ from, to, reason }) => ({
      subject: `Trips from ${sayDate(from)} to ${sayDate(to)}${reason === undefined ? "" : ` (${reason})`}`,
      severity,
    })),
    maxDays !== undefined && { subject: `Trips of more than ${plural(maxDays, "day")}`, severity },
  ]);
}

function sayDate(date: string): string {
  const format = { timeZone: "UTC", day: "numeric", month: "long", year: "numeric" } as const;
  return new Date(`${date}T00:00:00Z`).toLocaleDateString("en-GB", format);
}

function sayBooking({ severity, allowed }: Part<"booking">): SaidRule[] {
  return [
    ...allowed.map(({ booker, travelers }) => {
      const who = booker === "*" ? "Everybody" : booker;
      const whom = travelers === "self" ? "themselves" : travelers === "anyone" ? "anybody" : list(travelers);
      return { subject: `${who} may book for ${whom}.` };
    }),
    { subject: "Other bookings", severity },
  ];
}

const THINGS = { flight: "Flights", hotel: "Stays", payment: "Payments" } as const;

function sayOwnRule({ severity, when, text, id }: Part<"rules">[number]): SaidRule {
  const { kind, ...conditions } = when;
  const said = sayConditions(conditions);
  return {
    subject: [THINGS[kind], said.join(", ")].join(" ").trimEnd(),
    severity,
    note: text === undefined ? id : `${id}: “${text}”`,
  };
}

function sayConditions(when: Omit<When, "kind">): string[] {
  const said: (string | false | undefined)[] = [
    when.priceUsdOver !== undefined && `over ${usd(when.priceUsdOver)}`,
    when.nightlyUsdOver !== undefined && `over ${usd(when.nightlyUsdOver)} a night`,
    when.carriers !== undefined && `with ${list(when.carriers)}`,
    when.cabins !== undefined && `in ${list(when.cabins.map(cabin))}`,
    when.suppliers !== undefined && `with ${list(when.suppliers)}`,
    when.cities !== undefined && `in ${list(when.cities)}`,
    when.countries !== undefined && `to ${list(when.countries.map(country))}`,
    when.durationHoursOver !== undefined && `with a leg of more than ${plural(when.durationHoursOver, "hour")}`,
    when.stopsOver !== undefined && `with more than ${plural(when.stopsOver, "stop")}`,
    when.daysAheadUnder !== undefined && `booked less than ${plural(when.daysAheadUnder, "day")} ahead`,
    when.emissionsKgOver !== undefined && `over ${when.emissionsKgOver.toLocaleString("en")} kg of CO₂ per passenger`,
    when.refundable !== undefined && (when.refundable ? "that are refundable" : "that are not refundable"),
    when.startsFrom !== undefined && `from ${sayDate(when.startsFrom)} on`,
    when.startsUntil !== undefined && `until ${sayDate(when.startsUntil)}`,
    when.weekdays !== undefined && `that start on a ${list(when.weekdays.map(capitalize))}`,
    when.travelers !== undefined && `for ${list(when.travelers)}`,
    when.bookers !== undefined && `booked by ${list(when.bookers)}`,
    when.recipients !== undefined && `to ${list(when.recipients)}`,
  ];
  return said.filter((one) => typeof one === "string");
}

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function sayApproval({ role, expiresHours, toleranceUsd }: Part<"approval">): SaidRule[] {
  const who =
    role === "approver"
      ? "An approver or an administrator"
      : role === "finance"
        ? "Finance or an administrator"
        : "An administrator";
  return given([
    { subject: `${who} decides within ${plural(expiresHours, "hour")}.` },
    {
      subject:
        toleranceUsd === 0
          ? "The price may not rise after the approval."
          : `The price may rise by up to ${usd(toleranceUsd)} after the approval.`,
    },
  ]);
}

/** The rules of a policy as sentences, part by part. */
export function sayRules(document: Document): readonly SaidPart[] {
  const { flight, hotel, payments, destinations, travelDates, booking, rules = [], approval } = document;
  const parts: SaidPart[] = [
    { title: "Flights", rules: flight === undefined ? [] : sayFlight(flight) },
    { title: "Hotels", rules: hotel === undefined ? [] : sayHotel(hotel) },
    {
      title: "Payments",
      rules: given([
        payments !== undefined && {
          subject: `Transfers and reservations over ${usd(payments.maxAmountUsd)}`,
          severity: payments.severity,
        },
      ]),
    },
    { title: "Destinations", rules: destinations === undefined ? [] : sayDestinations(destinations) },
    { title: "Travel dates", rules: travelDates === undefined ? [] : sayDates(travelDates) },
    { title: "Who may book for whom", rules: booking === undefined ? [] : sayBooking(booking) },
    { title: "Further rules", rules: rules.map(sayOwnRule) },
    { title: "Approval", rules: approval === undefined ? [] : sayApproval(approval) },
  ];
  return parts.filter((part) => part.rules.length > 0);
}
