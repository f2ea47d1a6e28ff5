import { sql } from "kysely";
import { newId } from "../../domain/ids.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import type { ChannelRecord, RecordFilter, RecordState } from "../../ports/channel-records.ts";
import type { Environment } from "../../ports/identity.ts";
import type { OutsideCall, OutsideCallState } from "../../ports/outside-calls.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "records.outsideCalls": OutsideCalls;
  }
}

type Owner = { tenantId: string; environment: Environment };
type OutsideCalls = ReturnType<typeof createOutsideCalls>;

/** The newest of each tenant and environment that are kept. */
const KEPT = 20_000;

const STATES: Readonly<Record<OutsideCallState, RecordState>> = {
  answered: "done",
  refused: "refused",
  failed: "failed",
  unanswered: "unknown",
};
const moment = (at: Temporal.Instant) => sql<Temporal.Instant>`${at.toString()}::timestamptz`;

export function createOutsideCalls(db: Queryable) {
  return {
    /** One statement, whose text does not depend on their number. */
    async add(calls: readonly OutsideCall[]): Promise<void> {
      const rows = calls.map(({ at, environment, ...call }) => ({
        id: newId("out_", at.epochMilliseconds),
        network: environment,
        tenant_id: call.tenantId,
        party: call.party,
        operation: call.operation,
        state: call.state,
        status: call.status,
        problem: call.problem,
        request_id: call.requestId,
        latency_ms: call.latencyMs,
        trace_id: call.traceId,
        trip_id: call.tripId,
        run_id: call.runId,
        conversation_id: call.conversationId,
        created_at: at.toString(),
      }));
      // A tenant may be gone by now.
      await sql`
        insert into outside_call
        select made.* from jsonb_populate_recordset(null::outside_call, ${JSON.stringify(rows)}::jsonb) as made
        where exists (select 1 from tenant where tenant.id = made.tenant_id)`.execute(db);
    },

    async list({ tenantId, environment }: Owner, filter: RecordFilter): Promise<readonly ChannelRecord[]> {
      const { channel, state, tripId, traceId, from, until, before, limit } = filter;
      const own = Object.entries(STATES).find(([, shown]) => shown === state)?.[0];
      if (state !== undefined && own === undefined) return [];
      let query = db
        .selectFrom("outsideCall")
        .selectAll()
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("party", "=", channel)
        .orderBy("createdAt", "desc")
        .orderBy(sql`id collate "C"`, "desc")
        .limit(limit);
      if (own !== undefined) query = query.where("state", "=", sql<OutsideCallState>`${own}`);
      if (tripId !== undefined) query = query.where("tripId", "=", tripId);
      if (traceId !== undefined) query = query.where("traceId", "=", traceId);
      if (from !== undefined) query = query.where("createdAt", ">=", moment(from));
      if (until !== undefined) query = query.where("createdAt", "<", moment(until));
      if (before !== undefined)
        query = query.where(sql<boolean>`(created_at, id collate "C") < (${moment(before.at)}, ${before.id})`);
      return (await query.execute()).map((row) => ({
        id: row.id,
        direction: "call" as const,
        state: STATES[row.state],
        what: row.operation,
        attempts: 1,
        status: row.status ?? undefined,
        problem: row.problem ?? undefined,
        latencyMs: row.latencyMs,
        remoteId: row.requestId ?? undefined,
        traceId: row.traceId ?? undefined,
        tripId: row.tripId ?? undefined,
        runId: row.runId ?? undefined,
        conversationId: row.conversationId ?? undefined,
        at: row.createdAt,
      }));
    },

    /** Deletes older ones, and those that a tenant has too many of. */
    async prune(before: Temporal.Instant): Promise<void> {
      await pruneRows(db, "outside_call", sql`created_at < ${before.toString()}`);
      const { rows } = await sql<Owner>`
        select tenant_id as "tenantId", network as environment from outside_call
        group by 1, 2 having count(*) > ${KEPT}`.execute(db);
      for (const { tenantId, environment } of rows) {
        const own = sql`tenant_id = ${tenantId} and network = ${environment}`;
        const oldest = sql`(select created_at from outside_call where ${own} order by created_at desc offset ${KEPT} limit 1)`;
        await pruneRows(db, "outside_call", sql`${own} and created_at <= ${oldest}`);
      }
    },
  };
}
