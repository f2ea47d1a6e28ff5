import { sql } from "kysely";
import type { Queryable } from "../../../platform/database/database.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ChannelMessages } from "../channels.ts";

/** The states that a status of the chat system raises a message from. */
const LOWER = { sent: ["waiting"], delivered: ["waiting", "sent"], read: ["waiting", "sent", "delivered"] } as const;

const MOST_CARDS = 100;

type MessageEnds = Pick<
  ChannelMessages,
  | "useTemplate"
  | "repeat"
  | "noteUpload"
  | "shown"
  | "tryAgain"
  | "fail"
  | "postpone"
  | "failWaiting"
  | "rise"
  | "endCards"
>;

/** How attempts to send end, and what the chat systems tell about them afterwards. */
export function createMessageEnds(db: Queryable, clock: Clock): MessageEnds {
  const at = (instant: Temporal.Instant) => sql`${instant.toString()}::timestamptz`;
  return {
    async useTemplate({ id }) {
      await sql`update channel_message set is_template = true where id = ${id}`.execute(db);
    },

    async repeat({ id }) {
      await sql`update channel_message set repeats = repeats + 1 where id = ${id}`.execute(db);
    },

    async noteUpload({ id }, uploadId) {
      await sql`update channel_message set upload_id = ${uploadId} where id = ${id}`.execute(db);
    },

    async shown({ id, version }, { externalId, isTemplate }) {
      const now = at(clock.now());
      // A change that came meanwhile is shown next.
      await sql`
        update channel_message set external_id = ${externalId}, shown_version = ${version}, unsure_since = null,
          state = case when state = 'waiting' then 'sent' else state end, sent_at = coalesce(sent_at, ${now}),
          attempts = case when version > ${version} then 0 else attempts end,
          next_at = case when version > ${version} then ${now} end
        where id = ${id}
          -- The report that it needs its template may come before the answer.
          and (is_template = ${isTemplate} or not is_template)`.execute(db);
    },

    async tryAgain({ id }, { at: next, problem, unsureSince, isTemplate, isTakenBack }) {
      await sql`
        update channel_message set next_at = ${at(next)}, last_problem = ${problem},
          unsure_since = ${unsureSince === undefined ? null : at(unsureSince)},
          is_template = is_template or ${isTemplate === true}, repeats = repeats - ${isTakenBack === true ? 1 : 0}
        where id = ${id} and next_at is not null`.execute(db);
    },

    async fail({ id }, problem, unsureSince) {
      await sql`
        update channel_message set state = case when external_id is null then 'failed' else state end, next_at = null,
          last_problem = ${problem}, unsure_since = ${unsureSince === undefined ? null : at(unsureSince)}
        where id = ${id} and next_at is not null`.execute(db);
    },

    async postpone(channelId, until) {
      await sql`
        update channel_message set next_at = ${at(until)}
        where channel_id = ${channelId} and next_at < ${at(until)}`.execute(db);
    },

    async failWaiting(channelId, problem) {
      await sql`
        update channel_message set state = case when external_id is null then 'failed' else state end, next_at = null,
          last_problem = ${problem}
        where channel_id = ${channelId} and next_at is not null`.execute(db);
    },

    async rise(channelId, { messageId, ref, status, problem, isWindowClosed }) {
      const isIt = sql`channel_id = ${channelId} and (external_id = ${messageId} or id = ${ref ?? null})`;
      const from = status === "failed" ? ["waiting", "sent"] : [...LOWER[status]];
      const retry = status === "failed" && isWindowClosed;
      const { rows } = await sql`
        update channel_message set external_id = ${retry ? null : messageId},
          state = case when ${retry} and not is_template then 'waiting' else ${status} end,
          next_at = case when ${retry} and not is_template then ${at(clock.now())} when ${retry} then null
            when version > greatest(shown_version, 1) then next_at end,
          shown_version = case when ${retry} then 0 else greatest(shown_version, 1) end,
          is_template = is_template or ${retry}, unsure_since = null, last_problem = coalesce(${problem ?? null}, last_problem)
        where ${isIt} and (state = any (${from}::text[])
          -- It was given up although it may have arrived, and it did.
          or (state = 'failed' and unsure_since is not null and ${status !== "failed"}))
        returning id`.execute(db);
      return rows.length > 0;
    },

    async endCards() {
      const now = at(clock.now());
      for (;;) {
        // In the thread of their approval: a decision in the last moment is shown after the end.
        const { rows } = await sql`
          with ended as materialized (
            select id from channel_message where ends_at <= ${now} order by ends_at limit ${MOST_CARDS} for update skip locked
          ), shown as (
            update channel_message set ends_at = null where id in (select id from ended) returning tenant_id, network, about
          ), asked as (
            insert into channel_event (network, id, tenant_id, source, thread, about, received_at, next_at)
            select distinct network, 'approval:' || about || ':ended', tenant_id, 'approval', 'approval:' || about, about,
              ${now}, ${now} from shown
            on conflict do nothing
          )
          select id from ended`.execute(db);
        if (rows.length < MOST_CARDS) return;
      }
    },
  };
}
