import type { Micro } from "../../domain/money.ts";

/** Who pays the service's take: the customer on top of cost and markup, or the tenant from its markup. */
export const serviceTakeBehaviors = ["add_to_customer", "deduct_from_markup"] as const;
type ServiceTakeBehavior = (typeof serviceTakeBehaviors)[number];

/** How a tenant prices what it resells; a new version does not change earlier prices. */
export interface PricingPolicy {
  /** 0: nothing was ever activated, and the defaults apply. */
  version: number;
  /** Basis points of the cost. */
  markupBps: number;
  floor: Micro;
  /** Undefined: none. */
  ceiling: Micro | undefined;
  serviceTakeBehavior: ServiceTakeBehavior;
  /** Undefined: version 0. */
  activatedAt: Temporal.Instant | undefined;
  activatedBy: string | undefined;
}
