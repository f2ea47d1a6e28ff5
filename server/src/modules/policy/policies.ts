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

/** A version never changes. Several can be meant for one time: the one that came into force last counts. */
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
  /** Undefined: nothing was ever said. */
  changedAt: Temporal.Instant | undefined;
  changedBy: string | undefined;
  /** Of the tenant's rules: another one once the tenant enforces something else (`PendingCall.rulesVersion`). */
  rulesVersion: number;
}

export interface Enforcement {
  /** Undefined: none is enforced any more. */
  policyId: string | undefined;
  changedAt: Temporal.Instant;
  changedBy: string;
}

/** A policy as it applies now. */
export interface ActivePolicy {
  policyId: string;
  version: number;
  document: PolicyDocument;
  rules: Rules;
}

export interface ActivePolicies {
  /** Undefined: the tenant has none of this id that applies at this time. */
  find(owner: Owner, policyId: string): Promise<ActivePolicy | undefined>;
  /** What `find` may know, for whoever names another, and the one that direct calls are held to. */
  names(owner: Owner): Promise<PolicyNames>;
}
