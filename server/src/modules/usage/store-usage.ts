import { sql } from "kysely";
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

export function createUsage(db: Queryable): Usage {
  return {
    async list(tenantId, network, { before, limit, tool }) {
      let query = db
        .selectFrom("usageRecord")
        .leftJoin("chainTransaction", (join) =>
          join
            .onRef("chainTransaction.idempotencyKey", "=", sql`'usage:' || usage_record.settlement_id`)
            .onRef("chainTransaction.network", "=", "usageRecord.network")
            .on("usageRecord.status", "=", "settled"),
        )
        .leftJoin("payment", "payment.callId", "usageRecord.callId")
        .select(columns)
        .select(({ fn }) => fn.coalesce("payment.transactionHash", "chainTransaction.hash").as("settlementTx"))
        .where("usageRecord.tenantId", "=", tenantId)
        .where("usageRecord.network", "=", network)
        .orderBy("usageRecord.id", "desc")
        .limit(limit);
      if (before !== undefined) query = query.where("usageRecord.id", "<", before);
      if (tool !== undefined) query = query.where("usageRecord.tool", "=", tool);
      return await query.execute();
    },

    async totals(tenantId, network, period) {
      const row = await db
        .selectFrom("tenant")
        .leftJoin("tenantSpend", (join) =>
          join
            .onRef("tenantSpend.tenantId", "=", "tenant.id")
            .on("tenantSpend.network", "=", network)
            .on("tenantSpend.period", "=", period),
        )
        .select(["tenant.monthlyCapMicro as cap", "tenantSpend.spentMicro as spent"])
        .where("tenant.id", "=", tenantId)
        .executeTakeFirst();
      return { spentMicroUsdc: row?.spent ?? 0n, capMicroUsdc: row?.cap ?? 0n };
    },
  };
}
