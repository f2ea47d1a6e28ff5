import { nameChain } from "../../domain/chains/named-chains.ts";
import { newId, type RandomBytes } from "../../domain/ids.ts";
import { formatDecimal } from "../../domain/money.ts";
import type { FlightPurchase, Purchase, StayPurchase } from "../../domain/travel/purchase.ts";
import type { PlannedMovement } from "../../kernel/contracts/call-plan.ts";
import type { PendingCall } from "../../kernel/contracts/charge.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Delivery, sendNow, storedWords } from "../outbox/index.ts";
import {
  type ApprovalCase,
  type ApprovalContext,
  type ApprovalRefusal,
  type Approvals,
  type Deciders,
  describeVerdict,
  type RequestedApproval,
} from "../policy/index.ts";
import { type Approval, type ApprovalOwner, type Binding, toOwner } from "./approvals.ts";
import { bindCall } from "./bind-call.ts";
import type { Aggregates, Stores } from "./context.ts";
import { findDeciders } from "./find-deciders.ts";
import { type ApproverMailPorts, type StoredMails, storeApproverMails } from "./mail-approvers.ts";

export interface KeptApprovalsOptions {
  stores: Stores;
  clock: Clock;
  random: RandomBytes;
  mail: ApproverMailPorts & { delivery: Delivery };
  /** The base URL of the documentation. */
  appUrl: string;
}

/** Stored approvals that policies ask for. */
export class KeptApprovals implements Approvals {
  readonly #options: KeptApprovalsOptions;

  constructor(options: KeptApprovalsOptions) {
    this.#options = options;
  }

  async refuses(asked: ApprovalCase): Promise<ApprovalRefusal | undefined> {
    const binding = bindCall(asked);
    const { stores, clock } = this.#options;
    const owner = toOwner(asked.call);
    const last = await findGiven(stores, owner, binding);
    const refusal = judge(last, binding, clock.now());
    if (refusal === undefined || refusal === "approval_revoked" || refusal === "approval_rejected") return refusal;
    if (refusal === "approval_used") return await sayUsed(stores, asked.call, last);
    return (await findRejection(stores, owner, binding)) === undefined ? refusal : "approval_rejected";
  }

  async use(asked: ApprovalCase, { approvals }: Aggregates): Promise<ApprovalRefusal | undefined> {
    const owner = toOwner(asked.call);
    const binding = bindCall(asked);
    const last = await findGiven({ approvals }, owner, binding, "lock");
    const refusal = judge(last, binding, this.#options.clock.now());
    if (refusal === undefined && last !== undefined) await approvals.use(owner, last.id, asked.call.id);
    return refusal === "approval_used" ? await sayUsed({ approvals }, asked.call, last) : refusal;
  }

  async request(asked: ApprovalCase, context: ApprovalContext): Promise<RequestedApproval> {
    const { stores, clock, mail } = this.#options;
    const owner = toOwner(asked.call);
    const binding = bindCall(asked);
    const isMailed = await mail.delivery.canMail(owner);
    const { approval, mails } = await stores.transaction(async (aggregates) => {
      const last = await aggregates.approvals.findLast(owner, binding.callHash, "lock");
      const answered = last !== undefined && isAnswered(last, binding, clock.now()) ? last : undefined;
      const answer = answered ?? (await findRejection(aggregates, owner, binding));
      if (answer !== undefined) return { approval: answer, mails: [] };
      return await this.#store(
        aggregates,
        { asked, context },
        { ...owner, ...binding, evidence: showCase(asked, context) },
        isMailed,
      );
    });
    // Not awaited, as a mail server may be slow. The reconciler sends the rest.
    for (const mail of mails) void this.#send(mail);
    return toRequestedApproval(approval);
  }

  findDeciders(asked: ApprovalCase): Promise<Deciders> {
    const { stores, mail, appUrl } = this.#options;
    return findDeciders(stores, asked, { appUrl, canMail: (owner) => mail.delivery.canMail(owner) });
  }

  async #store(
    aggregates: Aggregates,
    { asked, context }: { asked: ApprovalCase; context: ApprovalContext },
    bound: ApprovalOwner & Binding & Pick<Approval, "evidence">,
    isMailed: boolean,
  ): Promise<{ approval: Approval; mails: StoredMails }> {
    const { clock, random, mail } = this.#options;
    const { call, policyId, version, terms } = asked;
    const now = clock.now();
    const id = newId("apr_", now.epochMilliseconds, random);
    const approval = await aggregates.approvals.request({
      id,
      ...bound,
      tool: call.tool.name,
      travelerId: call.travelerId,
      policyId,
      policyVersion: version,
      tolerance: terms.tolerance,
      role: terms.role,
      requestedBy: call.subject,
      requestedKeyId: call.keyId,
      requestedAt: now,
      expiresAt: now.add({ hours: terms.expiresHours }),
    });
    // The approvers were already written to about a pending approval.
    if (approval.id !== id || !isMailed) return { approval, mails: [] };
    return {
      approval,
      mails: await storeApproverMails(aggregates, mail, approval, {
        ...asked,
        purpose: context.purpose,
      }),
    };
  }

  async #send(stored: StoredMails[number]): Promise<void> {
    const { stores, clock, mail } = this.#options;
    const ports = { stores, clock, delivery: mail.delivery };
    await sendNow(ports, storedWords(ports), stored, 0).catch(() => undefined);
  }

  settle({ id }: Pick<PendingCall, "id">): Promise<void> {
    return this.#options.stores.approvals.settle(id);
  }
}

/** Finds the approval of this call; else one for the same flights and fare, as an offer may expire before a person decides. */
async function findGiven(
  { approvals }: Pick<Aggregates, "approvals">,
  owner: ApprovalOwner,
  { callHash, fareHash }: Binding,
  lock?: "lock",
): Promise<Approval | undefined> {
  const last = await approvals.findLast(owner, callHash, lock);
  if (last !== undefined || fareHash === undefined) return last;
  return await approvals.findSameFare(owner, fareHash, lock);
}

/** A person's rejection of the same purchase or payment at this price or a lower one. */
async function findRejection(
  { approvals }: Pick<Aggregates, "approvals">,
  owner: ApprovalOwner,
  binding: Binding,
): Promise<Approval | undefined> {
  const { rejectionHash } = binding;
  const found = rejectionHash === undefined ? [] : await approvals.findRejected(owner, rejectionHash);
  return found.find((one) => isNoCheaper(binding, one));
}

/** Among concurrent identical calls one succeeds, and the others are told so. */
async function sayUsed(
  { approvals }: Pick<Aggregates, "approvals">,
  call: PendingCall,
  last: Approval | undefined,
): Promise<ApprovalRefusal> {
  if (last?.usedAt === undefined) return "approval_used";
  const wasAtOnce = Temporal.Instant.compare(last.usedAt, call.startedAt) >= 0;
  return wasAtOnce || (await approvals.isUnderWay(toOwner(call), last.id)) ? "in_progress" : "approval_used";
}

/** Undefined if the call may run. */
function judge(last: Approval | undefined, binding: Binding, now: Temporal.Instant): ApprovalRefusal | undefined {
  if (last === undefined || last.state === "replaced") return "approval_required";
  if (last.state === "used") return "approval_used";
  const isOver = hasExpired(last, now);
  if (last.state === "revoked") return isOver ? "approval_required" : "approval_revoked";
  if (last.state === "rejected") return isAnswered(last, binding, now) ? "approval_rejected" : "approval_required";
  if (isOver) return "approval_expired";
  if (last.contentHash !== binding.contentHash) return "approval_offer_changed";
  if (!isWithin(last, binding)) return "approval_price_changed";
  return last.state === "approved" ? undefined : "approval_required";
}

/** A price that has fallen is never too much. */
function isWithin({ amount, tolerance }: Approval, now: Binding): boolean {
  if (amount === undefined || now.amount === undefined) return amount === now.amount;
  return now.amount <= amount + tolerance;
}

/** A person has refused, and is asked again only after a while or at a lower price. */
function isAnswered(last: Approval, binding: Binding, now: Temporal.Instant): boolean {
  if (hasExpired(last, now)) return false;
  return last.state === "revoked" || (last.state === "rejected" && isNoCheaper(binding, last));
}

function isNoCheaper({ amount }: Pick<Binding, "amount">, { amount: before }: Pick<Approval, "amount">): boolean {
  if (amount === undefined || before === undefined) return amount === before;
  return amount >= before;
}

function hasExpired({ expiresAt }: Pick<Approval, "expiresAt">, now: Temporal.Instant): boolean {
  return Temporal.Instant.compare(expiresAt, now) <= 0;
}

function toRequestedApproval({ id, expiresAt, reason }: Approval): RequestedApproval {
  return { approvalId: id, expiresAt, reason };
}

/** The facts that an approver is shown: plain values, as stored and audited. */
function showCase(
  asked: ApprovalCase,
  { alternatives, purpose, warnings }: ApprovalContext,
): Readonly<Record<string, unknown>> {
  const { call, plan, verdict } = asked;
  return {
    askedForUserId: call.namedUserId ?? null,
    bought: plan.bought === undefined ? null : showPurchase(plan.bought),
    purpose: purpose === undefined ? null : showPurchase(purpose),
    alternatives: alternatives.map(({ offerId, bought }) => ({ offerId, ...showPurchase(bought) })),
    payments: plan.movements.map(showMovement),
    warnings,
    irreversible: plan.irreversible.map(({ what, undo = "never", undoableUntil, undoCost }) => ({
      what,
      undo: undoableUntil === undefined ? undo : "until",
      undoableUntil: undoableUntil?.toString() ?? null,
      undoCostUsdc: undoCost === undefined ? null : formatDecimal(undoCost),
    })),
    ...describeVerdict(verdict, asked),
  };
}

function showPurchase(bought: Purchase): Record<string, unknown> {
  const { kind, price, priceAtLeast, travelerIds, refundable } = bought;
  return {
    kind,
    priceUsd: price === undefined ? null : formatDecimal(price),
    ...(priceAtLeast === undefined ? {} : { priceAtLeastUsd: formatDecimal(priceAtLeast) }),
    travelerIds: travelerIds ?? null,
    refundable: refundable ?? null,
    ...(bought.kind === "flight" ? showFlight(bought) : showStay(bought)),
  };
}

function showFlight({ carriers, airlines, changeable, refundPenalty, legs }: FlightPurchase): Record<string, unknown> {
  return {
    carriers: carriers ?? null,
    airlines: airlines ?? {},
    changeable: changeable ?? null,
    refundPenaltyUsd: refundPenalty === undefined ? null : formatDecimal(refundPenalty),
    legs: legs.map(({ origin, destination, departsAt, arrivesAt, durationMinutes, stops, flights, cabin }) => ({
      origin: origin ?? null,
      destination: destination ?? null,
      departsAt: departsAt?.toString() ?? null,
      arrivesAt: arrivesAt?.toString() ?? null,
      durationMinutes: durationMinutes ?? null,
      stops: stops ?? null,
      flights: flights ?? null,
      cabin: cabin ?? null,
    })),
  };
}

function showStay({ name, checkInDate, checkOutDate, rooms, country, stars }: StayPurchase): Record<string, unknown> {
  return {
    name: name ?? null,
    checkInDate: checkInDate?.toString() ?? null,
    checkOutDate: checkOutDate?.toString() ?? null,
    rooms: rooms ?? null,
    country: country ?? null,
    stars: stars ?? null,
  };
}

function showMovement({ chain, toChain, token, expected, amount = expected, from, to, isLater }: PlannedMovement) {
  const shown = { token, amount: amount === undefined ? null : formatDecimal(amount), from, to };
  return {
    ...shown,
    later: isLater === true,
    ...(chain === undefined ? {} : { chain: nameChain(chain) }),
    ...(toChain === undefined ? {} : { toChain: nameChain(toChain) }),
  };
}
