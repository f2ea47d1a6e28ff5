import { sql } from "kysely";
import { z } from "zod";
import type { Queryable } from "../../platform/database/database.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Vault } from "../../ports/vault.ts";
import type { PrivateOffers } from "./private-offer-records.ts";

const Accounts = z.array(z.array(z.object({ airlineIataCode: z.string(), accountNumber: z.string() })));

export function createPrivateOffers(db: Queryable, vault: Vault): PrivateOffers {
  return {
    async remember({ environment, tenantId }, offerIds, until, loyaltyAccounts) {
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

    async isForeign(environment, offerId, tenantId) {
      const owner = await db
        .selectFrom("privateOffer")
        .select("tenantId")
        .where("environment", "=", environment)
        .where("offerId", "=", offerId)
        .executeTakeFirst();
      return owner !== undefined && owner.tenantId !== tenantId;
    },

    async loyaltyAccounts(environment, tenantId, offerId) {
      const row = await db
        .selectFrom("privateOffer")
        .select("loyaltyAccounts")
        .where("environment", "=", environment)
        .where("tenantId", "=", tenantId)
        .where("offerId", "=", offerId)
        .executeTakeFirst();
      const sealed = row?.loyaltyAccounts ?? null;
      return sealed === null ? [] : Accounts.parse(JSON.parse(vault.decrypt(sealed, contextOf(environment, tenantId))));
    },

    async prune(at) {
      await pruneRows(db, "private_offer", sql`expires_at <= ${at.toString()}::timestamptz`);
    },
  };
}

/** What is sealed opens for its tenant in its environment only. */
function contextOf(environment: Environment, tenantId: string): string {
  return `searched_loyalty_accounts:${environment}:${tenantId}`;
}
