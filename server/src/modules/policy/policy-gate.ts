import { Failure, isRetryable } from "../../domain/errors.ts";
import { MICRO_PER_UNIT, type Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Alternative } from "../../domain/travel/purchase.ts";
import type { CallPlan, LazyPlan, Party, PlannedMovement } from "../../kernel/contracts/call-plan.ts";
import type { PendingCall } from "../../kernel/contracts/charge.ts";
import { type Gate, judgeByMemory } from "../../kernel/contracts/gate.ts";
import type { Transaction } from "../../kernel/contracts/stores.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FxRates } from "../../ports/fx.ts";
import type { Maps } from "../../ports/maps.ts";
import { ownerKey } from "../identity/index.ts";
import type { ApprovalCase, ApprovalRefusal, Approvals, ApprovalTerms } from "./approvals.ts";
import type { Stores } from "./context.ts";
import type { PolicyDocument } from "./document.ts";
import { evaluate, mergeVerdicts, type Verdict } from "./evaluate.ts";
import type { Circumstances, Subject } from "./facts.ts";
import type { ActivePolicies, ActivePolicy } from "./policies.ts";
import { micro, usd } from "./rule.ts";
import { describeVerdict } from "./verdict-answer.ts";

export interface PolicyGateOptions {
  stores: Pick<Stores, "travelPolicies">;
  activePolicies: ActivePolicies;
  approvals: Approvals;
  maps: Pick<Maps, "airport">;
  fx: FxRates;
  clock: Clock;
}

const MOST_ALTERNATIVES = 3;
const MOST_REMEMBERED = 10_000;

/** Applies the tenant's enforced policy to calls that buy or pay. It judges plans and knows no tools. */
export class PolicyGate implements Gate {
  readonly name = "travel_policy";
  readonly #options: PolicyGateOptions;
  /** For tenants that enforced nothing at the last look-up: the version of their rules. */
  readonly #free = new Map<string, number>();
  /** Judges each call once. Entries are released with their plans. */
  readonly #judged = new WeakMap<LazyPlan, Promise<ApprovalCase | undefined>>();

  constructor(options: PolicyGateOptions) {
    this.#options = options;
  }

  check(call: PendingCall, plan: LazyPlan): Promise<void> | void {
    // Calls without a key have no policy, and tools without a plan buy nothing.
    if (call.keyId === "" || call.tool.effect === "read" || call.tool.plan === undefined) return;
    if (call.policyId === undefined && this.#isFree(call)) return;
    return this.#check(call, plan);
  }

  async uses(call: PendingCall, plan: LazyPlan): Promise<boolean> {
    const judged = await this.#judged.get(plan);
    return call.keyId !== "" && judged !== undefined && needsApproval(judged.verdict);
  }

  async reserve(_call: PendingCall, plan: LazyPlan, transaction: Transaction): Promise<void> {
    const judged = await this.#judged.get(plan);
    if (judged === undefined) return;
    const refusal = await this.#options.approvals.use(judged, transaction);
    if (refusal !== undefined) throw notApproved(judged, refusal);
  }

  settle(call: PendingCall): Promise<void> {
    return this.#options.approvals.settle(call);
  }

  async refused(
    _call: PendingCall,
    plan: LazyPlan,
    refusal: Failure,
    listWarnings: () => Promise<readonly string[]>,
  ): Promise<Failure> {
    const judged = await this.#judged.get(plan);
    if (judged === undefined || !needsApproval(judged.verdict) || !MAY_ASK.has(refusal.code)) return refusal;
    const context = {
      alternatives: await this.#alternativesTo(judged),
      purpose: (await judged.call.purpose?.())?.bought,
      warnings: await listWarnings(),
    };
    const { approvalId, expiresAt, reason } = await this.#options.approvals.request(judged, context);
    const next = isRetryable(refusal.code)
      ? `Approval ${approvalId} was requested; send the same call again once it is given.`
      : sayAnswer(approvalId, expiresAt, reason);
    return new Failure(refusal.code, {
      detail: `${refusal.detail} ${next}`,
      extra: {
        ...refusal.extra,
        approvalId,
        approvalExpiresAt: expiresAt.toString(),
        ...(reason === undefined ? {} : { reason }),
      },
    });
  }

  /** The cheapest alternatives that need no approval. */
  async #alternativesTo({ call, plan, policyId }: ApprovalCase): Promise<readonly Alternative[]> {
    const policy = await this.#options.activePolicies.find(call, policyId);
    const found = (await plan.alternatives?.()) ?? [];
    if (policy === undefined) return [];
    const circumstances = this.#circumstances(call);
    const mayBeBooked = ({ bought }: Alternative) => {
      const verdict = ofCall(evaluate(policy.rules, { bought }, circumstances));
      return verdict.decision !== "deny" && !needsApproval(verdict);
    };
    return firstOfEach(found.filter(mayBeBooked)).slice(0, MOST_ALTERNATIVES);
  }

  async #check(call: PendingCall, plan: LazyPlan): Promise<void> {
    const judging = this.#judge(call, plan);
    this.#judged.set(plan, judging);
    const judged = await judging;
    if (judged === undefined) return;
    if (judged.verdict.decision === "deny") throw denied(judged);
    if (!needsApproval(judged.verdict)) return;
    const refusal = await this.#options.approvals.refuses(judged);
    if (refusal !== undefined) throw await this.#withDeciders(judged, notApproved(judged, refusal));
  }

  /** Adds who decides to a refusal that a person can lift. */
  async #withDeciders(judged: ApprovalCase, refusal: Failure): Promise<Failure> {
    if (!MAY_ASK.has(refusal.code) || !isRetryable(refusal.code)) return refusal;
    const { deciders, says } = await this.#options.approvals.findDeciders(judged);
    return new Failure(refusal.code, {
      detail: `${refusal.detail} ${says}`,
      extra: { ...refusal.extra, role: judged.terms.role, deciders },
    });
  }

  /** Undefined: no policy applies, or the call neither buys nor pays. */
  async #judge(call: PendingCall, plan: LazyPlan): Promise<ApprovalCase | undefined> {
    const enforced = this.#isFree(call) ? undefined : await this.#findEnforced(call);
    const own = call.policyId === enforced ? undefined : call.policyId;
    if (enforced === undefined && own === undefined) return undefined;
    const planned = await plan();
    const { bought } = planned;
    const judged = [
      enforced === undefined
        ? undefined
        : await this.#judgeBy(enforced, call, planned, await this.#listSubjects(planned)),
      own === undefined || bought === undefined ? undefined : await this.#judgeBy(own, call, planned, [{ bought }]),
    ];
    return strictest(judged.filter((one) => one !== undefined));
  }

  /** Uses the cache. An enforced policy is read anew each time, as it may have been lifted. */
  #isFree(call: PendingCall): boolean {
    const version = this.#free.get(ownerKey(call));
    return version !== undefined && judgeByMemory(call, version);
  }

  async #findEnforced(call: PendingCall): Promise<string | undefined> {
    const { policyId, rulesVersion } = await this.#options.stores.travelPolicies.findEnforced(call);
    if (this.#free.size > MOST_REMEMBERED) this.#free.clear();
    if (policyId === undefined) this.#free.set(ownerKey(call), rulesVersion);
    else this.#free.delete(ownerKey(call));
    return policyId;
  }

  async #judgeBy(
    id: string,
    call: PendingCall,
    plan: CallPlan,
    subjects: readonly Subject[],
  ): Promise<ApprovalCase | undefined> {
    if (subjects.length === 0) return undefined;
    const policy = await this.#options.activePolicies.find(call, id);
    if (policy === undefined) throw new Failure("policy_denied", { detail: `The policy ${id} does not apply.` });
    const circumstances = this.#circumstances(call);
    const verdict = ofCall(mergeVerdicts(subjects.map((subject) => evaluate(policy.rules, subject, circumstances))));
    const { policyId, version } = policy;
    return { call, plan, policyId, version, verdict, terms: approvalTerms(policy) };
  }

  /** The purchase; otherwise the money that goes to others, or is reserved, for an unnamed purpose. */
  async #listSubjects({ bought, movements }: CallPlan): Promise<readonly Subject[]> {
    if (bought !== undefined) return [{ bought }];
    const subjects: Subject[] = [];
    for (const movement of movements.filter(isPayment)) {
      const recipient = isOutside(movement.to) ? movement.to : undefined;
      subjects.push({ payment: { amount: await this.#inDollars(movement), recipient } });
    }
    return subjects;
  }

  /** One USDC is one dollar; euros are converted at the reference rate, rounded up. Undefined: there is no rate. */
  async #inDollars({ token, amount }: PlannedMovement): Promise<Micro | undefined> {
    if (token === "USDC" || amount === undefined) return amount;
    const { perEuro } = await this.#options.fx.table(new AbortController().signal);
    const rate = perEuro.get("USD");
    return rate === undefined ? undefined : (amount * rate + MICRO_PER_UNIT - 1n) / MICRO_PER_UNIT;
  }

  #circumstances({ subject, travelerId }: PendingCall): Circumstances {
    const { clock, maps } = this.#options;
    return { now: clock.now(), booker: { userId: subject, travelerId }, airport: (code) => maps.airport(code) };
  }
}

/** One rate per hotel is enough. */
function firstOfEach(alternatives: readonly Alternative[]): readonly Alternative[] {
  const nameAlternative = ({ offerId, bought }: Alternative) =>
    bought.kind === "stay" ? (bought.suppliers?.join() ?? offerId) : offerId;
  const byName = new Map<string, Alternative>();
  for (const one of alternatives) {
    if (!byName.has(nameAlternative(one))) byName.set(nameAlternative(one), one);
  }
  return [...byName.values()];
}

/**
 * The strictest of several policies: one that denies, or the first that requires an approval, which then covers the verdicts of
 * all.
 */
function strictest(cases: readonly ApprovalCase[]): ApprovalCase | undefined {
  const denying = cases.find(({ verdict }) => verdict.decision === "deny");
  if (denying !== undefined) return denying;
  const asking = cases.filter(({ verdict }) => needsApproval(verdict));
  const [first] = asking;
  if (first === undefined) return cases[0];
  return { ...first, verdict: ofCall(mergeVerdicts(asking.map(({ verdict }) => verdict))) };
}

/** False: the money stays with the tenant, or was judged before, such as a booking's payout when it was reserved. */
function isPayment({ from, to }: PlannedMovement): boolean {
  const isOwn = from === "treasury" || from === "gateway" || from === "trip_budget";
  return isOwn && (isOutside(to) || to === "booking_reservation");
}

function isOutside(party: Party): party is Hex {
  return party.startsWith("0x");
}

/** A verdict that could not be reached is not an allowance: a person decides. */
function ofCall(verdict: Verdict): Verdict {
  const isOpen = verdict.notEvaluated.some(({ severity }) => severity !== "warn");
  return isOpen && verdict.decision !== "deny" ? { ...verdict, decision: "require_approval" } : verdict;
}

function needsApproval({ decision }: Verdict): boolean {
  return decision === "require_approval";
}

function approvalTerms({ document }: ActivePolicy): ApprovalTerms {
  const { role = "approver", expiresHours = 24, toleranceUsd = 0 }: Partial<Terms> = document.approval ?? {};
  return { role, expiresHours, tolerance: micro(toleranceUsd) };
}

type Terms = NonNullable<PolicyDocument["approval"]>;

function denied(judged: ApprovalCase): Failure {
  const { text } = judged.verdict.violations[0] ?? { text: "" };
  return new Failure("policy_denied", {
    detail: `The policy ${judged.policyId} denies this. ${text} Choose something that the policy allows; check_policy tells you in advance.`,
    extra: describeVerdict(judged.verdict, judged),
  });
}

const whyNot: Readonly<Record<Exclude<ApprovalRefusal, "approval_required" | "in_progress">, string>> = {
  approval_used: "The approval of this call was already used.",
  approval_expired: "The approval of this call has expired.",
  approval_price_changed: "The price has changed by more than its approval allows.",
  approval_offer_changed: "The call now differs from the one whose approval was requested.",
  approval_revoked: "The approval of this call was revoked.",
  approval_rejected: "A person has refused to approve this call.",
};

/** Refusals that a person could still lift. */
const MAY_ASK: ReadonlySet<string> = new Set(["approval_required", ...Object.keys(whyNot)]);

function sayAnswer(approvalId: string, expiresAt: Temporal.Instant, reason: string | undefined): string {
  const why = reason === undefined ? "" : ` with the reason “${reason}”`;
  return `That was the decision on approval ${approvalId}${why}; it is not requested again before ${expiresAt}. Choose something else, such as another flight or a lower price.`;
}

function notApproved(judged: ApprovalCase, refusal: ApprovalRefusal): Failure {
  if (refusal === "approval_required") return approvalRequired(judged);
  if (refusal === "in_progress") {
    return new Failure(refusal, {
      detail:
        "The same call is already running and uses the approval; this one did nothing. Send it again: a booking returns its result. Look up a payment first, because sending it again would be a second payment.",
    });
  }
  return new Failure(refusal, { detail: whyNot[refusal], extra: describeVerdict(judged.verdict, judged) });
}

function approvalRequired(judged: ApprovalCase): Failure {
  const { violations, notEvaluated } = judged.verdict;
  const { bought, howToKnow } = judged.plan;
  const texts = violations.filter(({ severity }) => severity !== "warn").map(({ text }) => text);
  const unknown = [...new Set(notEvaluated.flatMap(({ missing }) => missing))];
  const known = bought?.priceAtLeast === undefined ? "" : ` It costs at least ${usd(bought.priceAtLeast)} USD.`;
  const advice = howToKnow === undefined ? "" : ` ${howToKnow}`;
  const why = texts[0] ?? `The service does not know ${unknown.join(", ")} of it.${known}${advice}`;
  return new Failure("approval_required", {
    detail: `The policy ${judged.policyId} requires an approval. ${why}`,
    extra: describeVerdict(judged.verdict, judged),
  });
}
