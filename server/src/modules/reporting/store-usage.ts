import { sql } from "kysely";
import { earliestId } from "../../domain/ids.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { CallPayments } from "../charging/index.ts";
import type { GroupedBy, Usage, UsageGroup } from "./usage.ts";

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
  "usageRecord.callId",
  "usageRecord.settlementId",
] as const;

const GROUP_COLUMNS: Readonly<Record<GroupedBy, string>> = { tool: "tool", key: "key_id", person: "subject" };

export function createUsage(db: Queryable, payments: () => CallPayments): Usage {
  return {
    async list(tenantId, environment, { before, limit, tool, between, traceId, isMcp, runId }) {
      let query = db
        .selectFrom("usageRecord")
        .select(columns)
        .where("usageRecord.tenantId", "=", tenantId)
        .where("usageRecord.environment", "=", environment)
        .orderBy("usageRecord.id", "desc")
        .limit(limit);
      if (before !== undefined) query = query.where("usageRecord.id", "<", before);
      // An id contains its record's time.
      const [first, end] = [between?.from, between?.to].map((at) => at && earliestId("use_", at.epochMilliseconds));
      if (first !== undefined) query = query.where("usageRecord.id", ">=", first);
      if (end !== undefined) query = query.where("usageRecord.id", "<", end);
      if (tool !== undefined) query = query.where("usageRecord.tool", "=", tool);
      if (traceId !== undefined) query = query.where("usageRecord.traceId", "=", traceId);
      if (isMcp !== undefined) query = query.where("usageRecord.surface", isMcp ? "=" : "<>", "mcp");
      // The key of a run's call begins with the run's id.
      if (runId !== undefined) query = query.where("usageRecord.idempotencyKey", "like", `${runId}:%`);
      const rows = await query.execute();
      const transactions = await payments().listTransactions(rows);
      return rows.map(({ callId: _, settlementId: __, ...record }, index) => ({
        ...record,
        settlementTx: transactions[index] ?? null,
      }));
    },

    async group(tenantId, environment, { by, since, most, groups }) {
      const column = sql.ref(GROUP_COLUMNS[by]);
      const { rows } = await sql<UsageGroup & { counted: bigint }>`
        with newest as (
          select ${column} as name, price_micro, created_at
          from usage_record
          where tenant_id = ${tenantId} and network = ${environment}
            and id >= ${earliestId("use_", since.epochMilliseconds)}
          order by id desc
          limit ${most}
        )
        select grouped.*, api_key.name as key_name
        from (
          select name, count(*)::bigint as calls, sum(price_micro)::bigint as price_micro, max(created_at) as last_at,
            (sum(count(*)) over ())::bigint as counted
          from newest group by name order by sum(price_micro) desc, name limit ${groups}
        ) grouped
        left join api_key on api_key.tenant_id = ${tenantId} and api_key.id = replace(grouped.name, 'svc:', '')
        order by price_micro desc, grouped.name`.execute(db);
      return { groups: rows.map(({ counted: _, ...group }) => group), counted: rows[0]?.counted ?? 0n };
    },

    async countByKeyAndHour(tenantId, environment, { since, most }) {
      const { rows } = await sql<{ keyId: string | null; beginsAt: Temporal.Instant; calls: bigint }>`
        with newest as (
          select key_id, created_at from usage_record
          where tenant_id = ${tenantId} and network = ${environment}
            and id >= ${earliestId("use_", since.epochMilliseconds)}
          order by id desc
          limit ${most}
        )
        select key_id, date_trunc('hour', created_at) as begins_at, count(*)::bigint as calls
        from newest group by 1, 2`.execute(db);
      const hours = rows.flatMap(({ keyId, ...hour }) => (keyId === null ? [] : [{ ...hour, keyId }]));
      return { hours, counted: rows.reduce((sum, { calls }) => sum + calls, 0n) };
    },

    async lastByTool(tenantId, environment, tools) {
      const { rows } = await sql<{ tool: string; createdAt: Temporal.Instant }>`
        select asked.tool, last.created_at
        from unnest(${[...tools]}::text[]) as asked (tool) cross join lateral (
          select created_at from usage_record
          where tenant_id = ${tenantId} and network = ${environment} and tool = asked.tool
          order by id desc limit 1
        ) as last`.execute(db);
      return new Map(rows.map(({ tool, createdAt }) => [tool, createdAt]));
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
