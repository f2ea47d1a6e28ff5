import { paymentRules, travelRules } from "./common-rules.ts";
import { missingFor, type OwnRule, ownRules, sayBroken } from "./custom-rules.ts";
import { type PolicyDocument, type Severity, severities } from "./document.ts";
import { type Circumstances, collectFacts, type Facts, type Kind, type Subject } from "./facts.ts";
import { flightRules } from "./flight-rules.ts";
import { hotelRules } from "./hotel-rules.ts";
import type { Broken, Judgement, Rule } from "./rule.ts";
import { growRuleTree, type Rules, type RuleTree } from "./rule-tree.ts";

/** The most entries shown; a policy can have thousands of rules. */
export const MOST_SHOWN = 50;

type Decision = "allow" | Severity;

export interface Verdict {
  decision: Decision;
  /** Strictest first. */
  violations: readonly Violation[];
  notEvaluated: readonly NotEvaluated[];
  /** The number of entries of both lists that are not shown. */
  notShown: number;
}

interface Violation extends Broken {
  rule: string;
  severity: Severity;
}

interface NotEvaluated {
  rule: string;
  /** The severity if the rule were broken. */
  severity: Severity;
  missing: readonly string[];
}

/** Compiles a document's rules, once per version. */
export function compilePolicy(document: PolicyDocument): Rules {
  const { flight, hotel, payments, rules = [] } = document;
  const travel = travelRules(document);
  const own = Map.groupBy(ownRules(rules), ({ kind }) => kind);
  const growOwnTree = (kind: Kind) => growRuleTree(own.get(kind) ?? []);
  return {
    flight: { parts: [...(flight === undefined ? [] : flightRules(flight)), ...travel], own: growOwnTree("flight") },
    hotel: { parts: [...(hotel === undefined ? [] : hotelRules(hotel)), ...travel], own: growOwnTree("hotel") },
    payment: { parts: payments === undefined ? [] : paymentRules(payments), own: growOwnTree("payment") },
  };
}

export function countRules(rules: Rules): number {
  return Object.values(rules).reduce((sum, { parts, own }) => sum + parts.length + own.size, 0);
}

/** Evaluates a purchase or payment: the strictest broken rule decides. Pure. */
export function evaluate(rules: Rules, subject: Subject, circumstances: Circumstances): Verdict {
  const facts = collectFacts(subject, circumstances);
  const atLeast = factsAtLeast(subject, circumstances);
  const violations: Said<Violation>[] = [];
  const notEvaluated: Said<NotEvaluated>[] = [];
  const { parts, own } = rules[facts.kind];
  for (const { id, severity, judge } of parts) {
    const judgement = judgeWith(judge, facts, atLeast);
    if (judgement === undefined) continue;
    const rule = { rule: id, severity };
    if ("missing" in judgement) notEvaluated.push({ severity, say: () => ({ ...rule, missing: judgement.missing }) });
    else violations.push({ severity, say: () => ({ ...rule, ...judgement }) });
  }
  const broken = new Set(atLeast === undefined ? [] : brokenBy(own, atLeast));
  for (const { rule, isKnown } of own.find(facts)) {
    const { id, severity } = rule;
    if (atLeast !== undefined && !isKnown && broken.has(rule)) {
      violations.push({ severity, say: () => ({ rule: id, severity, ...asBound(sayBroken(atLeast, rule)) }) });
    } else if (isKnown) violations.push({ severity, say: () => ({ rule: id, severity, ...sayBroken(facts, rule) }) });
    else notEvaluated.push({ severity, say: () => ({ rule: id, severity, missing: missingFor(facts, rule) }) });
  }
  return toVerdict(violations, notEvaluated, 0);
}

/** Facts with a lower bound instead of an unknown price. Undefined: there is no bound. */
function factsAtLeast(subject: Subject, circumstances: Circumstances): Facts | undefined {
  if (!("bought" in subject)) return undefined;
  const { bought } = subject;
  if (bought.price !== undefined || bought.priceAtLeast === undefined) return undefined;
  return collectFacts({ bought: { ...bought, price: bought.priceAtLeast } }, circumstances);
}

/** A higher price only breaks more rules, so a rule that is broken at the lower bound is broken in any case. */
function judgeWith(judge: Rule["judge"], facts: Facts, atLeast: Facts | undefined): Judgement {
  const judgement = judge(facts);
  if (atLeast === undefined || judgement === undefined || !("missing" in judgement)) return judgement;
  const bound = judge(atLeast);
  return bound !== undefined && "limit" in bound ? asBound(bound) : judgement;
}

function brokenBy(own: RuleTree, atLeast: Facts): readonly OwnRule[] {
  return own.find(atLeast).flatMap(({ rule, isKnown }) => (isKnown ? [rule] : []));
}

const asBound = (broken: Broken): Broken => ({
  ...broken,
  text: `${broken.text} Services of unknown price are added to this.`,
});

/** Merges the verdicts of a call that buys or pays several things. */
export function mergeVerdicts(verdicts: readonly Verdict[]): Verdict {
  const said = <One extends { severity: Severity }>(one: One): Said<One> => ({
    severity: one.severity,
    say: () => one,
  });
  return toVerdict(
    verdicts.flatMap(({ violations }) => violations.map(said)),
    verdicts.flatMap(({ notEvaluated }) => notEvaluated.map(said)),
    verdicts.reduce((sum, { notShown }) => sum + notShown, 0),
  );
}

/** Worded only when shown, as thousands of rules may be broken. */
interface Said<One> {
  severity: Severity;
  say(): One;
}

function toVerdict(
  violations: readonly Said<Violation>[],
  notEvaluated: readonly Said<NotEvaluated>[],
  notShown: number,
): Verdict {
  const sorted = strictestFirst(violations);
  const unknown = strictestFirst(notEvaluated);
  const beyond = (list: readonly unknown[]) => Math.max(0, list.length - MOST_SHOWN);
  return {
    decision: sorted[0]?.severity ?? "allow",
    violations: sorted.slice(0, MOST_SHOWN).map(({ say }) => say()),
    notEvaluated: unknown.slice(0, MOST_SHOWN).map(({ say }) => say()),
    notShown: notShown + beyond(sorted) + beyond(unknown),
  };
}

function strictestFirst<One extends { severity: Severity }>(list: readonly One[]): readonly One[] {
  return severities.toReversed().flatMap((level) => list.filter(({ severity }) => severity === level));
}
