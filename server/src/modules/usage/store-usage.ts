import { sql } from "kysely";
import { earliestId } from "../../domain/ids.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Usage } from "./usage.ts";

const columns = [
  "usageRecord.id",
  "usageRecord.tool",
  "usageRecord.surface",
  "usageRecord.status",
  "usageRecord.subject",
  "usageRecord.keyId",
  "usageRecord.listPriceMicro as listPriceMicroUsdc",
  "usageRecord.discountPercent",
  "usageRecord.priceMicro as priceMicroUsdc",
  "usageRecord.traceId",
  "usageRecord.idempotencyKey",
  "usageRecord.latencyMs",
  "usageRecord.createdAt",
] as const;

/** Looked up record by record: a join may read all payments and transactions for one page of records. */
const settlementTx = sql<string | null>`coalesce(
  (select payment.transaction_hash from payment where payment.call_id = usage_record.call_id),
  case when usage_record.status = 'settled' then (
    select chain_transaction.hash from chain_transaction
    where chain_transaction.network = usage_record.network
      and chain_transaction.idempotency_key = 'usage:' || usage_record.settlement_id) end)`;

export function createUsage(db: Queryable): Usage {
  return {
    async list(tenantId, environment, { before, limit, tool, between }) {
      let query = db
        .selectFrom("usageRecord")
        .select(columns)
        .select(settlementTx.as("settlementTx"))
        .where("usageRecord.tenantId", "=", tenantId)
        .where("usageRecord.environment", "=", environment)
        .orderBy("usageRecord.id", "desc")
        .limit(limit);
      if (before !== undefined) query = query.where("usageRecord.id", "<", before);
      // An id says when its record was made.
      const [first, end] = [between?.from, between?.to].map((at) => at && earliestId("use_", at.epochMilliseconds));
      if (first !== undefined) query = query.where("usageRecord.id", ">=", first);
      if (end !== undefined) query = query.where("usageRecord.id", "<", end);
      if (tool !== undefined) query = query.where("usageRecord.tool", "=", tool);
      return await query.execute();
    },

    async totals(tenantId, environment, period) {
      const row = await db
        .selectFrom("tenant")
        .leftJoin("tenantSpend", (join) =>
          join
            .onRef("tenantSpend.tenantId", "=", "tenant.id")
            .on("tenantSpend.environment", "=", environment)
            .on("tenantSpend.period", "=", period),
        )
        .select(["tenant.monthlyCapMicro as cap", "tenantSpend.spentMicro as spent"])
        .where("tenant.id", "=", tenantId)
        .executeTakeFirst();
      return { spentMicroUsdc: row?.spent ?? 0n, capMicroUsdc: row?.cap ?? 0n };
    },
  };
}
