import type { Micro } from "../../domain/money.ts";

/** Who bears the service's take: the customer on top of cost and markup, or the tenant out of its markup. */
export const serviceTakeBehaviors = ["add_to_customer", "deduct_from_markup"] as const;
type ServiceTakeBehavior = (typeof serviceTakeBehaviors)[number];

/** How a tenant prices what it sells on; a new one never changes what was priced by an older one. */
export interface PricingPolicy {
  /** 0: nothing was ever activated, and these are the defaults. */
  version: number;
  /** Of the cost, in basis points. */
  markupBps: number;
  floor: Micro;
  /** Undefined: none. */
  ceiling: Micro | undefined;
  serviceTakeBehavior: ServiceTakeBehavior;
  /** Undefined: version 0. */
  activatedAt: Temporal.Instant | undefined;
  activatedBy: string | undefined;
}
