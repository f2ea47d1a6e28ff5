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
 * - pending: nobody has decided.
 * - approved: the call goes through once.
 * - used: a call has gone through, or is on its way.
 * - replaced: the call has changed before it was decided or made, and another one was asked for.
 */
export const APPROVAL_STATES = ["pending", "approved", "rejected", "revoked", "replaced", "used"] as const;
type ApprovalState = (typeof APPROVAL_STATES)[number];

export interface ApprovalOwner {
  tenantId: string;
  environment: Environment;
}

/** What an approval lets through, and nothing else. */
export interface Binding {
  /** Of the tool, its arguments and who calls. */
  callHash: string;
  /** Of what is bought and for whom, who is paid, and the policy with its version. */
  contentHash: string;
  /** Of all but the offer's id and the price: of the same flights and fare. Undefined: they are not all known, or it is no flight. */
  fareHash: string | undefined;
  /** Of what is bought and for whom, or of what is paid to whom, by whichever call. Undefined: too little of it is known. */
  rejectionHash: string | undefined;
  /** Of all of it, in micro-units, or of the part whose price is known. Undefined: nothing of it is known. */
  amount: Micro | undefined;
}

export interface Approval extends ApprovalOwner, Binding {
  id: string;
  tool: string;
  travelerId: string;
  policyId: string;
  policyVersion: number;
  tolerance: Micro;
  /** What whoever decides is shown. */
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

/** What of the evidence says who travels. */
const Traveled = z.looseObject({ travelerIds: z.array(z.string()).nullable() }).nullish();
const Trip = z.looseObject({ bought: Traveled, purpose: Traveled });

/** Who would travel on what is bought, or on what money is set aside for. Nobody, where it is for no trip. */
export function travelersOf({ evidence, travelerId }: Pick<Approval, "evidence" | "travelerId">): readonly string[] {
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
  /** For whoever has proved by a signed link that the id is theirs to know. */
  findSigned(id: string): Promise<Approval | undefined>;
  /** The last that was asked for this call. `lock`: nobody else changes it before the end of the transaction. */
  findLast(owner: ApprovalOwner, callHash: string, lock?: "lock"): Promise<Approval | undefined>;
  /** The last that was given for the same flights and fare under another offer's id, and is neither used nor over. */
  findSameFare(owner: ApprovalOwner, fareHash: string, lock?: "lock"): Promise<Approval | undefined>;
  /** Rejections that still hold of the same purchase or payment, asked for by whichever call, the last first. */
  findRejected(owner: ApprovalOwner, rejectionHash: string): Promise<readonly Approval[]>;
  /** Whether the call that an approval has let through has not ended. */
  isUnderWay(owner: ApprovalOwner, id: string): Promise<boolean>;
  /** The one that waits takes its place where there is one with the same content; another that waits, or was not used, is replaced. */
  request(approval: NewApproval): Promise<Approval>;
  /** Undefined: it was decided before, used up, or its time is over. Audited, with what was shown. */
  decide(owner: ApprovalOwner, id: string, decision: Decision): Promise<Approval | undefined>;
  use(owner: ApprovalOwner, id: string, callId: string): Promise<void>;
  /**
   * In the transaction that opens the call's effect outside: an approval that was given back, as the call was taken for dead, is
   * used up again. Throws Failure when it is another one's by now.
   */
  takeAgain(callId: string): Promise<void>;
  /** Those that have let a call through. */
  usedBy(owner: ApprovalOwner, callId: string): Promise<readonly Approval[]>;
  /** Gives an approval back whose call has ended without having done anything. */
  settle(callId: string): Promise<void>;
  /** The same for calls that ended without a process that could do it. */
  settleAll(limit: number): Promise<void>;
  /** Forgets which calls were let through long ago. */
  prune(): Promise<void>;
  list(owners: readonly ApprovalOwner[], page: ApprovalPage): Promise<readonly Approval[]>;
}

export interface ApprovalPage {
  limit: number;
  before: string | undefined;
  state: ApprovalState | undefined;
  /** For a person: what this role decides, and was not asked for by it. */
  decidableBy: { personId: string; roles: readonly PersonRole[] } | undefined;
}
