import type { Micro } from "../../domain/money.ts";
import type { PolicyDocument, Severity } from "./document.ts";
import type { Facts, HotelFacts } from "./facts.ts";
import { conditionRule, isNamed, judgeAdvance, shortList } from "./flight-rules.ts";
import { type Judgement, micro, missing, over, type Rule } from "./rule.ts";

type Hotel = NonNullable<PolicyDocument["hotel"]>;

/** Compiles the `hotel` part of a document, one rule per limit. */
export function hotelRules({
  maxNightly,
  stars,
  advancePurchaseDays: advance,
  chains,
  refund,
}: Hotel): readonly Rule[] {
  return [
    ...(maxNightly === undefined ? [] : [nightlyRule(maxNightly)]),
    ...(stars === undefined ? [] : [starsRule(stars)]),
    ...(advance === undefined ? [] : [advanceRule(advance)]),
    ...(chains === undefined ? [] : chainRules(chains)),
    ...(refund === undefined
      ? []
      : [
          conditionRule(
            "hotel.refund",
            refund.severity,
            "refundable",
            refund.requireFreeCancellationAbove,
            (facts) => facts.refundable,
          ),
        ]),
  ];
}

const onHotel =
  (judge: (hotel: HotelFacts, facts: Facts) => Judgement) =>
  (facts: Facts): Judgement =>
    facts.hotel === undefined ? undefined : judge(facts.hotel, facts);

function nightlyRule({ severity, default: otherwise, byCity = {} }: NonNullable<Hotel["maxNightly"]>): Rule {
  const limits = new Map(Object.entries(byCity).map(([city, amount]) => [city, micro(amount)]));
  const last = otherwise === undefined ? undefined : micro(otherwise);
  const all = [...limits.values(), ...(last === undefined ? [] : [last])];
  const lowest = all.reduce<Micro | undefined>(
    (one, other) => (one === undefined || other < one ? other : one),
    undefined,
  );
  const highest = all.reduce<Micro>((one, other) => (other > one ? other : one), 0n);
  const judge = onHotel(({ pricePerNight, citiesAmong }, { price }) => {
    if (lowest === undefined) return undefined;
    const cities = limits.size === 0 ? [] : citiesAmong(limits.keys());
    const limit = cities === undefined ? undefined : (limits.get(cities[0] ?? "") ?? last);
    if (cities !== undefined && limit === undefined) return undefined;
    // The price of the whole stay is an upper bound for a night.
    const atMost = pricePerNight ?? price;
    if (atMost !== undefined && atMost <= (limit ?? lowest)) return undefined;
    if (pricePerNight === undefined) return missing("pricePerNightUsd");
    if (limit !== undefined) return over("A night costs", limit, pricePerNight);
    return last !== undefined && pricePerNight > highest
      ? over("A night costs", highest, pricePerNight)
      : missing("city");
  });
  return { id: "hotel.maxNightly", severity, judge };
}

function starsRule({ severity, max }: NonNullable<Hotel["stars"]>): Rule {
  const judge = onHotel(({ stars }) => {
    if (stars === undefined) return missing("starRating");
    if (stars <= max) return undefined;
    const text = `The hotel has ${stars} stars; at most ${max} are allowed.`;
    return { limit: String(max), actual: String(stars), unit: "stars", text };
  });
  return { id: "hotel.stars", severity, judge };
}

function advanceRule({ severity, days }: NonNullable<Hotel["advancePurchaseDays"]>): Rule {
  const judge = onHotel((_hotel, { daysAhead }) =>
    daysAhead === undefined ? missing("checkInDate") : judgeAdvance(daysAhead, days),
  );
  return { id: "hotel.advancePurchaseDays", severity, judge };
}

function chainRules({ severity, preferred, blocked }: NonNullable<Hotel["chains"]>): readonly Rule[] {
  const rule = (
    name: string,
    level: Severity,
    limit: string,
    text: string,
    breaks: (ids: readonly string[]) => boolean,
  ): Rule => ({
    id: `hotel.chains.${name}`,
    severity: level,
    judge: onHotel(({ suppliers }) => {
      if (suppliers === undefined) return missing("supplierId");
      if (!breaks(suppliers)) return undefined;
      const actual = suppliers.join(", ");
      return { limit, actual, unit: "supplier", text: `The supplier ${actual} ${text}.` };
    }),
  });
  const rules: Rule[] = [];
  if (isNamed(blocked)) {
    const refused = new Set(blocked);
    const breaks = (ids: readonly string[]) => ids.some((id) => refused.has(id));
    rules.push(rule("blocked", severity, `not ${shortList(blocked)}`, "is not allowed", breaks));
  }
  if (isNamed(preferred)) {
    const liked = new Set(preferred);
    const names = shortList(preferred);
    const breaks = (ids: readonly string[]) => !ids.some((id) => liked.has(id));
    rules.push(rule("preferred", "warn", names, `is not one of the preferred ones: ${names}`, breaks));
  }
  return rules;
}
