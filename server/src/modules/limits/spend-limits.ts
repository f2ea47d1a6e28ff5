import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "limits.spendLimits": SpendLimits;
  }
}

/** What a key, or a tenant with all of its keys, may do. Undefined: this is not limited. */
export interface Limits {
  /** The most that one call may spend, in micro-USDC, as all amounts here. */
  perCall: Micro | undefined;
  /** By days and calendar months in UTC. */
  perDay: Micro | undefined;
  perMonth: Micro | undefined;
  /** Addresses in lower case. The tenant's own treasury and the service's accounts are always allowed. */
  recipients: readonly Hex[] | undefined;
  tools: readonly string[] | undefined;
}

export const NO_LIMITS: Limits = {
  perCall: undefined,
  perDay: undefined,
  perMonth: undefined,
  recipients: undefined,
  tools: undefined,
};

/** Who spends. */
export interface Spender {
  tenantId: string;
  environment: Environment;
  keyId: string;
}

/** Whose spending it is, and in which environment. */
export type SpendOwner = Pick<Spender, "tenantId" | "environment">;

/** Both hold; the stricter one decides. */
export interface LimitsInForce {
  tenant: Limits;
  key: Limits;
}

/** As they were found. */
export interface FoundLimits extends LimitsInForce {
  /** Of the tenant's rules: another one once any limit of the tenant or of its keys has changed (`PendingCall.rulesVersion`). */
  version: number;
}

/** Undefined: of the tenant itself. */
type LimitedKey = string | undefined;

export interface SpendLimits {
  inForce(spender: Spender): Promise<FoundLimits>;
  get(tenantId: string, environment: Environment, keyId: LimitedKey): Promise<Limits>;
  /** Changes what is named and leaves the rest; what holds from the next call on. Audited. */
  set(
    tenantId: string,
    environment: Environment,
    keyId: LimitedKey,
    change: Partial<Limits>,
    actor: string,
  ): Promise<Limits>;
}
