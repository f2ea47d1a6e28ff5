import type { CustomRule, Severity } from "./document.ts";
import type { Facts, Kind } from "./facts.ts";
import { shortList } from "./flight-rules.ts";
import { type Broken, micro, usd } from "./rule.ts";

type When = CustomRule["when"];

/** Whether a condition holds. Undefined: its facts are unknown. */
export interface Condition {
  /** The name of the fact that it needs, in terms that callers can act on. */
  readonly name: string;
  holds(facts: Facts): boolean | undefined;
  /** Describes the condition in the answer. */
  limit: string;
  actual(facts: Facts): string;
  unit: string;
}

/** A tenant's own rule, broken when all of its conditions hold. */
export interface OwnRule {
  readonly id: string;
  readonly severity: Severity;
  readonly kind: Kind;
  readonly conditions: readonly Condition[];
  readonly text: string | undefined;
}

/** Rules with equal conditions share them. */
export function ownRules(rules: readonly CustomRule[]): readonly OwnRule[] {
  const shared = new Map<string, Condition>();
  return rules.map(({ id, severity, text, when }) => ({
    id: `rules.${id}`,
    severity,
    kind: when.kind,
    text,
    conditions: buildConditions(when, shared),
  }));
}

/** Facts by the names that callers use, for people. */
const IN_WORDS: Readonly<Record<string, string>> = {
  priceUsd: "the price in USD",
  pricePerNightUsd: "the price per night in USD",
  carrierIata: "the airline",
  cabin: "the cabin",
  supplierId: "the supplier",
  city: "the city",
  destinationCountry: "the country of the destination",
  durationHours: "the travel time in hours",
  stops: "the number of stops",
  departureDate: "the number of days until departure",
  co2KgPerPassenger: "the CO2 per passenger in kg",
  refundable: "the answer to whether it is refundable",
  travelDates: "the day of travel",
  travelers: "the traveler",
  booker: "the person who books",
  recipient: "the recipient",
};

export function sayBroken(facts: Facts, { conditions, text }: OwnRule): Broken {
  const [first] = conditions;
  const [limit, actual, unit] =
    first === undefined ? ["none", facts.kind, "kind"] : [first.limit, first.actual(facts), first.unit];
  const said = conditions
    .map((one) => `${IN_WORDS[one.name] ?? one.name} is ${one.actual(facts)} (limit: ${one.limit})`)
    .join(", ");
  return { limit, actual, unit, text: text ?? `A rule of the policy applies: ${said || `every ${facts.kind}`}.` };
}

export function missingFor(facts: Facts, { conditions }: OwnRule): readonly string[] {
  return conditions.filter((condition) => condition.holds(facts) === undefined).map(({ name }) => name);
}

/** Makes the condition of one member of `when`. */
type Maker<Value> = (value: Value) => Condition;

const numberOver =
  (name: string, unit: string, read: (facts: Facts) => number | undefined): Maker<number> =>
  (limit) => ({
    name,
    unit,
    limit: String(limit),
    holds: (facts) => isOver(read(facts), limit),
    actual: (facts) => String(read(facts)),
  });

function isOver<Value extends number | bigint>(value: Value | undefined, limit: Value): boolean | undefined {
  return value === undefined ? undefined : value > limit;
}

const amountOver =
  (name: string, read: (facts: Facts) => bigint | undefined): Maker<number> =>
  (amount) => {
    const limit = micro(amount);
    return {
      name,
      unit: "USD",
      limit: usd(limit),
      holds: (facts) => isOver(read(facts), limit),
      actual: (facts) => usd(read(facts) ?? 0n),
    };
  };

const isAmong =
  (name: string, unit: string, read: (facts: Facts) => readonly string[] | undefined): Maker<readonly string[]> =>
  (values) => {
    const set = new Set(values);
    const isOne = (value: string) => set.has(value);
    return {
      name,
      unit,
      limit: `not ${shortList(values)}`,
      holds: (facts) => read(facts)?.some(isOne),
      actual: (facts) => (read(facts)?.filter(isOne) ?? []).join(", "),
    };
  };

const asList = (value: string | undefined) => (value === undefined ? undefined : [value]);

type Name = Exclude<keyof When, "kind">;
type Values = { [One in Name]: NonNullable<When[One]> };

const makers: { readonly [One in Name]: Maker<Values[One]> } = {
  priceUsdOver: amountOver("priceUsd", ({ price }) => price),
  nightlyUsdOver: amountOver("pricePerNightUsd", ({ hotel }) => hotel?.pricePerNight),
  carriers: isAmong("carrierIata", "airline", ({ flight }) => flight?.carriers),
  cabins: isAmong("cabin", "cabin", ({ flight }) => asList(flight?.cabin)),
  suppliers: isAmong("supplierId", "supplier", ({ hotel }) => hotel?.suppliers),
  cities: (codes) => ({
    name: "city",
    unit: "city",
    limit: `not ${shortList(codes)}`,
    holds: ({ hotel }) => compare(hotel?.citiesAmong(codes), (some) => some.length > 0),
    actual: ({ hotel }) => hotel?.citiesAmong(codes)?.[0] ?? "",
  }),
  countries: isAmong("destinationCountry", "country", ({ countries }) => countries),
  durationHoursOver: numberOver("durationHours", "hours", ({ flight }) => flight?.durationHours),
  stopsOver: numberOver("stops", "stops", ({ flight }) => flight?.stops),
  daysAheadUnder: (limit) => ({
    name: "departureDate",
    unit: "days",
    limit: String(limit),
    holds: ({ daysAhead }) => compare(daysAhead, (days) => days < limit),
    actual: ({ daysAhead }) => String(daysAhead),
  }),
  emissionsKgOver: numberOver(
    "co2KgPerPassenger",
    "kg CO2 a passenger",
    ({ flight }) => flight?.emissionsKgPerPassenger,
  ),
  refundable: (wanted) => ({
    name: "refundable",
    unit: "condition",
    limit: `not ${wanted}`,
    holds: ({ refundable }) => compare(refundable, (is) => is === wanted),
    actual: ({ refundable }) => String(refundable),
  }),
  startsFrom: dateBound((order) => order >= 0, "before"),
  startsUntil: dateBound((order) => order <= 0, "after"),
  weekdays: isAmong("travelDates", "weekday", ({ startsOn }) =>
    asList(startsOn?.toLocaleString("en", { weekday: "long" }).toLowerCase()),
  ),
  travelers: isAmong("travelers", "traveler", ({ travelerIds }) => travelerIds),
  bookers: isAmong("booker", "booker", ({ booker }) => asList(booker?.userId)),
  recipients: isAmong("recipient", "address", ({ recipient }) => asList(recipient)),
};

function dateBound(holds: (order: number) => boolean, word: string): Maker<string> {
  return (text) => {
    const date = Temporal.PlainDate.from(text);
    return {
      name: "travelDates",
      unit: "date",
      limit: `${word} ${text}`,
      holds: ({ startsOn }) => compare(startsOn, (start) => holds(Temporal.PlainDate.compare(start, date))),
      actual: ({ startsOn }) => String(startsOn),
    };
  };
}

function compare<Value>(value: Value | undefined, holds: (value: Value) => boolean): boolean | undefined {
  return value === undefined ? undefined : holds(value);
}

const names = Object.keys(makers).filter((name): name is Name => Object.hasOwn(makers, name));

function buildConditions(when: When, shared: Map<string, Condition>): readonly Condition[] {
  return names.map((name) => buildCondition(when, name, shared)).filter((condition) => condition !== undefined);
}

function buildCondition<One extends Name>(
  when: { readonly [Each in Name]?: Values[Each] | undefined },
  name: One,
  shared: Map<string, Condition>,
): Condition | undefined {
  const value = when[name];
  if (value === undefined) return undefined;
  const key = JSON.stringify([name, value]);
  const condition = shared.get(key) ?? makers[name](value);
  shared.set(key, condition);
  return condition;
}
