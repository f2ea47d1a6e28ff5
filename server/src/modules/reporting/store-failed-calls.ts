import { sql } from "kysely";
import { PREVIEW_SURFACE } from "../../kernel/contracts/preview-answer.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { FailedCalls, StoredFailedCall } from "./failed-calls.ts";

/** The limit for each tenant and environment. */
const KEPT = 1_000;

export function createFailedCalls(db: Queryable): FailedCalls {
  return {
    async add(calls) {
      const rows = calls.map(({ at, price, issuePaths, ...call }) => ({
        ...call,
        issuePaths: [...issuePaths],
        priceMicro: price,
        createdAt: at.toString(),
      }));
      await db
        .insertInto("failedCall")
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      for (const owner of listOwners(calls)) await removeOldest(db, owner);
    },

    async list(tenantId, environment, { before, limit, tool, code, traceId, isMcp, runId, from, until }) {
      let query = db
        .selectFrom("failedCall")
        .leftJoin("apiKey", (join) =>
          join.onRef("apiKey.id", "=", "failedCall.keyId").onRef("apiKey.tenantId", "=", "failedCall.tenantId"),
        )
        .select([
          "failedCall.id",
          "failedCall.keyId",
          "apiKey.name as keyName",
          "failedCall.tool",
          "failedCall.surface",
          "failedCall.code",
          "failedCall.detail",
          "failedCall.issuePaths",
          "failedCall.traceId",
          "failedCall.runId",
          "failedCall.priceMicro as price",
          "failedCall.createdAt as at",
        ])
        .where("failedCall.tenantId", "=", tenantId)
        .where("failedCall.environment", "=", environment)
        .orderBy("failedCall.id", "desc")
        .limit(limit);
      if (before !== undefined) query = query.where("failedCall.id", "<", before);
      if (tool !== undefined) query = query.where("failedCall.tool", "=", tool);
      if (code !== undefined) query = query.where("failedCall.code", "=", code);
      if (traceId !== undefined) query = query.where("failedCall.traceId", "=", traceId);
      if (isMcp === true) query = query.where("failedCall.surface", "=", "mcp");
      if (isMcp === false) query = query.where("failedCall.surface", "not in", ["mcp", PREVIEW_SURFACE]);
      if (runId !== undefined) query = query.where("failedCall.runId", "=", runId);
      if (from !== undefined) query = query.where("failedCall.createdAt", ">=", moment(from));
      if (until !== undefined) query = query.where("failedCall.createdAt", "<", moment(until));
      return await query.execute();
    },
  };
}

const moment = (at: Temporal.Instant) => sql<Temporal.Instant>`${at.toString()}::timestamptz`;

type Owner = Pick<StoredFailedCall, "tenantId" | "environment">;

function listOwners(calls: readonly Owner[]): readonly Owner[] {
  return [...new Map(calls.map((call) => [`${call.tenantId} ${call.environment}`, call])).values()];
}

/** Skips rows that another process removes at the same time. */
async function removeOldest(db: Queryable, { tenantId, environment }: Owner): Promise<void> {
  await sql`
    delete from failed_call where id = any (array(
      select id from failed_call
      where tenant_id = ${tenantId} and network = ${environment} and id < (
        select id from failed_call where tenant_id = ${tenantId} and network = ${environment}
        order by id desc offset ${KEPT - 1} limit 1)
      for update skip locked))`.execute(db);
}
