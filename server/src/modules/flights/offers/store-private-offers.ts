import { sql } from "kysely";
import { z } from "zod";
import type { Queryable } from "../../../platform/database/database.ts";
import { pruneRows } from "../../../platform/database/prune.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { LoyaltyAccount } from "../../../ports/supplier/flights.ts";
import type { Vault } from "../../../ports/vault.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "flights.privateOffers": PrivateOffers;
  }
}

const Accounts = z.array(z.array(z.object({ airlineIataCode: z.string(), accountNumber: z.string() })));

export function createPrivateOffers(db: Queryable, vault: Vault) {
  return {
    /**
     * Called before any of the offers is shown. Kept until `until`; an offer keeps its first owner. `loyaltyAccounts`
     * are the search's, by passenger, sealed for the booking of an offer.
     */
    async remember(
      { environment, tenantId }: { environment: Environment; tenantId: string },
      offerIds: readonly string[],
      until: Temporal.Instant,
      loyaltyAccounts: AccountsByPassenger,
    ): Promise<void> {
      const hasAccounts = loyaltyAccounts.some((accounts) => accounts.length > 0);
      const sealed = hasAccounts
        ? vault.encrypt(JSON.stringify(loyaltyAccounts), sealingContext(environment, tenantId))
        : null;
      // One statement with a constant number of parameters for any number of offers.
      await sql`
        insert into private_offer (network, offer_id, tenant_id, expires_at, loyalty_accounts)
        select ${environment}, offer_id, ${tenantId}, ${until.toString()}::timestamptz, ${sealed}::text
        from unnest(${[...offerIds]}::text[]) as offer_id
        on conflict do nothing`.execute(db);
    },

    /** The accounts of the tenant's own search; empty for an offer of another search. Undefined: it is another tenant's. */
    async loyaltyAccounts(
      environment: Environment,
      tenantId: string,
      offerId: string,
    ): Promise<AccountsByPassenger | undefined> {
      const row = await db
        .selectFrom("privateOffer")
        .select(["tenantId", "loyaltyAccounts"])
        .where("environment", "=", environment)
        .where("offerId", "=", offerId)
        .executeTakeFirst();
      if (row === undefined) return [];
      if (row.tenantId !== tenantId) return undefined;
      const sealed = row.loyaltyAccounts;
      return sealed === null
        ? []
        : Accounts.parse(JSON.parse(vault.decrypt(sealed, sealingContext(environment, tenantId))));
    },

    /** Deletes rows that expired before `at`. */
    async prune(at: Temporal.Instant): Promise<void> {
      await pruneRows(db, "private_offer", sql`expires_at <= ${at.toString()}::timestamptz`);
    },
  };
}

/**
 * The owner of each offer from a search with private inputs: such offers show and use private data of the searching
 * tenant. Offers of other searches are public and not stored here.
 */
export type PrivateOffers = ReturnType<typeof createPrivateOffers>;

/** A sealed value opens only for its tenant in its environment. */
function sealingContext(environment: Environment, tenantId: string): string {
  return `searched_loyalty_accounts:${environment}:${tenantId}`;
}

export type AccountsByPassenger = readonly (readonly LoyaltyAccount[])[];
