import { sql } from "kysely";
import type { Micro } from "../../domain/money.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { takeRows } from "../../platform/leased-queue/take-rows.ts";
import type { UsageSettlements } from "./usage-settlements.ts";

/** Usage of the sandbox is never paid. */
const ENVIRONMENT = "production";

export function createUsageSettlements(db: Queryable): UsageSettlements {
  return {
    async listDue(after, limit) {
      const rows = await db
        .selectFrom("usageRecord")
        .select("tenantId")
        .distinct()
        .where((where) => where.and({ environment: ENVIRONMENT, status: "unsettled" }))
        .where("settlementId", "is", null)
        .where("tenantId", ">", after)
        .orderBy("tenantId")
        .limit(limit)
        .execute();
      return rows.flatMap(({ tenantId }) => tenantId ?? []);
    },

    async gather(tenantId, settlementId, limit) {
      // Several processes may gather at once: each takes records that nobody else is taking.
      const gathered = await takeRows<{ priceMicro: Micro }>(db, {
        table: "usage_record",
        key: ["id"],
        orderBy: "id",
        limit,
        returning: ["price_micro"],
        where: sql`tenant_id = ${tenantId} and network = ${ENVIRONMENT} and status = 'unsettled' and settlement_id is null`,
        set: sql`settlement_id = ${settlementId}`,
      });
      return { records: gathered.length, amount: gathered.reduce((sum, { priceMicro }) => sum + priceMicro, 0n) };
    },

    async complete(settlementId) {
      await db.updateTable("usageRecord").set({ status: "settled" }).where("settlementId", "=", settlementId).execute();
    },

    async dissolve(settlementId) {
      await db
        .updateTable("usageRecord")
        .set({ settlementId: null })
        .where((where) => where.and({ settlementId, status: "unsettled" }))
        .execute();
    },
  };
}
