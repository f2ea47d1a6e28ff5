import { sql } from "kysely";
import type { Queryable } from "../../../platform/database/database.ts";
import type { ChannelRecord, RecordFilter, RecordSource, RecordState } from "../../../ports/channel-records.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "channels.emailRecords": EmailRecords;
  }
}

/** Mails of conversations, in and out. */
export type EmailRecords = Pick<RecordSource, "list">;

export const emailRecords = ({ emailRecords: { list } }: { emailRecords: EmailRecords }): RecordSource => ({
  channels: ["email"],
  knowsTrips: false,
  list,
});

interface Row {
  id: string;
  direction: "in" | "out";
  state: RecordState;
  what: string;
  attempts: number;
  problem: string | null;
  remoteId: string | null;
  traceId: string | null;
  conversationId: string | null;
  at: Temporal.Instant;
  endedAt: Temporal.Instant | null;
}

const moment = (at: Temporal.Instant) => sql`${at.toString()}::timestamptz`;

export function createEmailRecords(db: Queryable): EmailRecords {
  return {
    async list({ tenantId, environment }, filter: RecordFilter) {
      const { state, traceId, from, until, before, limit } = filter;
      const conditions = [
        ...(state === undefined ? [] : [sql`state = ${state}`]),
        ...(traceId === undefined ? [] : [sql`trace_id = ${traceId}`]),
        ...(from === undefined ? [] : [sql`at >= ${moment(from)}`]),
        ...(until === undefined ? [] : [sql`at < ${moment(until)}`]),
        ...(before === undefined ? [] : [sql`(at, id collate "C") < (${moment(before.at)}, ${before.id})`]),
        sql`true`,
      ];
      const { rows } = await sql<Row>`
        with mail as (
          select replace(split_part(event.id, ':', 3), '_', '-') as id, 'in' as direction, 'mail' as what, event.attempts,
            case when finished_at is null then 'waiting' when outcome like 'refused%' then 'refused'
              when outcome like 'given up%' then 'failed' else 'done' end as state,
            case when finished_at is null then last_reason when outcome like 'turn %' then null else outcome end as problem,
            null::text as remote_id, null::text as trace_id, thread.conversation_id, received_at as at, finished_at as ended_at
          from channel_event event join channel on channel.id = event.channel_id
            left join email_thread thread on thread.network = event.network and thread.channel_id = event.channel_id
              and event.id = event.channel_id || ':' || thread.event_id
          where event.tenant_id = ${tenantId} and event.network = ${environment} and channel.kind = 'email' and event.source = 'mail'
          union all
          select message.id, 'out', message.kind, message.attempts,
            case message.state when 'waiting' then 'waiting' when 'failed' then 'failed' else 'done' end,
            last_problem, external_id, message.trace_id, thread.conversation_id, message.created_at, sent_at
          from channel_message message join channel on channel.id = message.channel_id and channel.kind = 'email'
            left join email_thread thread on thread.network = message.network and thread.channel_id = message.channel_id
              and (thread.turn_id = message.about or thread.event_id = message.about)
          where message.tenant_id = ${tenantId} and message.network = ${environment})
        select * from mail where ${sql.join(conditions, sql` and `)}
        order by at desc, id collate "C" desc limit ${limit}`.execute(db);
      return rows.map(describe);
    },
  };
}

function describe(row: Row): ChannelRecord {
  const { problem, remoteId, traceId, conversationId, at, endedAt, ...record } = row;
  return {
    ...record,
    problem: problem ?? undefined,
    remoteId: remoteId ?? undefined,
    traceId: traceId ?? undefined,
    conversationId: conversationId ?? undefined,
    latencyMs: endedAt === null ? undefined : Math.round(at.until(endedAt).total("milliseconds")),
    at,
  };
}
