import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/stores.ts" {
  interface ModuleStores {
    "stays.negotiatedRates": NegotiatedRates;
  }
}

/** Which tenant a negotiated rate of the supplier belongs to; the rate itself is kept there. */
export interface NegotiatedRates {
  add(environment: Environment, negotiatedRateId: string, tenantId: string): Promise<void>;
  /** Undefined also for another tenant's. */
  find(tenantId: string, environment: Environment, negotiatedRateId: string): Promise<"active" | "deleted" | undefined>;
  /** The newest of those that are not deleted. */
  listActive(tenantId: string, environment: Environment, limit: number): Promise<readonly string[]>;
  /** No search names it from now on; what was quoted from it stays its tenant's. */
  markDeleted(tenantId: string, environment: Environment, negotiatedRateId: string): Promise<void>;
  /** Whether the rate belongs to another tenant than this one, or did before it was deleted. */
  isForeign(environment: Environment, negotiatedRateId: string, tenantId: string): Promise<boolean>;
}
