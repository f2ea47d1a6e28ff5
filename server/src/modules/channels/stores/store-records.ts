import { sql } from "kysely";
import type { Queryable } from "../../../platform/database/database.ts";
import type { ChannelRecord, RecordFilter, RecordState } from "../../../ports/channel-records.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ChannelRecords, MessageKind, MessageProgress } from "../channels.ts";

/** Whatever is sent again is of use for so long. */
const AGAIN = { hours: 12 };
const GIVEN_UP = "given up: ";

interface Row {
  id: string;
  direction: "in" | "out";
  state: RecordState;
  what: string;
  attempts: number;
  repeats: number;
  problem: string | null;
  remoteId: string | null;
  traceId: string | null;
  about: string | null;
  conversationId: string | null;
  approvalId: string | null;
  canResend: boolean;
  at: Temporal.Instant;
  endedAt: Temporal.Instant | null;
}

const moment = (at: Temporal.Instant) => sql<Temporal.Instant>`${at.toString()}::timestamptz`;

/** A card whose buttons mean nothing any more is not sent again. */
const canResend = sql`message.state = 'failed' and (message.kind <> 'approval'
  or exists (select 1 from channel_button where message_id = message.id))`;

/** Ids of four letters before what their order goes by. */
const bare = sql`substr(id, 5) collate "C"`;

/** Both tables in one shape. An event's remote id follows the id of its channel. */
const records = sql`
  select 'evt_' || md5(event.id) as id, 'in' as direction, channel.kind as channel, event.tenant_id, event.network,
    case when finished_at is null then 'waiting' when outcome like ${`${GIVEN_UP}%`} then 'failed' else 'done' end as state,
    'event' as what, event.attempts, 0 as repeats,
    case when finished_at is null or outcome like ${`${GIVEN_UP}%`} then last_reason end as problem,
    substr(event.id, length(event.channel_id) + 2) as remote_id, event.trace_id, event.outcome as about,
    event.conversation_id, event.approval_id, false as can_resend, received_at as at, finished_at as ended_at
  from channel_event event join channel on channel.id = event.channel_id where event.source = 'chat'
  union all
  select message.id, 'out', channel.kind, message.tenant_id, message.network,
    case when message.state = 'waiting' then 'waiting' when message.state <> 'failed' then 'done'
      when unsure_since is not null then 'unknown' else 'failed' end,
    message.kind, message.attempts, message.repeats, last_problem, external_id, message.trace_id, message.about,
    message.conversation_id, case when message.kind in ('approval', 'approval_end') then message.about end, ${canResend},
    message.created_at, sent_at
  from channel_message message join channel on channel.id = message.channel_id`;

export function createChannelRecords(db: Queryable, clock: Clock): ChannelRecords {
  return {
    async list({ tenantId, environment }, filter: RecordFilter) {
      const { channel, state, tripId, traceId, from, until, before, limit } = filter;
      const conditions = [
        state === undefined ? sql`true` : sql`state = ${state}`,
        tripId === undefined ? sql`true` : sql`about = ${tripId} and what in ('claim_link', 'claim_code')`,
        traceId === undefined ? sql`true` : sql`trace_id = ${traceId}`,
        from === undefined ? sql`true` : sql`at >= ${moment(from)}`,
        until === undefined ? sql`true` : sql`at < ${moment(until)}`,
        before === undefined ? sql`true` : sql`(at, ${bare}) < (${moment(before.at)}, ${before.id.slice(4)})`,
      ];
      const { rows } = await sql<Row>`
        select id, direction, state, what, attempts, repeats, problem, remote_id as "remoteId", trace_id as "traceId", about,
          conversation_id as "conversationId", approval_id as "approvalId", can_resend as "canResend", at, ended_at as "endedAt"
        from (${records}) record
        where tenant_id = ${tenantId} and network = ${environment} and channel = ${channel} and ${sql.join(conditions, sql` and `)}
        order by at desc, ${bare} desc limit ${limit}`.execute(db);
      return rows.map(describe);
    },

    async resend({ tenantId, environment }, id) {
      const now = clock.now();
      const { rows } = await sql<{ isChanged: boolean }>`
        with found as (
          select id from channel_message
          where id = ${id} and tenant_id = ${tenantId} and network = ${environment} for update),
        changed as (
          update channel_message message set state = 'waiting', attempts = 0, repeats = 0, external_id = null,
            shown_version = 0, version = version + 1, unsure_since = null, is_template = false, last_problem = null,
            next_at = ${moment(now)}, give_up_at = greatest(give_up_at, ${moment(now.add(AGAIN))})
          from found where message.id = found.id and ${canResend} returning message.id)
        select exists (select 1 from changed) as "isChanged" from found`.execute(db);
      const [row] = rows;
      if (row === undefined) return undefined;
      return row.isChanged ? "waiting" : "not_failed";
    },

    async note(environment, eventId, { conversationId, approvalId }) {
      await sql`
        update channel_event set conversation_id = ${conversationId ?? null}, approval_id = ${approvalId ?? null}
        where network = ${environment} and id = ${eventId}`.execute(db);
    },

    async findState({ channelId, environment, address, kind, about }) {
      const { rows } = await sql<Omit<MessageProgress, "problem"> & { problem: string | null }>`
        select id, state, unsure_since is not null as "isUnsure", last_problem as problem from channel_message
        where network = ${environment} and channel_id = ${channelId} and address = ${address} and kind = ${kind}
          and about = ${about}`.execute(db);
      const [row] = rows;
      return row && { ...row, problem: row.problem ?? undefined };
    },

    async listAddresses({ tenantId, environment }, kind: MessageKind, about) {
      const { rows } = await sql<{ address: string }>`
        select address from channel_message
        where tenant_id = ${tenantId} and network = ${environment} and kind = ${kind} and about = ${about}`.execute(db);
      return rows.map(({ address }) => address);
    },
  };
}

function describe(row: Row): ChannelRecord {
  const { id, direction, state, what, attempts, repeats, about, canResend: mayResend, at, endedAt } = row;
  const mayBeTwice = repeats > 0 ? "It may have arrived twice." : undefined;
  return {
    ...{ id, direction, state, what, attempts, at, canResend: mayResend },
    problem: [row.problem, mayBeTwice].filter((said) => said != null).join(" ") || undefined,
    latencyMs: endedAt === null ? undefined : Math.round(at.until(endedAt).total("milliseconds")),
    remoteId: row.remoteId ?? undefined,
    traceId: row.traceId ?? undefined,
    conversationId: row.conversationId ?? undefined,
    approvalId: row.approvalId ?? undefined,
    ...(what.startsWith("claim_") && about !== null ? { tripId: about } : {}),
  };
}
