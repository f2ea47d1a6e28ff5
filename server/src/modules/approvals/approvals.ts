import { z } from "zod";
import type { Micro } from "../../domain/money.ts";
import type { Environment } from "../../ports/identity.ts";
import type { PersonRole } from "../identity/index.ts";
import type { ApprovalTerms } from "../policy/index.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "approvals.approvals": StoredApprovals;
  }
}

/**
 * - pending: undecided.
 * - approved: the call succeeds once.
 * - used: a call has succeeded or is in progress.
 * - replaced: the call changed before it was decided or made, and another approval was requested.
 */
export const APPROVAL_STATES = ["pending", "approved", "rejected", "revoked", "replaced", "used"] as const;
type ApprovalState = (typeof APPROVAL_STATES)[number];

export interface ApprovalOwner {
  tenantId: string;
  environment: Environment;
}

/** The exact call that an approval allows. */
export interface Binding {
  /** Hash of the tool, its arguments and the caller. */
  callHash: string;
  /** Hash of the purchase and its travelers, the payees, and the policy with its version. */
  contentHash: string;
  /**
   * Hash of everything but the offer's id and the price: equal for the same flights and fare. Undefined if some are
   * unknown, or if it is no flight.
   */
  fareHash: string | undefined;
  /** Hash of the purchase and its travelers, or of the payment and its payee, whichever call makes it. Undefined if too little is known. */
  rejectionHash: string | undefined;
  /** The total in micro-units, or the part whose price is known. Undefined if no price is known. */
  amount: Micro | undefined;
}

export interface Approval extends ApprovalOwner, Binding {
  id: string;
  tool: string;
  travelerId: string;
  policyId: string;
  policyVersion: number;
  tolerance: Micro;
  /** The facts shown to the approver. */
  evidence: Readonly<Record<string, unknown>>;
  role: ApprovalTerms["role"];
  /** A user of the tenant, or a key's service account. */
  requestedBy: string;
  requestedKeyId: string;
  requestedAt: Temporal.Instant;
  expiresAt: Temporal.Instant;
  state: ApprovalState;
  decidedBy: string | undefined;
  decidedWith: "key" | "token" | "link" | undefined;
  decidedAt: Temporal.Instant | undefined;
  reason: string | undefined;
  usedAt: Temporal.Instant | undefined;
}

export type NewApproval = Omit<Approval, "state" | "decidedBy" | "decidedWith" | "decidedAt" | "reason" | "usedAt">;

/** The travelers in the evidence. */
const Traveled = z.looseObject({ travelerIds: z.array(z.string()).nullable() }).nullish();
const Trip = z.looseObject({ bought: Traveled, purpose: Traveled });

/** The travelers of the purchase, or of the purchase for which money is set aside. Empty if there is no purchase. */
export function listTravelers({ evidence, travelerId }: Pick<Approval, "evidence" | "travelerId">): readonly string[] {
  const { bought, purpose } = Trip.safeParse(evidence).data ?? {};
  return [bought, purpose].flatMap((trip) => (trip == null ? [] : (trip.travelerIds ?? [travelerId])));
}

export interface Decision {
  to: "approved" | "rejected" | "revoked";
  by: string;
  with: "key" | "token" | "link";
  reason: string | undefined;
}

export interface StoredApprovals {
  find(owners: readonly ApprovalOwner[], id: string): Promise<Approval | undefined>;
  /** For callers who have proved with a signed link that they may know the id. */
  findSigned(id: string): Promise<Approval | undefined>;
  /** The latest approval requested for this call. `lock` keeps it unchanged until the end of the transaction. */
  findLast(owner: ApprovalOwner, callHash: string, lock?: "lock"): Promise<Approval | undefined>;
  /** The latest approval for the same flights and fare under another offer's id that is neither used nor expired. */
  findSameFare(owner: ApprovalOwner, fareHash: string, lock?: "lock"): Promise<Approval | undefined>;
  /** Rejections in force of the same purchase or payment, whichever call made it, latest first. */
  findRejected(owner: ApprovalOwner, rejectionHash: string): Promise<readonly Approval[]>;
  /** Whether the call that an approval allowed is still running. */
  isUnderWay(owner: ApprovalOwner, id: string): Promise<boolean>;
  /** Returns a pending one with the same content if there is one; any other pending or unused one is replaced. */
  request(approval: NewApproval): Promise<Approval>;
  /** Audits the decision with the evidence. Undefined if it was already decided, used or expired. */
  decide(owner: ApprovalOwner, id: string, decision: Decision): Promise<Approval | undefined>;
  use(owner: ApprovalOwner, id: string, callId: string): Promise<void>;
  /**
   * In the transaction that opens the call's effect outside: takes back an approval that was given back because the
   * call seemed dead. Throws a Failure if another call has it by now.
   */
  takeAgain(callId: string): Promise<void>;
  /** The approvals that allowed a call. */
  usedBy(owner: ApprovalOwner, callId: string): Promise<readonly Approval[]>;
  /** Gives an approval back if its call has ended without an effect. */
  settle(callId: string): Promise<void>;
  /** The same for calls whose process died. */
  settleAll(limit: number): Promise<void>;
  /** Forgets old uses of approvals. */
  prune(): Promise<void>;
  list(owners: readonly ApprovalOwner[], page: ApprovalPage): Promise<readonly Approval[]>;
}

export interface ApprovalPage {
  limit: number;
  before: string | undefined;
  state: ApprovalState | undefined;
  /** For a person: the approvals that these roles decide and that the person did not request. */
  decidableBy: { personId: string; roles: readonly PersonRole[] } | undefined;
}
