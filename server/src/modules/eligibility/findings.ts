import { isOtherBritishNational } from "../../domain/countries.ts";
import type {
  EligibilityCheck,
  EligibilityQuestion,
  EligibilityVerdict,
  RuleSource,
  TravelAuthorization,
} from "./eligibility-rules.ts";
import type { Grant, Regime, Rule } from "./regime-schema.ts";

/** A check with its own verdict: the worst one of all checks counts. */
export interface Finding {
  check: EligibilityCheck;
  verdict: EligibilityVerdict;
  authorization?: TravelAuthorization;
  maxStayDays?: number;
  nextStep?: string;
  /** It is about a return to where the traveler lives, or began the trip. */
  isHome?: true;
}

const FROM_BEST_TO_WORST: readonly EligibilityVerdict[] = [
  "eligible",
  "eligible_with_authorization",
  "needs_information",
  "visa_required",
  "unknown",
  "not_admitted",
];

export function isWorse(one: EligibilityVerdict, other: EligibilityVerdict): boolean {
  return FROM_BEST_TO_WORST.indexOf(one) > FROM_BEST_TO_WORST.indexOf(other);
}

export function worstVerdict(verdictsFound: readonly EligibilityVerdict[]): EligibilityVerdict {
  return verdictsFound.reduce((one, other) => (isWorse(other, one) ? other : one), "eligible");
}

/** A question with the regime and the facts on the day of arrival. */
export interface Case extends EligibilityQuestion {
  regime: Regime;
  expiresOn: Temporal.PlainDate;
}

export function findSource({ sources }: Regime, name: string): RuleSource | null {
  return sources[name] ?? null;
}

export function findAuthorization(
  { authorizations }: Regime,
  name: string | undefined,
): TravelAuthorization | undefined {
  return name === undefined ? undefined : authorizations[name];
}

/** The rules for this nationality and this traveler in force on the day of arrival. */
export function rulesFor(question: EligibilityQuestion, rules: readonly Rule[]): readonly Rule[] {
  const { document, arrivesOn } = question;
  const day = arrivesOn.toString();
  return rules.filter(
    ({ nationalities, from = day, until = day, ...conditions }) =>
      nationalities.has(document.nationality) && from <= day && day <= until && isFor(question, conditions),
  );
}

function isFor(
  { arrivesOn, otherStays, otherNationalities, turnsBack }: EligibilityQuestion,
  { stayedIn, alsoNationals, onwardOnly }: Pick<Rule, "stayedIn" | "alsoNationals" | "onwardOnly">,
): boolean {
  const hasStayed =
    stayedIn === undefined ||
    otherStays.some(
      ({ countryIso3, from, to }) =>
        stayedIn.countries.has(countryIso3) && to.toString() >= stayedIn.since && compare(from, arrivesOn) <= 0,
    );
  const isAlsoNational = alsoNationals === undefined || otherNationalities.some((code) => alsoNationals.has(code));
  return hasStayed && isAlsoNational && !(onwardOnly && turnsBack);
}

/** Rules for everybody else apply to nationals of states only, not to other British nationals. */
export function otherwiseFor({ document }: EligibilityQuestion, otherwise: Grant | undefined): Grant | undefined {
  return isOtherBritishNational(document.nationality) ? undefined : otherwise;
}

export const compare = (one: Temporal.PlainDate, other: Temporal.PlainDate): number =>
  Temporal.PlainDate.compare(one, other);

/** Appends the rule's note, if it has one. */
export function withNote(text: string, { note }: Pick<Grant, "note">): string {
  return note === undefined ? text : `${text} ${note}`;
}

/** Both ends included. */
export function daysBetween(first: Temporal.PlainDate, last: Temporal.PlainDate): number {
  return first.until(last, { largestUnit: "days" }).days + 1;
}

export function sayDays(days: number): string {
  return days === 1 ? "1 day" : `${days} days`;
}
