import type { Environment } from "../../ports/identity.ts";
import type { PolicyDocument } from "./document.ts";
import type { Rules } from "./rule-tree.ts";

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "policy.activePolicies": ActivePolicies;
  }
}

export interface Owner {
  tenantId: string;
  environment: Environment;
}

/** An immutable version. If several are effective at a time, the one that took effect last applies. */
export interface PolicyVersion {
  policyId: string;
  version: number;
  effectiveAt: Temporal.Instant;
  createdAt: Temporal.Instant;
  createdBy: string;
}

export interface NewPolicyVersion {
  document: PolicyDocument;
  effectiveAt: Temporal.Instant;
  createdBy: string;
}

export interface PolicyNames {
  policyIds: readonly string[];
  enforcedId: string | undefined;
}

export interface Enforced {
  /** Undefined: none is enforced. */
  policyId: string | undefined;
  /** Undefined: it was never set. */
  changedAt: Temporal.Instant | undefined;
  changedBy: string | undefined;
  /** The version of the tenant's rules; it changes with the enforced policy (`PendingCall.rulesVersion`). */
  rulesVersion: number;
}

export interface Enforcement {
  /** Undefined: none is enforced any more. */
  policyId: string | undefined;
  changedAt: Temporal.Instant;
  changedBy: string;
}

/** A policy in its current version. */
export interface ActivePolicy {
  policyId: string;
  version: number;
  document: PolicyDocument;
  rules: Rules;
}

export interface ActivePolicies {
  /** Undefined: the tenant has no policy with this id in force at this time. */
  find(owner: Owner, policyId: string): Promise<ActivePolicy | undefined>;
  /** The ids that `find` accepts, for suggestions, and the id of the enforced policy. */
  names(owner: Owner): Promise<PolicyNames>;
}
