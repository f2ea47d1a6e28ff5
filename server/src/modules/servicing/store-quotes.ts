import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ServicingQuotes } from "./servicing-actions.ts";

export function createServicingQuotes(db: Queryable, clock: Clock): ServicingQuotes {
  return {
    async rememberChangeOffers({ tenantId, network, orderId }, changeOfferIds) {
      // One statement with as many parameters however many offers there are.
      await sql`
        insert into change_offer (network, change_offer_id, tenant_id, order_id, created_at)
        select ${network}, change_offer_id, ${tenantId}, ${orderId}, ${clock.now().toString()}::timestamptz
        from unnest(${[...changeOfferIds]}::text[]) as change_offer_id
        on conflict do nothing`.execute(db);
    },

    async findOrderOfChangeOffer(tenantId, network, changeOfferId) {
      const row = await db
        .selectFrom("change_offer")
        .select("order_id")
        .where("network", "=", network)
        .where("change_offer_id", "=", changeOfferId)
        .where("tenant_id", "=", tenantId)
        .executeTakeFirst();
      return row?.order_id;
    },

    async insertStayCancellation(quote) {
      await db
        .insertInto("stay_cancellation_quote")
        .values({
          id: quote.id,
          tenant_id: quote.tenantId,
          network: quote.network,
          stay_id: quote.stayId,
          refund_amount: quote.refundAmount,
          refund_currency: quote.refundCurrency,
          expires_at: quote.expiresAt?.toString() ?? null,
          created_at: clock.now().toString(),
        })
        .execute();
    },

    async findStayCancellation(tenantId, network, id) {
      const row = await db
        .selectFrom("stay_cancellation_quote")
        .selectAll()
        .where("id", "=", id)
        .where("tenant_id", "=", tenantId)
        .where("network", "=", network)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      return {
        id: row.id,
        tenantId: row.tenant_id,
        network: row.network,
        stayId: row.stay_id,
        refundAmount: row.refund_amount,
        refundCurrency: row.refund_currency,
        expiresAt: row.expires_at ?? undefined,
      };
    },

    async pruneChangeOffers(before) {
      await db
        .deleteFrom("change_offer")
        .where("created_at", "<=", sql<Temporal.Instant>`${before.toString()}::timestamptz`)
        .execute();
    },
  };
}
