import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { UsageSettlements } from "./usage-settlements.ts";

/** Usage of the sandbox is never paid. */
const NETWORK = "production";

export function createUsageSettlements(db: Queryable): UsageSettlements {
  return {
    async listDue(after, limit) {
      const rows = await db
        .selectFrom("usageRecord")
        .select("tenantId")
        .distinct()
        .where("network", "=", NETWORK)
        .where("status", "=", "unsettled")
        .where("settlementId", "is", null)
        .where("tenantId", ">", after)
        .orderBy("tenantId")
        .limit(limit)
        .execute();
      return rows.flatMap(({ tenantId }) => tenantId ?? []);
    },

    async gather(tenantId, settlementId, limit) {
      // Several processes may gather at once: each takes records that nobody else is taking.
      const { rows } = await sql<{ records: number; amount: string }>`
        with due as (
          select id from usage_record
          where tenant_id = ${tenantId} and network = ${NETWORK} and status = 'unsettled' and settlement_id is null
          order by id limit ${limit} for update skip locked
        ), gathered as (
          update usage_record set settlement_id = ${settlementId} from due where usage_record.id = due.id
          returning usage_record.price_micro
        )
        select count(*)::int as records, coalesce(sum(price_micro), 0)::text as amount from gathered`.execute(db);
      const [row] = rows;
      return { records: row?.records ?? 0, amount: BigInt(row?.amount ?? "0") };
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
