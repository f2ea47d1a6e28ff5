import { Failure } from "../../domain/errors.ts";
import type { StoresWith } from "../../kernel/contracts/stores.ts";
import type { Person } from "../identity/index.ts";
import { type Approval, type Decision, listTravelers } from "./approvals.ts";
import type { Aggregates, Stores } from "./context.ts";

/** The decider: a person of the tenant, or a system of the operator that names the person. */
export type Decider =
  | { kind: "person"; personId: string; with: "key" | "link" | "channel" }
  | { kind: "token"; name: string; approvedBy: string };

const APPROVAL_ROLES: readonly Approval["role"][] = ["approver", "finance", "admin"];

type DecisionStores = StoresWith<Pick<Aggregates, "approvals" | "persons" | "runEvents">>;

/** The single path for decisions. Throws a Failure if the decider may not decide, or if it was already decided. */
export async function decideApproval(
  stores: DecisionStores,
  approval: Approval,
  decider: Decider,
  { to, reason }: Pick<Decision, "to" | "reason">,
): Promise<Approval> {
  await requireMayDecide(stores, approval, decider);
  const decision = { to, reason, ...nameDecider(decider) };
  const decided = await stores.transaction(async ({ approvals, runEvents }) => {
    const changed = await approvals.decide(approval, approval.id, decision);
    if (changed === undefined || to === "revoked") return changed;
    // A workflow run may be waiting for it.
    const { tenantId, environment } = approval;
    await runEvents.raise({
      tenantId,
      environment,
      name: "approval_decided",
      subject: approval.id,
      resolution: { status: to },
    });
    return changed;
  });
  if (decided !== undefined) return decided;
  throw alreadyDecided((await stores.approvals.find([approval], approval.id)) ?? approval);
}

type Undecided = Pick<
  Approval,
  "tenantId" | "environment" | "requestedBy" | "requestedKeyId" | "role" | "travelerId" | "evidence"
>;

/** Persons who may decide it now: they have the role or are admins, and neither requested it nor travel. */
export async function listDeciders(
  { persons }: Pick<Stores, "persons">,
  approval: Undecided,
): Promise<readonly Person[]> {
  const { tenantId, environment, requestedBy, requestedKeyId, role } = approval;
  const travelers = listTravelers(approval);
  const asker = await persons.ofKey(tenantId, requestedKeyId);
  return (await persons.list({ tenantId, environment })).filter(
    ({ id, roles }) => id !== requestedBy && id !== asker && !travelers.includes(id) && hasRole(roles, role),
  );
}

/** Whether some policy could have it decided by this person. */
export function mayDecideSome({ roles }: Pick<Person, "roles">): boolean {
  return APPROVAL_ROLES.some((role) => hasRole(roles, role));
}

function hasRole(roles: Person["roles"], role: Approval["role"]): boolean {
  return roles.includes(role) || roles.includes("admin") || roles.includes("owner");
}

/** Four eyes: excludes the requester, with any of that person's keys, and the travelers. */
async function requireMayDecide({ persons }: DecisionStores, approval: Approval, decider: Decider): Promise<void> {
  const { tenantId, requestedBy, requestedKeyId, role } = approval;
  const travelers = listTravelers(approval);
  const askers = [requestedBy, await persons.ofKey(tenantId, requestedKeyId)];
  if (decider.kind === "token") {
    if (askers.includes(decider.approvedBy)) throw mayNot("The requester of a call cannot approve it.");
    if (travelers.includes(decider.approvedBy)) throw mayNot("Nobody can approve their own trip.");
    return;
  }
  const { personId } = decider;
  if (askers.includes(personId)) throw mayNot("You requested this yourself. Another person must decide.");
  if (travelers.includes(personId)) {
    throw mayNot("You travel on this trip, and nobody can approve their own trip. Another person must decide.");
  }
  if (hasRole((await persons.find(approval, personId))?.roles ?? [], role)) return;
  throw mayNot(`The policy requires the role ${role} to decide this.`);
}

function nameDecider(decider: Decider): Pick<Decision, "by" | "with"> {
  return decider.kind === "token"
    ? { by: `${decider.name} for ${decider.approvedBy}`, with: "token" }
    : { by: decider.personId, with: decider.with };
}

function mayNot(detail: string): Failure {
  return new Failure("may_not_decide", { detail });
}

function alreadyDecided({ state, decidedBy, decidedAt, reason }: Approval): Failure {
  const isOpen = state === "pending" || (state === "approved" && decidedBy === undefined);
  return new Failure("conflict", {
    detail: isOpen ? "It has expired." : `It is already ${state}, so this decision is no longer possible.`,
    extra: {
      state: isOpen ? "expired" : state,
      decidedBy: decidedBy ?? null,
      decidedAt: decidedAt?.toString() ?? null,
      reason: reason ?? null,
    },
  });
}
