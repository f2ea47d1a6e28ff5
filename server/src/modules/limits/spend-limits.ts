import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "limits.spendLimits": SpendLimits;
  }
}

/** The limits of a key, or of a tenant with all its keys. Undefined: no such limit. */
export interface Limits {
  /** The most that one call may spend, in micro-USDC like all amounts here. */
  perCall: Micro | undefined;
  /** By days and calendar months in UTC. */
  perDay: Micro | undefined;
  perMonth: Micro | undefined;
  /** Addresses in lower case. The tenant's own treasury and the service's accounts are always allowed. */
  recipients: readonly Hex[] | undefined;
  tools: readonly string[] | undefined;
  /** The most that the key's calls may cost in a calendar month (UTC). Of keys only: a tenant has its monthly cap. */
  fees: Micro | undefined;
  /** From this amount on, the person at the client is asked before a call runs, if the client can ask. */
  confirmFrom: Micro | undefined;
}

export const NO_LIMITS: Limits = {
  perCall: undefined,
  perDay: undefined,
  perMonth: undefined,
  recipients: undefined,
  tools: undefined,
  fees: undefined,
  confirmFrom: undefined,
};

/** The spender. */
export interface Spender {
  tenantId: string;
  environment: Environment;
  keyId: string;
}

/** The spender and the environment. */
export type SpendOwner = Pick<Spender, "tenantId" | "environment">;

/** Both apply; the stricter one decides. */
export interface LimitsInForce {
  tenant: Limits;
  key: Limits;
}

/** The limits as read. */
export interface FoundLimits extends LimitsInForce {
  /** The version of the tenant's rules; it changes with any limit of the tenant or its keys (`PendingCall.rulesVersion`). */
  version: number;
}

/** Undefined: the tenant itself. */
type LimitedKey = string | undefined;

export interface SpendLimits {
  inForce(spender: Spender): Promise<FoundLimits>;
  get(tenantId: string, environment: Environment, keyId: LimitedKey): Promise<Limits>;
  /** Changes the named limits from the next call on and keeps the others; returns the resulting limits. Audited. */
  set(
    tenantId: string,
    environment: Environment,
    keyId: LimitedKey,
    change: Partial<Limits>,
    actor: string,
  ): Promise<Limits>;
}
