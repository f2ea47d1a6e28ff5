import { sql } from "kysely";
import { newId } from "../../../domain/ids.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import { pruneRows } from "../../../platform/database/prune.ts";
import { withoutNulls } from "../../../platform/database/without-nulls.ts";
import { takeDueRows } from "../../../platform/leased-queue/take-rows.ts";
import type { Queue } from "../../../platform/leased-queue/watch-queues.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ChannelOwner } from "../channels.ts";
import { CHECK_IN, type NoticeChannel } from "./notice-kinds.ts";
import type { Notice, NoticePreferences, Notices } from "./notices.ts";

export const DUE_NOTICES: Queue = {
  name: "notice",
  earliest: "select min(next_at) from notice where next_at is not null",
};

/** Bookings from before a person said where they want notices. */
const MOST_EARLIER = 50;

const moment = (at: Temporal.Instant) => sql`${at.toString()}::timestamptz`;

export function createNotices(db: Queryable, clock: Clock): Notices {
  return {
    take: async ({ until, limit }) =>
      await takeDueRows<Notice>(db, {
        table: "notice",
        key: ["id"],
        due: "next_at",
        at: clock.now(),
        until,
        limit,
        where: sql`next_at is not null`,
        set: sql`attempts = attempts + 1`,
        returning: ["id", "tenantId", "environment", "userId", "kind", "data", "attempts", "createdAt"],
      }),

    async add({ tenantId, environment, userId, kind, about, data }) {
      const now = moment(clock.now());
      const { rows } = await sql`
        with wanted as (
          select user_id from notice_preference
          where tenant_id = ${tenantId} and network = ${environment} and user_id = ${userId}
        ), added as (
          insert into notice (id, tenant_id, network, user_id, kind, about, data, next_at, created_at)
          select ${newId("ntc_", clock.now().epochMilliseconds)}, ${tenantId}, ${environment}, user_id, ${kind}, ${about},
            ${JSON.stringify(data)}::jsonb, ${now}, ${now} from wanted
          on conflict do nothing
        )
        select user_id from wanted`.execute(db);
      return rows.length > 0;
    },

    async goOn(id, data) {
      await sql`
        update notice set data = data || ${JSON.stringify(data)}::jsonb, attempts = 0, next_at = ${moment(clock.now())}
        where id = ${id} and state = 'waiting'`.execute(db);
    },

    async wait(id, until) {
      await sql`update notice set next_at = ${moment(until)} where id = ${id} and state = 'waiting'`.execute(db);
    },

    async end(id, { state, channel, reason }) {
      await sql`
        update notice set state = ${state}, channel = ${channel ?? null}, reason = ${reason ?? null}, next_at = null
        where id = ${id} and state = 'waiting'`.execute(db);
    },

    async prune(before) {
      // A notice of check-in may wait for months.
      await pruneRows(db, "notice", sql`created_at < ${moment(before)} and state <> 'waiting'`);
    },
  };
}

export function createNoticePreferences(db: Queryable, clock: Clock): NoticePreferences {
  const selectPerson = ({ tenantId, environment }: ChannelOwner, userId: string) =>
    sql`tenant_id = ${tenantId} and network = ${environment} and user_id = ${userId}`;
  return {
    async find(owner, userId) {
      const { rows } = await sql<{
        channels: NoticeChannel[];
        timeZone: string;
        quietFrom: string | null;
        quietUntil: string | null;
        muted: string[];
      }>`
        select channels, time_zone, quiet_from, quiet_until, muted from notice_preference
        where ${selectPerson(owner, userId)}`.execute(db);
      const [row] = rows;
      return row && withoutNulls(row);
    },

    async set({ tenantId, environment }, userId, { channels, timeZone, quietFrom, quietUntil, muted }) {
      await sql`
        insert into notice_preference
          (tenant_id, network, user_id, channels, time_zone, quiet_from, quiet_until, muted, updated_at)
        values (${tenantId}, ${environment}, ${userId}, ${[...channels]}::text[], ${timeZone}, ${quietFrom ?? null},
          ${quietUntil ?? null}, ${[...muted]}::text[], ${moment(clock.now())})
        on conflict (tenant_id, network, user_id) do update set channels = excluded.channels, time_zone = excluded.time_zone,
          quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until, muted = excluded.muted,
          updated_at = excluded.updated_at`.execute(db);
      // Flights that were ticketed before: the notice finds their times, and ends if they are over.
      await sql`
        insert into notice (id, tenant_id, network, user_id, kind, about, data, next_at, created_at)
        select 'ntc_' || replace(gen_random_uuid()::text, '-', ''), ${tenantId}, ${environment}, ${userId}, ${CHECK_IN}, order_id,
          jsonb_build_object('orderId', order_id), ${moment(clock.now())}, ${moment(clock.now())}
        from booking
        where tenant_id = ${tenantId} and network = ${environment} and kind = 'flight' and state = 'booked'
          and ticketing = 'ticketed' and order_id is not null
          and (user_id = ${userId} or travelers @> ${JSON.stringify([{ userId }])}::jsonb)
        order by created_at desc limit ${MOST_EARLIER}
        on conflict do nothing`.execute(db);
    },

    async remove(owner, userId) {
      const { rows } = await sql`
        delete from notice_preference where ${selectPerson(owner, userId)} returning user_id`.execute(db);
      return rows.length > 0;
    },

    async mute(owner, userId, kind) {
      await sql`
        update notice_preference set muted = array_append(muted, ${kind}), updated_at = ${moment(clock.now())}
        where ${selectPerson(owner, userId)} and not (${kind} = any (muted))`.execute(db);
    },
  };
}
