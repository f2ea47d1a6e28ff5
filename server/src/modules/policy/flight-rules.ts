import type { Micro } from "../../domain/money.ts";
import { type Cabin, type ComparableOffer, isHigherCabin } from "../../domain/travel/purchase.ts";
import type { PolicyDocument, Severity } from "./document.ts";
import type { Facts, FlightFacts, LegFacts } from "./facts.ts";
import { type Judgement, micro, missing, over, type Rule, usd } from "./rule.ts";

type Flight = NonNullable<PolicyDocument["flight"]>;
type MaxPrice = NonNullable<Flight["maxPrice"]>;
type MaxCabin = NonNullable<Flight["maxCabin"]>;

/** Compiles the `flight` part of a document, one rule per limit. */
export function flightRules(flight: Flight): readonly Rule[] {
  const { maxPrice, maxCabin, advancePurchaseDays: advance, carriers, fare, itinerary, emissions } = flight;
  return [
    ...(maxPrice === undefined ? [] : priceRules(maxPrice)),
    ...(maxCabin === undefined ? [] : [cabinRule(maxCabin)]),
    ...(advance === undefined ? [] : [advanceRule(advance)]),
    ...(carriers === undefined ? [] : carrierRules(carriers)),
    ...(fare === undefined ? [] : fareRules(fare)),
    ...(itinerary === undefined ? [] : itineraryRules(itinerary)),
    ...(emissions === undefined ? [] : [emissionsRule(emissions)]),
  ];
}

const onFlight =
  (judge: (flight: FlightFacts, facts: Facts) => Judgement) =>
  (facts: Facts): Judgement =>
    facts.flight === undefined ? undefined : judge(facts.flight, facts);

function priceRules({ severity, default: otherwise, byDuration = [], dynamic }: MaxPrice): readonly Rule[] {
  const rules: Rule[] = [];
  if (otherwise !== undefined || byDuration.length > 0) {
    const steps = byDuration.map(({ maxHours, amount }) => ({ maxHours, amount: micro(amount) }));
    const last = otherwise === undefined ? undefined : micro(otherwise);
    const judge = onFlight((flight, { price }) => judgePrice(price, flight.durationHours, steps, last));
    rules.push({ id: "flight.maxPrice", severity, judge });
  }
  if (dynamic !== undefined) {
    const judge = onFlight((flight, { price }) => judgeAgainstComparables(price, flight, dynamic));
    rules.push({ id: "flight.maxPrice.dynamic", severity, judge });
  }
  return rules;
}

function judgePrice(
  price: Micro | undefined,
  hours: number | undefined,
  steps: readonly { maxHours: number; amount: Micro }[],
  last: Micro | undefined,
): Judgement {
  if (price === undefined) return missing("priceUsd");
  if (hours === undefined && steps.length > 0) {
    // A price below every limit, or above all of them, is decided without the duration.
    const all = [...steps.map(({ amount }) => amount), ...(last === undefined ? [] : [last])];
    if (all.every((limit) => price <= limit)) return undefined;
    const highest = all.reduce((one, other) => (other > one ? other : one));
    return last !== undefined && price > highest ? over("The flight costs", highest, price) : missing("durationHours");
  }
  const limit = steps.find(({ maxHours }) => (hours ?? 0) <= maxHours)?.amount ?? last;
  return limit === undefined || price <= limit ? undefined : over("The flight costs", limit, price);
}

function judgeAgainstComparables(
  price: Micro | undefined,
  { comparables, departures, cabin }: FlightFacts,
  { basis, plusPercent, plusUsd, windowHours }: NonNullable<MaxPrice["dynamic"]>,
): Judgement {
  if (price === undefined) return missing("priceUsd");
  if (comparables === undefined || departures === undefined || cabin === undefined) return missing("comparableOffers");
  const isNear = (offer: ComparableOffer) =>
    offer.cabin === cabin &&
    offer.departures.length === departures.length &&
    departures.every((at, leg) => hoursApart(at, offer.departures[leg]) <= windowHours);
  const prices = comparables.filter(isNear).map((offer) => offer.price);
  const sorted = prices.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  const base = sorted[basis === "median" ? Math.floor((sorted.length - 1) / 2) : 0];
  if (base === undefined) return missing("comparableOffers");
  const limit = base + (base * micro(plusPercent)) / 100_000_000n + micro(plusUsd);
  if (price <= limit) return undefined;
  const name = basis === "median" ? "the median" : "the cheapest";
  const found = over("The flight costs", limit, price);
  return { ...found, text: `${found.text} The limit is derived from ${name} of comparable offers, ${usd(base)} USD.` };
}

/** Both are local times at the same place. */
function hoursApart(one: Temporal.PlainDateTime, other: Temporal.PlainDateTime | undefined): number {
  return other === undefined ? Number.POSITIVE_INFINITY : Math.abs(one.until(other).total({ unit: "hours" }));
}

function cabinRule({ severity, default: base, byDuration = [], overnight }: MaxCabin): Rule {
  const judgeLeg = ({ cabin, durationHours, isOvernight }: LegFacts): Judgement => {
    if (cabin === undefined) return base === "first" ? undefined : missing("cabin");
    const grants: { cabin: Cabin; granted: boolean | undefined; unknown: string }[] = [
      { cabin: base, granted: true, unknown: "" },
      ...byDuration.map((step) => ({
        cabin: step.cabin,
        granted: durationHours === undefined ? undefined : durationHours >= step.minHours,
        unknown: "durationHours",
      })),
      ...(overnight === undefined ? [] : [{ cabin: overnight, granted: isOvernight, unknown: "arrivalTime" }]),
    ];
    const enough = grants.filter((grant) => !isHigherCabin(cabin, grant.cabin));
    if (enough.some(({ granted }) => granted === true)) return undefined;
    const open = enough.filter(({ granted }) => granted === undefined);
    if (open.length > 0) return missing(...new Set(open.map(({ unknown }) => unknown)));
    const limit = grants
      .filter(({ granted }) => granted === true)
      .reduce((best, one) => (isHigherCabin(one.cabin, best) ? one.cabin : best), base);
    const length = durationHours === undefined ? "" : ` for a leg of ${hoursText(durationHours)} hours`;
    const text = `The cabin is ${cabin}; the highest allowed${length} is ${limit}.`;
    return { limit, actual: cabin, unit: "cabin", text };
  };
  return {
    id: "flight.maxCabin",
    severity,
    judge: onFlight(({ legs }) => worst(legs.toSorted(longestFirst).map(judgeLeg))),
  };
}

/** `check_policy` is told the longest leg, so both name the same one. */
const longestFirst = (one: LegFacts, other: LegFacts): number => (other.durationHours ?? 0) - (one.durationHours ?? 0);

/** A broken rule outranks an unknown one. */
function worst(judgements: readonly Judgement[]): Judgement {
  const said = judgements.filter((one) => one !== undefined);
  return said.find((one) => "limit" in one) ?? said[0];
}

function hoursText(hours: number): string {
  return String(Math.round(hours * 100) / 100);
}

function advanceRule({ severity, domestic, international }: NonNullable<Flight["advancePurchaseDays"]>): Rule {
  const judge = onFlight(({ isDomestic }, { daysAhead }) => {
    if (daysAhead === undefined) return missing("departureDate");
    if (isDomestic === undefined && daysAhead < Math.max(domestic ?? 0, international ?? 0)) {
      return missing("destinationCountry");
    }
    return judgeAdvance(daysAhead, (isDomestic === true ? domestic : international) ?? 0);
  });
  return { id: "flight.advancePurchaseDays", severity, judge };
}

export function judgeAdvance(daysAhead: number, days: number): Judgement {
  if (daysAhead >= days) return undefined;
  const text = `It begins ${daysAhead} days from today; it must be booked at least ${days} days in advance.`;
  return { limit: String(days), actual: String(daysAhead), unit: "days", text };
}

function carrierRules({ severity, preferred, blocked, only }: NonNullable<Flight["carriers"]>): readonly Rule[] {
  const rule = (
    name: string,
    level: Severity,
    limit: string,
    text: string,
    breaks: (carrier: string) => boolean,
  ): Rule => ({
    id: `flight.carriers.${name}`,
    severity: level,
    judge: onFlight(({ carriers }) => {
      if (carriers === undefined) return missing("carrierIata");
      const actual = carriers.filter(breaks).join(", ");
      return actual === "" ? undefined : { limit, actual, unit: "airline", text: `The airline ${actual} ${text}.` };
    }),
  });
  const rules: Rule[] = [];
  if (isNamed(blocked)) {
    const refused = new Set(blocked);
    rules.push(rule("blocked", severity, `not ${shortList(blocked)}`, "is not allowed", (code) => refused.has(code)));
  }
  if (isNamed(only)) {
    const allowed = new Set(only);
    const names = shortList(only);
    rules.push(rule("only", severity, names, `is not one of the allowed ones: ${names}`, (code) => !allowed.has(code)));
  }
  if (isNamed(preferred)) {
    const liked = new Set(preferred);
    const names = shortList(preferred);
    rules.push(
      rule("preferred", "warn", names, `is not one of the preferred ones: ${names}`, (code) => !liked.has(code)),
    );
  }
  return rules;
}

/** An empty list limits nothing. */
export function isNamed(names: readonly string[] | undefined): names is readonly string[] {
  return names !== undefined && names.length > 0;
}

const MOST_SHOWN = 10;

export function shortList(names: readonly string[]): string {
  const more = names.length - MOST_SHOWN;
  return `${names.slice(0, MOST_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function fareRules(fare: NonNullable<Flight["fare"]>): readonly Rule[] {
  const { severity, requireRefundableAbove: refundable, requireChangeableAbove: changeable, allowBasicEconomy } = fare;
  return [
    ...(refundable === undefined
      ? []
      : [conditionRule("flight.fare.refundable", severity, "refundable", refundable, (facts) => facts.refundable)]),
    ...(changeable === undefined
      ? []
      : [
          conditionRule(
            "flight.fare.changeable",
            severity,
            "changeable",
            changeable,
            ({ flight }) => flight?.changeable,
          ),
        ]),
    ...(allowBasicEconomy === false ? [{ id: "flight.fare.basicEconomy", severity, judge: onFlight(judgeBasic) }] : []),
  ];
}

/** A condition that expensive bookings must meet. */
export function conditionRule(
  id: string,
  severity: Severity,
  name: string,
  above: number,
  read: (facts: Facts) => boolean | undefined,
): Rule {
  const limit = micro(above);
  return {
    id,
    severity,
    judge(facts) {
      const has = read(facts);
      const { price } = facts;
      if (has === true || (price !== undefined && price <= limit)) return undefined;
      if (price === undefined) return missing("priceUsd");
      if (has === undefined) return missing(name);
      const text = `It is not ${name}, which is required above ${usd(limit)} USD.`;
      return { limit: name, actual: `not ${name}`, unit: "condition", text };
    },
  };
}

function judgeBasic({ fareBrands }: FlightFacts): Judgement {
  if (fareBrands === undefined) return missing("fareBrand");
  const basic = fareBrands.find((brand) => /\bbasic\b/i.test(brand));
  if (basic === undefined) return undefined;
  return { limit: "no basic fare", actual: basic, unit: "fare", text: `The fare ${basic} is a basic one.` };
}

function itineraryRules(itinerary: NonNullable<Flight["itinerary"]>): readonly Rule[] {
  const { severity, maxStops, maxDurationHours } = itinerary;
  return [
    ...(maxStops === undefined
      ? []
      : [mostRule("flight.itinerary.maxStops", severity, maxStops, "stops", (leg) => leg.stops)]),
    ...(maxDurationHours === undefined
      ? []
      : [
          mostRule(
            "flight.itinerary.maxDurationHours",
            severity,
            maxDurationHours,
            "hours",
            (leg) => leg.durationHours,
          ),
        ]),
  ];
}

function mostRule(
  id: string,
  severity: Severity,
  most: number,
  unit: "stops" | "hours",
  read: (leg: LegFacts) => number | undefined,
): Rule {
  const judgeLeg = (leg: LegFacts): Judgement => {
    const actual = read(leg);
    if (actual === undefined) return missing(unit === "hours" ? "durationHours" : "stops");
    if (actual <= most) return undefined;
    const text = `A leg has ${hoursText(actual)} ${unit}; at most ${most} are allowed.`;
    return { limit: String(most), actual: hoursText(actual), unit, text };
  };
  const highestFirst = (one: LegFacts, other: LegFacts) => (read(other) ?? 0) - (read(one) ?? 0);
  return { id, severity, judge: onFlight(({ legs }) => worst(legs.toSorted(highestFirst).map(judgeLeg))) };
}

function emissionsRule({ severity, maxKgPerPassenger: most }: NonNullable<Flight["emissions"]>): Rule {
  const judge = onFlight(({ emissionsKgPerPassenger: actual }) => {
    if (actual === undefined) return missing("co2KgPerPassenger");
    if (actual <= most) return undefined;
    const text = `It emits ${hoursText(actual)} kg of CO2 per passenger; at most ${most} are allowed.`;
    return { limit: String(most), actual: hoursText(actual), unit: "kg CO2 a passenger", text };
  });
  return { id: "flight.emissions", severity, judge };
}
