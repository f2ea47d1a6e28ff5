import type { LoyaltyAccount } from "../../ports/flights.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/stores.ts" {
  interface ModuleStores {
    "flights.privateOffers": PrivateOffers;
  }
}

export type AccountsByPassenger = readonly (readonly LoyaltyAccount[])[];

/**
 * Which tenant an offer of a search with private inputs belongs to: such offers show and use what is the searching tenant's
 * alone. Offers of other searches are open ids and are not kept here.
 */
export interface PrivateOffers {
  /**
   * Before any of the offers is told to anybody. Kept until `until`; an offer that has an owner keeps it. `loyaltyAccounts`: what the
   * search gave, by passenger, for the booking of an offer; sealed.
   */
  remember(
    owner: { environment: Environment; tenantId: string },
    offerIds: readonly string[],
    until: Temporal.Instant,
    loyaltyAccounts: AccountsByPassenger,
  ): Promise<void>;
  /** What the tenant's own search gave; empty for an offer of another search. */
  loyaltyAccounts(environment: Environment, tenantId: string, offerId: string): Promise<AccountsByPassenger>;
  /** Whether the offer belongs to another tenant than this one. */
  isForeign(environment: Environment, offerId: string, tenantId: string): Promise<boolean>;
  /** Forgets what was to be kept no longer than `at`. */
  prune(at: Temporal.Instant): Promise<void>;
}
