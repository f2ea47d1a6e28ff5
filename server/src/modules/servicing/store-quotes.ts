import { sql } from "kysely";
import { z } from "zod";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { OrderRecord } from "../orders/index.ts";
import type { FlightCancellationQuote, StayCancellationQuote } from "./servicing-quotes.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "servicing.servicingQuotes": ServicingQuotes;
  }
}

const Credits = z.array(z.object({ amount: z.string().nullable(), currency: z.string().nullable() }));

export function createServicingQuotes(db: Queryable, clock: Clock) {
  return {
    async rememberChangeOffers(
      { tenantId, environment, orderId }: Pick<OrderRecord, "tenantId" | "environment" | "orderId">,
      changeOfferIds: readonly string[],
    ): Promise<void> {
      // One statement with a fixed number of parameters, regardless of the number of offers.
      await sql`
        insert into change_offer (network, change_offer_id, tenant_id, order_id, created_at)
        select ${environment}, change_offer_id, ${tenantId}, ${orderId}, ${clock.now().toString()}::timestamptz
        from unnest(${[...changeOfferIds]}::text[]) as change_offer_id
        on conflict do nothing`.execute(db);
    },

    /** Undefined also for an order of another tenant. */
    async findOrderOfChangeOffer(
      tenantId: string,
      environment: Environment,
      changeOfferId: string,
    ): Promise<string | undefined> {
      const row = await db
        .selectFrom("changeOffer")
        .select("orderId")
        .where("environment", "=", environment)
        .where("changeOfferId", "=", changeOfferId)
        .where("tenantId", "=", tenantId)
        .executeTakeFirst();
      return row?.orderId;
    },

    async insertStayCancellation(quote: StayCancellationQuote): Promise<void> {
      await db
        .insertInto("stayCancellationQuote")
        .values({
          id: quote.id,
          traceId: currentTraceId(),
          tenantId: quote.tenantId,
          environment: quote.environment,
          stayId: quote.stayId,
          refundAmount: quote.refundAmount,
          refundCurrency: quote.refundCurrency,
          expiresAt: quote.expiresAt?.toString() ?? null,
          createdAt: clock.now().toString(),
        })
        .execute();
    },

    /** Undefined also for an order of another tenant. */
    async findStayCancellation(
      tenantId: string,
      environment: Environment,
      id: string,
    ): Promise<StayCancellationQuote | undefined> {
      const row = await db
        .selectFrom("stayCancellationQuote")
        .select(["id", "tenantId", "environment", "stayId", "refundAmount", "refundCurrency", "expiresAt"])
        .where("id", "=", id)
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .executeTakeFirst();
      return row === undefined ? undefined : withoutNulls(row);
    },

    ...createFlightQuotes(db, clock),

    /** Deletes change offers and flight quotes made before this. */
    async prune(before: Temporal.Instant): Promise<void> {
      const isOld = sql`created_at <= ${before.toString()}::timestamptz`;
      await pruneRows(db, "change_offer", isOld);
      await pruneRows(db, "flight_cancellation_quote", isOld);
    },
  };
}

function createFlightQuotes(db: Queryable, clock: Clock) {
  return {
    /** For previews of a confirmation: the supplier's own quote decides. */
    async insertFlightCancellation({ credits, ...quote }: FlightCancellationQuote): Promise<void> {
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

    /** Undefined also for another tenant's quote and for a deleted one. */
    async findFlightCancellation(
      tenantId: string,
      environment: Environment,
      id: string,
    ): Promise<FlightCancellationQuote | undefined> {
      const row = await db
        .selectFrom("flightCancellationQuote")
        .select(["id", "tenantId", "environment", "orderId", "refundAmount", "refundCurrency", "refundTo", "credits"])
        .where("id", "=", id)
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .executeTakeFirst();
      return row === undefined ? undefined : { ...row, credits: Credits.parse(row.credits) };
    },

    /** The newest one of an order, made after `since`. */
    async findNewestOfOrder(
      { tenantId, environment, orderId }: Pick<OrderRecord, "tenantId" | "environment" | "orderId">,
      since: Temporal.Instant,
    ): Promise<Pick<FlightCancellationQuote, "refundAmount" | "refundCurrency" | "credits"> | undefined> {
      const row = await db
        .selectFrom("flightCancellationQuote")
        .select(["refundAmount", "refundCurrency", "credits"])
        .where(sql<boolean>`created_at > ${since.toString()}::timestamptz`)
        .where("orderId", "=", orderId)
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .orderBy("createdAt", "desc")
        .executeTakeFirst();
      return row === undefined ? undefined : { ...row, credits: Credits.parse(row.credits) };
    },
  };
}

/** Servicing quotes and offers whose contents or owner the supplier does not keep. */
export type ServicingQuotes = ReturnType<typeof createServicingQuotes>;
