import type { ServiceCode } from "../../domain/errors.ts";
import type { Micro } from "../../domain/money.ts";
import type { Alternative, Purchase } from "../../domain/travel/purchase.ts";
import type { CallPlan } from "../../kernel/contracts/call-plan.ts";
import type { PendingCall } from "../../kernel/contracts/charge.ts";
import type { Transaction } from "../../kernel/contracts/stores.ts";
import type { Verdict } from "./evaluate.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "policy.approvals": Approvals;
  }
}

/** A call that a policy allows only with an approval, with everything that the approval is bound to and the approver sees. */
export interface ApprovalCase {
  /** The caller, the tool and the arguments. */
  call: PendingCall;
  /** The planned movements and purchases, with payees and travelers, as last shown to the tenant. */
  plan: CallPlan;
  policyId: string;
  version: number;
  verdict: Verdict;
  terms: ApprovalTerms;
}

/** Information for the approver that the approval is not bound to. */
export interface ApprovalContext {
  /** Alternatives within the policy, cheapest first: they need no approval. */
  alternatives: readonly Alternative[];
  /** The purchase that the call prepares. */
  purpose: Purchase | undefined;
  /** The warnings of a preview of the call, in whole sentences. */
  warnings: readonly string[];
}

/** The policy's terms for approvals. */
export interface ApprovalTerms {
  /** Who may decide. */
  role: "approver" | "finance" | "admin";
  expiresHours: number;
  /** The largest price increase since the approval. */
  tolerance: Micro;
}

/** Why no approval allows the call. */
export type ApprovalRefusal = Extract<ServiceCode, `approval_${string}` | "in_progress">;

/** The interface between policies and the store of approvals. */
export interface Approvals {
  /** Undefined: an unused approval covers the case. Reads only. */
  refuses(asked: ApprovalCase): Promise<ApprovalRefusal | undefined>;
  /** Uses the approval up in the transaction that stores the call, or returns why none covers the case any more. */
  use(asked: ApprovalCase, transaction: Transaction): Promise<ApprovalRefusal | undefined>;
  /**
   * Requests an approval. The same case gets its pending request, or the recent one in which a person refused the same purchase
   * or payment.
   */
  request(asked: ApprovalCase, context: ApprovalContext): Promise<RequestedApproval>;
  /** Who may decide the case, for the caller who is refused. Reads only. */
  findDeciders(asked: ApprovalCase): Promise<Deciders>;
  /** Called after the end of a call that used an approval: gives it back if the call had no effect. */
  settle(call: PendingCall): Promise<void>;
}

export interface Deciders {
  /** The first of them. Empty: nobody has the role, or they are the requester or travelers themselves. */
  deciders: readonly { userId: string; name: string }[];
  /** Where they decide, or how somebody gets the role, in whole sentences without names. */
  says: string;
}

export interface RequestedApproval {
  approvalId: string;
  expiresAt: Temporal.Instant;
  /** The reason given by the person who rejected or revoked it, if any. */
  reason: string | undefined;
}
