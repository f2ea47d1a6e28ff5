import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { Usage } from "./usage.ts";

export function createUsage(db: Queryable): Usage {
  return {
    async list(tenantId, { before, limit, tool }) {
      let query = db
        .selectFrom("usage_record")
        .leftJoin("chain_transaction", (join) =>
          join
            .onRef("chain_transaction.idempotency_key", "=", sql`'usage:' || usage_record.settlement_id`)
            .on("chain_transaction.network", "=", "production")
            .on("usage_record.status", "=", "settled"),
        )
        .leftJoin("payment", "payment.call_id", "usage_record.call_id")
        .selectAll("usage_record")
        .select(({ fn }) => fn.coalesce("payment.transaction_hash", "chain_transaction.hash").as("settlement_hash"))
        .where("usage_record.tenant_id", "=", tenantId)
        .orderBy("usage_record.id", "desc")
        .limit(limit);
      if (before !== undefined) query = query.where("usage_record.id", "<", before);
      if (tool !== undefined) query = query.where("usage_record.tool", "=", tool);
      const rows = await query.execute();
      return rows.map((row) => ({
        id: row.id,
        tool: row.tool,
        surface: row.surface,
        status: row.status,
        subject: row.subject,
        keyId: row.key_id,
        listPriceMicroUsdc: row.list_price_micro,
        discountPercent: row.discount_percent,
        priceMicroUsdc: row.price_micro,
        traceId: row.trace_id,
        idempotencyKey: row.idempotency_key,
        latencyMs: row.latency_ms,
        createdAt: row.created_at,
        settlementTx: row.settlement_hash,
      }));
    },

    async totals(tenantId, period) {
      const row = await db
        .selectFrom("tenant")
        .leftJoin("tenant_spend", (join) =>
          join.onRef("tenant_spend.tenant_id", "=", "tenant.id").on("tenant_spend.period", "=", period),
        )
        .select(["tenant.monthly_cap_micro as cap", "tenant_spend.spent_micro as spent"])
        .where("tenant.id", "=", tenantId)
        .executeTakeFirst();
      return { spentMicroUsdc: row?.spent ?? 0n, capMicroUsdc: row?.cap ?? 0n };
    },
  };
}
