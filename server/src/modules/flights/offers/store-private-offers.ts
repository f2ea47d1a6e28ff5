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
     * Before any of the offers is told to anybody. Kept until `until`; an offer that has an owner keeps it. `loyaltyAccounts`: what the
     * search gave, by passenger, for the booking of an offer; sealed.
     */
    async remember(
      { environment, tenantId }: { environment: Environment; tenantId: string },
      offerIds: readonly string[],
      until: Temporal.Instant,
      loyaltyAccounts: AccountsByPassenger,
    ): Promise<void> {
      const hasAccounts = loyaltyAccounts.some((accounts) => accounts.length > 0);
      const sealed = hasAccounts
        ? vault.encrypt(JSON.stringify(loyaltyAccounts), contextOf(environment, tenantId))
        : null;
      // One statement with as many parameters however many offers a search has.
      await sql`
        insert into private_offer (network, offer_id, tenant_id, expires_at, loyalty_accounts)
        select ${environment}, offer_id, ${tenantId}, ${until.toString()}::timestamptz, ${sealed}::text
        from unnest(${[...offerIds]}::text[]) as offer_id
        on conflict do nothing`.execute(db);
    },

    /** Whether the offer belongs to another tenant than this one. */
    async isForeign(environment: Environment, offerId: string, tenantId: string): Promise<boolean> {
      const owner = await db
        .selectFrom("privateOffer")
        .select("tenantId")
        .where((where) => where.and({ environment, offerId }))
        .executeTakeFirst();
      return owner !== undefined && owner.tenantId !== tenantId;
    },

    /** What the tenant's own search gave; empty for an offer of another search. */
    async loyaltyAccounts(environment: Environment, tenantId: string, offerId: string): Promise<AccountsByPassenger> {
      const row = await db
        .selectFrom("privateOffer")
        .select("loyaltyAccounts")
        .where((where) => where.and({ environment, tenantId, offerId }))
        .executeTakeFirst();
      const sealed = row?.loyaltyAccounts ?? null;
      return sealed === null ? [] : Accounts.parse(JSON.parse(vault.decrypt(sealed, contextOf(environment, tenantId))));
    },

    /** Forgets what was to be kept no longer than `at`. */
    async prune(at: Temporal.Instant): Promise<void> {
      await pruneRows(db, "private_offer", sql`expires_at <= ${at.toString()}::timestamptz`);
    },
  };
}

/**
 * Which tenant an offer of a search with private inputs belongs to: such offers show and use what is the searching tenant's
 * alone. Offers of other searches are open ids and are not kept here.
 */
export type PrivateOffers = ReturnType<typeof createPrivateOffers>;

/** What is sealed opens for its tenant in its environment only. */
function contextOf(environment: Environment, tenantId: string): string {
  return `searched_loyalty_accounts:${environment}:${tenantId}`;
}

export type AccountsByPassenger = readonly (readonly LoyaltyAccount[])[];
