import type { ServiceCode } from "../../domain/errors.ts";
import type { Micro } from "../../domain/money.ts";
import type { PendingCall } from "../../kernel/contracts/charge.ts";
import type { Alternative, Plan } from "../../kernel/contracts/plan.ts";
import type { Purchase } from "../../kernel/contracts/purchase.ts";
import type { Transaction } from "../../kernel/contracts/stores.ts";
import type { Verdict } from "./evaluate.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "policy.approvals": Approvals;
  }
}

/** A call that a policy lets through only with an approval, with everything that an approval is bound to and an approver is shown. */
export interface ApprovalCase {
  /** Whose call it is, of which tool, with which arguments. */
  call: PendingCall;
  /** What it would move and buy, payees and travelers among it, as the tenant saw it last. */
  plan: Plan;
  policyId: string;
  version: number;
  verdict: Verdict;
  terms: ApprovalTerms;
}

/** For whoever decides, beside the case itself: it is bound to none of it. */
export interface ApprovalContext {
  /** Within the policy, the cheapest first: they need no approval. */
  alternatives: readonly Alternative[];
  /** What the call prepares the buying of. */
  purpose: Purchase | undefined;
}

/** What the policy says of its approvals. */
export interface ApprovalTerms {
  /** Who may decide. */
  role: "approver" | "finance" | "admin";
  expiresHours: number;
  /** By how much the price may have risen since the approval. */
  tolerance: Micro;
}

/** Why no approval lets the call through. */
export type ApprovalRefusal = Extract<ServiceCode, `approval_${string}` | "in_progress">;

/** What the policy asks of whoever keeps approvals. */
export interface Approvals {
  /** Undefined: an approval that was given, and is not used up, covers the case. It only reads. */
  refuses(asked: ApprovalCase): Promise<ApprovalRefusal | undefined>;
  /** Uses it up in the transaction that stores the call. Otherwise it says why none covers the case any more. */
  use(asked: ApprovalCase, transaction: Transaction): Promise<ApprovalRefusal | undefined>;
  /**
   * Asks for an approval: the same case gets the one that waits already, or the one in which a person has refused the same purchase or payment not long
   * ago.
   */
  request(asked: ApprovalCase, context: ApprovalContext): Promise<RequestedApproval>;
  /** After the end of a call that has used one up: gives it back when nothing was done with it. */
  settle(call: PendingCall): Promise<void>;
}

export interface RequestedApproval {
  approvalId: string;
  expiresAt: Temporal.Instant;
  /** Of the person who has rejected it or taken it back, where one was given. */
  reason: string | undefined;
}
