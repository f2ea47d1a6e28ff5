import type { Finding } from "../area.ts";
import { findRepeated } from "../calls/check-usage.ts";
import type { ApprovalBooks } from "./books.ts";
import { ASKER_ID, type Told, WITHOUT_ROLE_ID } from "./desk.ts";
import type { Wish } from "./storm.ts";

/** Something that was done outside, as the supplier's ledger or the chain says. */
export interface Effect {
  /** The offer, or the address. */
  subject: string;
  amount: bigint;
}

export interface Facts {
  wishes: ReadonlyMap<string, Wish>;
  /** By approval. */
  subjects: ReadonlyMap<string, string>;
  effects: readonly Effect[];
  told: readonly Told[];
  books: ApprovalBooks;
  /** The user whose spending the budget covers, and its highest amount. */
  budget: { userId: string; allowed: bigint };
}

type Approval = ApprovalBooks["approvals"][number];

const isUsed = ({ state }: Approval): boolean => state === "used";
const isVerdict = ({ to }: { to: string }): boolean => to !== "revoked";

/** At any moment; effects outside were read before the books. */
export function checkApprovalsRunning(facts: Facts): Finding[] {
  return [
    checkNoMoreThanUsed(facts),
    checkUsedAsApproved(facts),
    checkDecidedOnce(facts),
    checkTold(facts),
    checkFourEyes(facts),
    checkBudget(facts),
  ];
}

/** Once everything is settled. */
export function checkApprovalsSettled(facts: Facts): Finding[] {
  return [...checkApprovalsRunning(facts), checkExactlyOne(facts)];
}

function checkNoMoreThanUsed(facts: Facts): Finding {
  const used = usedBySubject(facts);
  const done = Map.groupBy(facts.effects, ({ subject }) => subject);
  const problems = [...done].flatMap(([subject, effects]) => {
    const count = used.get(subject)?.length ?? 0;
    return effects.length > count ? [`${subject}: done ${effects.length} times by ${count} approvals`] : [];
  });
  return {
    invariant: "nothing is done outside without an approval that was used for it, nor twice by one",
    checked: facts.effects.length,
    problems,
  };
}

function checkExactlyOne(facts: Facts): Finding {
  const used = usedBySubject(facts);
  const done = Map.groupBy(facts.effects, ({ subject }) => subject);
  const problems = [...used].flatMap(([subject, all]) => {
    const approvals = all.filter(({ in_vain }) => !in_vain);
    const effects = done.get(subject) ?? [];
    if (effects.length !== approvals.length) {
      return [`${subject}: ${approvals.length} approvals are used, and it was done ${effects.length} times`];
    }
    // The cost is within the limit of one of them.
    const most = all.map((one) => one.most ?? 0n).reduce((one, other) => (one > other ? one : other), 0n);
    return effects.flatMap(({ amount }) => (amount > most ? [`${subject} cost ${amount}, allowed were ${most}`] : []));
  });
  const known = facts.books.approvals.filter((one) => isUsed(one) && !facts.subjects.has(one.id));
  for (const { id } of known) problems.push(`${id} is used, and nobody was told of it`);
  return {
    invariant: "every used approval has one effect at the supplier or on the chain, within its price",
    checked: [...used.values()].flat().length,
    problems,
  };
}

function checkUsedAsApproved({ books }: Facts): Finding {
  const used = books.approvals.filter(isUsed);
  const approved = new Set(books.decisions.filter(({ to }) => to === "approved").map(({ approval_id }) => approval_id));
  const revoked = new Set(books.decisions.filter(({ to }) => to === "revoked").map(({ approval_id }) => approval_id));
  const problems = [
    ...findRepeated(used, ({ call_id }) => `an approval of ${call_id}`),
    ...used.flatMap(({ id, in_time, decided_by }) => [
      ...(decided_by === null ? [`${id} is used, and nobody has decided it`] : []),
      // One that was decided after the decisions were read is not among them.
      ...(in_time ? [] : [`${id} was used before it was approved or after it had expired`]),
      ...(revoked.has(id) ? [`${id} is used, and was revoked`] : []),
      ...(books.decisions.some((one) => one.approval_id === id) && !approved.has(id)
        ? [`${id} is used, and was not approved`]
        : []),
    ]),
  ];
  return {
    invariant: "an approval is used by one call, after it was approved, in its time and not revoked",
    checked: used.length,
    problems,
  };
}

/** By the audit log, and by what people were told. */
function checkDecidedOnce({ books, told }: Facts): Finding {
  const verdicts = books.decisions.filter(isVerdict);
  const wins = told.filter(({ counts, verb }) => counts && verb !== "revoke");
  return {
    invariant: "an approval is decided once, and one person is told so",
    checked: verdicts.length,
    problems: [
      ...findRepeated(verdicts, ({ approval_id }) => `a decision of ${approval_id}`),
      ...findRepeated(wins, ({ approvalId }) => `somebody whose decision of ${approvalId} counts`),
    ],
  };
}

/** Nobody is told of a decision, own or another's, that is not on record. */
function checkTold({ books, told }: Facts): Finding {
  const byApproval = Map.groupBy(books.decisions, ({ approval_id }) => approval_id);
  const decided = told.filter(({ by }) => typeof by === "string");
  const problems = decided.flatMap(({ approvalId, by }) =>
    byApproval.get(approvalId)?.some((one) => one.by === by) === true
      ? []
      : [`${approvalId}: somebody was told that ${by} has decided it`],
  );
  return { invariant: "who decides is told the decision that stands", checked: decided.length, problems };
}

function checkFourEyes({ books }: Facts): Finding {
  const approvals = new Map(books.approvals.map((one) => [one.id, one]));
  const problems = books.decisions.flatMap(({ approval_id, by, to }) => {
    const { requested_by, asker } = approvals.get(approval_id) ?? {};
    const isOwn = by === requested_by || by === asker || (asker === ASKER_ID && by.endsWith(` for ${ASKER_ID}`));
    if (isOwn) return [`${approval_id} was asked for and ${to} by ${by}`];
    return by === WITHOUT_ROLE_ID ? [`${approval_id} was ${to} by a role that may not`] : [];
  });
  return {
    invariant: "nobody decides what they asked for, nor without the role",
    checked: books.decisions.length,
    problems,
  };
}

function checkBudget({ books, budget, effects, wishes }: Facts): Finding {
  const problems = books.budget.flatMap(({ used, most }) =>
    used > most ? [`${used} of the budget's ${most} is reserved or used`] : [],
  );
  const covered = effects.filter(({ subject }) => wishes.get(subject)?.userId === budget.userId);
  const spent = covered.reduce((sum, { amount }) => sum + amount, 0n);
  if (spent > budget.allowed) problems.push(`${spent} was spent of a budget that was ${budget.allowed} at most`);
  return {
    invariant: "what is reserved, used and spent outside stays within the budget",
    checked: covered.length,
    problems,
  };
}

function usedBySubject({ books, subjects }: Facts): Map<string, Approval[]> {
  const used = books.approvals.filter(isUsed).flatMap((one) => {
    const subject = subjects.get(one.id);
    return subject === undefined ? [] : [{ one, subject }];
  });
  const bySubject = new Map<string, Approval[]>();
  for (const { one, subject } of used) bySubject.set(subject, [...(bySubject.get(subject) ?? []), one]);
  return bySubject;
}
