import { sql } from "kysely";
import type { Micro } from "../../domain/money.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { takeRows } from "../../platform/leased-queue/take-rows.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "charging.usageSettlements": UsageSettlements;
  }
}

/** Payment of usage records that started `unsettled`: a tenant's records are gathered into a settlement and paid together. */
interface UsageSettlements {
  /** Tenants with unsettled records in no settlement yet, by id, after `after`. */
  listDue(after: string, limit: number): Promise<readonly string[]>;
  /** Puts such records, oldest first and at most `limit`, into this settlement. Returns their number and total price. */
  gather(tenantId: string, settlementId: string, limit: number): Promise<{ records: number; amount: Micro }>;
  /** Marks its records as `settled`. */
  complete(settlementId: string): Promise<void>;
  /** Frees its records to be gathered again. */
  dissolve(settlementId: string): Promise<void>;
}

/** Sandbox usage is never paid. */
const ENVIRONMENT = "production";

export function createUsageSettlements(db: Queryable): UsageSettlements {
  return {
    async listDue(after, limit) {
      const rows = await db
        .selectFrom("usageRecord")
        .select("tenantId")
        .distinct()
        .where("environment", "=", ENVIRONMENT)
        .where("status", "=", "unsettled")
        .where("settlementId", "is", null)
        .where("tenantId", ">", after)
        .orderBy("tenantId")
        .limit(limit)
        .execute();
      return rows.flatMap(({ tenantId }) => tenantId ?? []);
    },

    async gather(tenantId, settlementId, limit) {
      // Processes may gather concurrently: each locks records that no other has.
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
        .where("settlementId", "=", settlementId)
        .where("status", "=", "unsettled")
        .execute();
    },
  };
}
