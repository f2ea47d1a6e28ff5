import type { Micro } from "../../../domain/money.ts";
import type { Environment } from "../../../ports/identity.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "usage.usageSums": UsageSums;
  }
}

export interface UsageSum {
  beginsAt: Temporal.Instant;
  calls: bigint;
  listPriceMicro: Micro;
  priceMicro: Micro;
}

export interface ToolSum {
  tool: string;
  calls: bigint;
  priceMicro: Micro;
}

/** What a tenant's usage records add up to. It stays when the records are removed. */
export interface UsageSums {
  /** Newest first; what begins before `before`. */
  list(
    tenantId: string,
    environment: Environment,
    page: { by: "hour" | "day"; tool: string | undefined; before: Temporal.Instant | undefined; limit: number },
  ): Promise<readonly UsageSum[]>;
  /** By tool, the dearest first, up to this moment; both times are whole hours. */
  byTool(
    tenantId: string,
    environment: Environment,
    asked: { from: Temporal.Instant; to: Temporal.Instant; tool: string | undefined },
  ): Promise<readonly ToolSum[]>;
  /** Records that were made before this moment are in. Undefined: none is. */
  summedUntil(): Promise<Temporal.Instant | undefined>;
  /** Sums what came since, in a transaction of its own. True: there is more. */
  sum(now: Temporal.Instant): Promise<boolean>;
}
