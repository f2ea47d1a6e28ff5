import { sql } from "kysely";
import { z } from "zod";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ServicingQuotes } from "./servicing-quotes.ts";

const Credits = z.array(z.object({ amount: z.string().nullable(), currency: z.string().nullable() }));

export function createServicingQuotes(db: Queryable, clock: Clock): ServicingQuotes {
  return {
    async rememberChangeOffers({ tenantId, environment, orderId }, changeOfferIds) {
      // One statement with a fixed number of parameters, regardless of the number of offers.
      await sql`
        insert into change_offer (network, change_offer_id, tenant_id, order_id, created_at)
        select ${environment}, change_offer_id, ${tenantId}, ${orderId}, ${clock.now().toString()}::timestamptz
        from unnest(${[...changeOfferIds]}::text[]) as change_offer_id
        on conflict do nothing`.execute(db);
    },

    async findOrderOfChangeOffer(tenantId, environment, changeOfferId) {
      const row = await db
        .selectFrom("changeOffer")
        .select("orderId")
        .where((where) => where.and({ environment, changeOfferId, tenantId }))
        .executeTakeFirst();
      return row?.orderId;
    },

    async insertStayCancellation({ expiresAt, ...quote }) {
      await db
        .insertInto("stayCancellationQuote")
        .values({
          ...quote,
          traceId: currentTraceId(),
          expiresAt: expiresAt?.toString() ?? null,
          createdAt: clock.now().toString(),
        })
        .execute();
    },

    async findStayCancellation(tenantId, environment, id) {
      const row = await db
        .selectFrom("stayCancellationQuote")
        .select(["id", "tenantId", "environment", "stayId", "refundAmount", "refundCurrency", "expiresAt"])
        .where((where) => where.and({ id, tenantId, environment }))
        .executeTakeFirst();
      return row === undefined ? undefined : withoutNulls(row);
    },

    async insertFlightCancellation({ credits, ...quote }) {
      await db
        .insertInto("flightCancellationQuote")
        .values({
          id: quote.id,
          traceId: currentTraceId(),
          tenantId: quote.tenantId,
          environment: quote.environment,
          orderId: quote.orderId,
          refundAmount: quote.refundAmount,
          refundCurrency: quote.refundCurrency,
          refundTo: quote.refundTo,
          credits: JSON.stringify(credits.map(({ amount, currency }) => ({ amount, currency }))),
          createdAt: clock.now().toString(),
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },

    async findFlightCancellation(tenantId, environment, id) {
      const row = await db
        .selectFrom("flightCancellationQuote")
        .select(["id", "tenantId", "environment", "orderId", "refundAmount", "refundCurrency", "refundTo", "credits"])
        .where((where) => where.and({ id, tenantId, environment }))
        .executeTakeFirst();
      return row === undefined ? undefined : { ...row, credits: Credits.parse(row.credits) };
    },

    async prune(before) {
      const isOld = sql`created_at <= ${before.toString()}::timestamptz`;
      await pruneRows(db, "change_offer", isOld);
      await pruneRows(db, "flight_cancellation_quote", isOld);
    },
  };
}
