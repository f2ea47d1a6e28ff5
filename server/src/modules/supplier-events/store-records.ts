import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { ChannelRecord, RecordSource, RecordState } from "../../ports/channel-records.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "supplier-events.eventRecords": EventRecords;
  }
}

export type EventRecords = Pick<RecordSource, "list">;

const GIVEN_UP = "given up: ";

interface EventRow {
  id: string;
  type: string;
  orderId: string | null;
  attempts: number;
  receivedAt: Temporal.Instant;
  finishedAt: Temporal.Instant | null;
  outcome: string | null;
  lastReason: string | null;
}

const moment = (at: Temporal.Instant) => sql`${at.toString()}::timestamptz`;

/** The supplier's events about a tenant's bookings. They have no trace: no call of ours caused them. */
export function createEventRecords(db: Queryable): EventRecords {
  return {
    async list({ tenantId, environment }, { state, traceId, from, until, before, limit }) {
      if (traceId !== undefined) return [];
      const conditions = [
        state === undefined ? sql`true` : whereState(state),
        from === undefined ? sql`true` : sql`event.received_at >= ${moment(from)}`,
        until === undefined ? sql`true` : sql`event.received_at < ${moment(until)}`,
        before === undefined
          ? sql`true`
          : sql`(event.received_at, event.id collate "C") < (${moment(before.at)}, ${before.id})`,
      ];
      const { rows } = await sql<EventRow>`
        select event.id, event.type, event.order_id as "orderId", event.attempts, event.received_at as "receivedAt",
          event.finished_at as "finishedAt", event.outcome, event.last_reason as "lastReason"
        from webhook_event event
        where event.network = ${environment} and ${sql.join(conditions, sql` and `)} and (
          exists (select 1 from booking where booking.network = ${environment} and booking.order_id = event.order_id
            and booking.state = 'booked' and booking.tenant_id = ${tenantId})
          or exists (select 1 from booking where booking.id = event.booking_id and booking.network = ${environment}
            and booking.tenant_id = ${tenantId}))
        order by event.received_at desc, event.id collate "C" desc
        limit ${limit}`.execute(db);
      return rows.map(describe);
    },
  };
}

function whereState(state: RecordState) {
  if (state === "waiting") return sql`event.finished_at is null`;
  const isGivenUp = sql`event.outcome like ${`${GIVEN_UP}%`}`;
  if (state === "done") return sql`event.finished_at is not null and not ${isGivenUp}`;
  return state === "failed" ? sql`event.finished_at is not null and ${isGivenUp}` : sql`false`;
}

function describe(row: EventRow): ChannelRecord {
  const { id, type, orderId, attempts, receivedAt: at, finishedAt, outcome, lastReason } = row;
  const isGivenUp = outcome?.startsWith(GIVEN_UP) === true;
  const state = finishedAt === null ? "waiting" : isGivenUp ? "failed" : "done";
  return {
    id,
    direction: "in",
    state,
    what: type,
    attempts,
    problem: state === "done" ? undefined : (lastReason ?? undefined),
    latencyMs: finishedAt === null ? undefined : Math.round(at.until(finishedAt).total("milliseconds")),
    remoteId: id,
    orderId: orderId ?? undefined,
    at,
  };
}
