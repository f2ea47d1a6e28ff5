import { paymentRules, travelRules } from "./common-rules.ts";
import { customRule } from "./custom-rules.ts";
import { type PolicyDocument, type Severity, severities } from "./document.ts";
import { type Circumstances, factsOf, type Subject } from "./facts.ts";
import { flightRules } from "./flight-rules.ts";
import { hotelRules } from "./hotel-rules.ts";
import type { Broken, Rules } from "./rule.ts";

type Decision = "allow" | Severity;

export interface Verdict {
  decision: Decision;
  /** The strictest first. */
  violations: readonly Violation[];
  notEvaluated: readonly NotEvaluated[];
}

interface Violation extends Broken {
  rule: string;
  severity: Severity;
}

interface NotEvaluated {
  rule: string;
  /** What would follow if it were broken. */
  severity: Severity;
  missing: readonly string[];
}

/** A document's rules, ready to be asked: made once for a version. */
export function compilePolicy(document: PolicyDocument): Rules {
  const { flight, hotel, payments, rules = [] } = document;
  const travel = travelRules(document);
  const custom = Map.groupBy(rules.map(customRule), ({ kind }) => kind);
  return {
    flight: [...(flight === undefined ? [] : flightRules(flight)), ...travel, ...(custom.get("flight") ?? [])],
    hotel: [...(hotel === undefined ? [] : hotelRules(hotel)), ...travel, ...(custom.get("hotel") ?? [])],
    payment: [...(payments === undefined ? [] : paymentRules(payments)), ...(custom.get("payment") ?? [])],
  };
}

/** What a policy says of a purchase or a payment: the strictest rule that is broken decides. Pure. */
export function evaluate(rules: Rules, subject: Subject, circumstances: Circumstances): Verdict {
  const facts = factsOf(subject, circumstances);
  const violations: Violation[] = [];
  const notEvaluated: NotEvaluated[] = [];
  for (const { id: rule, severity, judge } of rules[facts.kind]) {
    const judgement = judge(facts);
    if (judgement === undefined) continue;
    if ("missing" in judgement) notEvaluated.push({ rule, severity, missing: judgement.missing });
    else violations.push({ rule, severity, ...judgement });
  }
  return toVerdict(violations, notEvaluated);
}

/** Of a call that buys or pays several things. */
export function mergeVerdicts(verdicts: readonly Verdict[]): Verdict {
  return toVerdict(
    verdicts.flatMap(({ violations }) => violations),
    verdicts.flatMap(({ notEvaluated }) => notEvaluated),
  );
}

function toVerdict(violations: readonly Violation[], notEvaluated: readonly NotEvaluated[]): Verdict {
  const byStrictness = (one: { severity: Severity }, other: { severity: Severity }) =>
    severities.indexOf(other.severity) - severities.indexOf(one.severity);
  const sorted = violations.toSorted(byStrictness);
  return {
    decision: sorted[0]?.severity ?? "allow",
    violations: sorted,
    notEvaluated: notEvaluated.toSorted(byStrictness),
  };
}
