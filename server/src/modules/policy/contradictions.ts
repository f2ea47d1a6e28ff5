import type { Issue } from "../../domain/errors.ts";
import { isHigherCabin } from "../../domain/travel/purchase.ts";
import { City, type CustomRule, type PolicyDocument } from "./document.ts";

/** Enough to be useful; the rest is reported once these are fixed. */
const MOST_ISSUES = 20;

type Part<Name extends keyof PolicyDocument> = NonNullable<PolicyDocument[Name]>;
type Says = (path: string, message: string) => void;

/** Lists contradictions within a document, each with its path. Single values are checked by the schema. */
export function findContradictions(document: PolicyDocument): readonly Issue[] {
  const issues: Issue[] = [];
  const says: Says = (path, message) => issues.push({ path, message });
  const { timeZone, flight, hotel, destinations, travelDates, booking, rules = [] } = document;
  if (!isTimeZone(timeZone)) says("timeZone", "must be an IANA time zone, such as Europe/Berlin");
  if (flight !== undefined) checkFlight(flight, says);
  if (hotel !== undefined) checkHotel(hotel, says);
  if (destinations !== undefined) checkDestinations(destinations, says);
  if (travelDates !== undefined) checkDates(travelDates, says);
  if (booking !== undefined) checkBooking(booking, says);
  checkRules(rules, says);
  return issues.slice(0, MOST_ISSUES);
}

function isTimeZone(timeZone: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(timeZone);
    return /^[A-Za-z]/.test(timeZone);
  } catch {
    return false;
  }
}

function checkFlight({ maxPrice, maxCabin, carriers, fare }: Part<"flight">, says: Says): void {
  const byPrice = maxPrice?.byDuration ?? [];
  for (const [at, step] of byPrice.entries()) {
    const before = byPrice[at - 1];
    const path = `flight.maxPrice.byDuration.${at}.maxHours`;
    if (before !== undefined && step.maxHours <= before.maxHours) {
      says(path, `must be more than the ${before.maxHours} of the previous entry, which is applied first`);
    }
  }
  if (
    maxPrice !== undefined &&
    maxPrice.default === undefined &&
    byPrice.length === 0 &&
    maxPrice.dynamic === undefined
  ) {
    says("flight.maxPrice", "must have default, byDuration or dynamic");
  }
  const byCabin = maxCabin?.byDuration ?? [];
  for (const [at, step] of byCabin.entries()) {
    const path = `flight.maxCabin.byDuration.${at}`;
    const before = byCabin[at - 1];
    if (before !== undefined && step.minHours <= before.minHours) {
      says(`${path}.minHours`, `must be more than the ${before.minHours} of the previous entry`);
    }
    const lower = before?.cabin ?? maxCabin?.default;
    if (lower !== undefined && isHigherCabin(lower, step.cabin)) {
      says(`${path}.cabin`, `must not be lower than ${lower}, which shorter legs may have`);
    }
  }
  if (maxCabin?.overnight !== undefined && isHigherCabin(maxCabin.default, maxCabin.overnight)) {
    says("flight.maxCabin.overnight", `must not be lower than ${maxCabin.default}, which every leg may have`);
  }
  if (fare !== undefined && Object.keys(fare).length === 1) says("flight.fare", "must require something");
  if (carriers !== undefined) checkCarriers(carriers, says);
}

function checkCarriers(
  { preferred = [], blocked = [], only = [] }: NonNullable<Part<"flight">["carriers"]>,
  says: Says,
): void {
  const path = "flight.carriers";
  noneOfBoth(`${path}.preferred`, preferred, blocked, "is also blocked", says);
  noneOfBoth(`${path}.only`, only, blocked, "is also blocked", says);
  if (only.length === 0) return;
  const allowed = new Set(only);
  for (const [at, code] of preferred.entries()) {
    if (!allowed.has(code)) says(`${path}.preferred.${at}`, `${code} is not among only`);
  }
}

function noneOfBoth(
  path: string,
  names: readonly string[],
  others: readonly string[],
  message: string,
  says: Says,
): void {
  const set = new Set(others);
  for (const [at, name] of names.entries()) if (set.has(name)) says(`${path}.${at}`, `${name} ${message}`);
}

function checkHotel({ maxNightly, chains }: Part<"hotel">, says: Says): void {
  for (const city of Object.keys(maxNightly?.byCity ?? {})) {
    const { success, error } = City.safeParse(city);
    if (!success) says(`hotel.maxNightly.byCity.${city}`, error.issues[0]?.message ?? "is not a city");
  }
  if (chains !== undefined) {
    noneOfBoth("hotel.chains.preferred", chains.preferred ?? [], chains.blocked ?? [], "is also blocked", says);
  }
}

function checkDestinations(destinations: Part<"destinations">, says: Says): void {
  const { blockedCountries = [], approvalCountries = [], riskLevels, approvalFromLevel, denyFromLevel } = destinations;
  noneOfBoth("destinations.approvalCountries", approvalCountries, blockedCountries, "is also blocked", says);
  for (const code of Object.keys(riskLevels ?? {})) {
    if (!/^[A-Z]{2}$/.test(code))
      says(`destinations.riskLevels.${code}`, "must be an ISO 3166-1 alpha-2 code in capitals");
  }
  if (approvalFromLevel !== undefined && denyFromLevel !== undefined && approvalFromLevel >= denyFromLevel) {
    says("destinations.approvalFromLevel", `must be less than denyFromLevel, which is ${denyFromLevel}`);
  }
  if ((approvalFromLevel ?? denyFromLevel) !== undefined && riskLevels === undefined) {
    says("destinations.riskLevels", "must give the levels that approvalFromLevel and denyFromLevel refer to");
  }
}

function checkDates({ earliest, latest, blackouts = [] }: Part<"travelDates">, says: Says): void {
  if (earliest !== undefined && latest !== undefined && latest < earliest) {
    says("travelDates.latest", `must not be before earliest, which is ${earliest}`);
  }
  for (const [at, { from, to }] of blackouts.entries()) {
    if (to < from) says(`travelDates.blackouts.${at}.to`, `must not be before from, which is ${from}`);
  }
}

function checkBooking({ allowed }: Part<"booking">, says: Says): void {
  const seen = new Set<string>();
  for (const [at, { booker }] of allowed.entries()) {
    if (seen.has(booker)) says(`booking.allowed.${at}.booker`, `${booker} already has an entry`);
    seen.add(booker);
  }
}

type When = CustomRule["when"];

/** Conditions that only some kinds can meet: for other kinds the rule would never apply. */
const kindsByCondition: { readonly [Name in keyof When]?: readonly When["kind"][] } = {
  nightlyUsdOver: ["hotel"],
  suppliers: ["hotel"],
  cities: ["hotel"],
  carriers: ["flight"],
  cabins: ["flight"],
  durationHoursOver: ["flight"],
  stopsOver: ["flight"],
  emissionsKgOver: ["flight"],
  countries: ["flight", "hotel"],
  daysAheadUnder: ["flight", "hotel"],
  refundable: ["flight", "hotel"],
  startsFrom: ["flight", "hotel"],
  startsUntil: ["flight", "hotel"],
  weekdays: ["flight", "hotel"],
  travelers: ["flight", "hotel"],
  recipients: ["payment"],
};

function checkRules(rules: readonly CustomRule[], says: Says): void {
  const seen = new Map<string, number>();
  for (const [at, { id, when }] of rules.entries()) {
    const first = seen.get(id);
    if (first !== undefined) says(`rules.${at}.id`, `${id} is also the id of rules.${first}`);
    else seen.set(id, at);
    for (const [name, kinds] of Object.entries(kindsByCondition)) {
      if (Reflect.get(when, name) === undefined || kinds.includes(when.kind)) continue;
      says(`rules.${at}.when.${name}`, `a ${when.kind} does not have this; it applies to ${kinds.join(" or ")}`);
    }
    const { startsFrom, startsUntil } = when;
    if (startsFrom !== undefined && startsUntil !== undefined && startsUntil < startsFrom) {
      says(`rules.${at}.when.startsUntil`, `must not be before startsFrom, which is ${startsFrom}`);
    }
  }
}
