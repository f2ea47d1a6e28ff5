import type { Condition, OwnRule } from "./custom-rules.ts";
import type { Facts, Kind } from "./facts.ts";
import type { Rule } from "./rule.ts";

/** The compiled rules of a policy, by the kind that they judge. */
export type Rules = Readonly<Record<Kind, { readonly parts: readonly Rule[]; readonly own: RuleTree }>>;

/**
 * The tenant's own rules of a kind, grouped by shared conditions: a shared condition is evaluated once, and if it fails, its
 * rules are skipped.
 */
export interface RuleTree {
  readonly size: number;
  /** In document order. `isKnown`: the rule is broken; otherwise one of its conditions is unknown and the others hold. */
  find(facts: Facts): readonly { readonly rule: OwnRule; readonly isKnown: boolean }[];
}

interface Branch {
  /** With their positions in the document. */
  readonly rules: { readonly rule: OwnRule; readonly place: number }[];
  readonly branches: Map<Condition, Branch>;
}

type Found = Branch["rules"][number] & { readonly isKnown: boolean };

const newBranch = (): Branch => ({ rules: [], branches: new Map() });

export function growRuleTree(rules: readonly OwnRule[]): RuleTree {
  const asked = new Map<Condition, number>();
  for (const condition of rules.flatMap(({ conditions }) => conditions)) {
    asked.set(condition, (asked.get(condition) ?? 0) + 1);
  }
  const root = newBranch();
  for (const [place, rule] of rules.entries()) {
    const mostAskedFirst = rule.conditions.toSorted((one, other) => (asked.get(other) ?? 0) - (asked.get(one) ?? 0));
    let branch = root;
    for (const condition of mostAskedFirst) {
      const next = branch.branches.get(condition) ?? newBranch();
      branch.branches.set(condition, next);
      branch = next;
    }
    branch.rules.push({ rule, place });
  }
  return { size: rules.length, find: (facts) => findBelow(root, facts) };
}

function findBelow(root: Branch, facts: Facts): readonly Found[] {
  const found: Found[] = [];
  const visit = ({ rules, branches }: Branch, isKnown: boolean): void => {
    for (const one of rules) found.push({ ...one, isKnown });
    for (const [condition, branch] of branches) {
      const holds = condition.holds(facts);
      if (holds !== false) visit(branch, isKnown && holds === true);
    }
  };
  visit(root, true);
  return found.sort((one, other) => one.place - other.place);
}
