import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/stores.ts" {
  interface Aggregates {
    privateOffers: PrivateOffers;
  }
}

/**
 * Which tenant an offer of a search with private inputs belongs to: such offers show and use what is the searching tenant's
 * alone. Offers of other searches are open ids and are not kept here.
 */
export interface PrivateOffers {
  /** Before any of the offers is told to anybody. Kept until `until`; an offer that has an owner keeps it. */
  remember(network: Environment, tenantId: string, offerIds: readonly string[], until: Temporal.Instant): Promise<void>;
  /** Whether the offer belongs to another tenant than this one. */
  isForeign(network: Environment, offerId: string, tenantId: string): Promise<boolean>;
  /** Forgets what was to be kept no longer than `at`. */
  prune(at: Temporal.Instant): Promise<void>;
}
