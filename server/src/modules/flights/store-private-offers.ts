import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { PrivateOffers } from "./private-offer-records.ts";

export function createPrivateOffers(db: Queryable): PrivateOffers {
  return {
    async remember(network, tenantId, offerIds, until) {
      // One statement with as many parameters however many offers a search has.
      await sql`
        insert into private_offer (network, offer_id, tenant_id, expires_at)
        select ${network}, offer_id, ${tenantId}, ${until.toString()}::timestamptz
        from unnest(${[...offerIds]}::text[]) as offer_id
        on conflict do nothing`.execute(db);
    },

    async isForeign(network, offerId, tenantId) {
      const owner = await db
        .selectFrom("privateOffer")
        .select("tenantId")
        .where("network", "=", network)
        .where("offerId", "=", offerId)
        .executeTakeFirst();
      return owner !== undefined && owner.tenantId !== tenantId;
    },

    async prune(at) {
      await db
        .deleteFrom("privateOffer")
        .where("expiresAt", "<=", sql<Temporal.Instant>`${at.toString()}::timestamptz`)
        .execute();
    },
  };
}
