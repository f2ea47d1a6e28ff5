import { sql } from "kysely";
import type { JobQueue } from "../../kernel/contracts/job.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Vault } from "../../ports/vault.ts";
import type { Attempt, Deliveries, Delivery, LeasedDelivery } from "./events.ts";
import { secretContext } from "./store-endpoints.ts";

export const DUE_DELIVERIES: JobQueue = {
  name: "event_delivery",
  earliest: `select next_at from event_delivery join event_endpoint endpoint on endpoint.id = endpoint_id and endpoint.state = 'on'
    where next_at is not null order by next_at limit 1`,
};

interface TakenRow {
  endpointId: string;
  tenantId: string;
  environment: Environment;
  url: string;
  secret: string;
  formerSecret: string | null;
  formerUntil: Temporal.Instant | null;
  eventId: string;
  type: string;
  at: Temporal.Instant;
  data: Record<string, unknown>;
  traceId: string | null;
  attempts: number;
  firstAttemptAt: Temporal.Instant;
}

interface ListedRow {
  eventId: string;
  type: string;
  state: Delivery["state"];
  attempts: number;
  lastAttemptAt: Temporal.Instant | null;
  lastStatus: number | null;
  lastProblem: string | null;
  nextAt: Temporal.Instant | null;
  position: bigint;
}

interface Parts {
  db: Queryable;
  clock: Clock;
  vault: Vault;
}

export function createDeliveries({ db, clock, vault }: Parts): Deliveries {
  const at = (instant: Temporal.Instant) => sql`${instant.toString()}::timestamptz`;
  const key = ({ endpointId, eventId }: LeasedDelivery) => sql`endpoint_id = ${endpointId} and event_id = ${eventId}`;
  /** A replay meanwhile, or a process that took over after the lease, makes an attempt no longer the one to store. */
  const isSameAttempt = ({ attempts }: LeasedDelivery) => sql`state = 'waiting' and attempts = ${attempts}`;
  const attempted = ({ at: tried, status, problem }: Attempt) =>
    sql`last_attempt_at = ${at(tried)}, last_status = ${status ?? null}, last_problem = ${problem ?? null}`;

  return {
    async list(endpointId, { before, limit, state }) {
      const { rows } = await sql<ListedRow>`
        select event_id, type, state, attempts, last_attempt_at, last_status, last_problem, next_at, delivery.position
        from event_delivery delivery join tenant_event event on event.id = delivery.event_id
        where endpoint_id = ${endpointId} and ${before === undefined ? sql`true` : sql`delivery.position < ${before}`}
          and ${state === undefined ? sql`true` : sql`state = ${state}`}
        order by delivery.position desc limit ${limit}`.execute(db);
      return rows.map(({ lastAttemptAt, lastStatus, lastProblem, nextAt, ...row }) => ({
        ...row,
        lastAttemptAt: lastAttemptAt ?? undefined,
        lastStatus: lastStatus ?? undefined,
        lastProblem: lastProblem ?? undefined,
        nextAt: nextAt ?? undefined,
      }));
    },

    async take({ until, limit, perEndpoint, busy }) {
      const now = clock.now();
      const { rows } = await sql<TakenRow>`
        with endpoint as materialized (
          select id from event_endpoint where state = 'on' and id <> all (${[...busy]}::text[])
            and id in (select endpoint_id from event_delivery where next_at <= ${at(now)})
          limit ${limit}
        ), due as materialized (
          select due.* from endpoint cross join lateral (
            select endpoint_id, event_id from event_delivery one
            where endpoint_id = endpoint.id and next_at <= ${at(now)} and not exists (
              select 1 from event_delivery earlier
              where earlier.endpoint_id = one.endpoint_id and earlier.resource = one.resource
                and earlier.next_at is not null and earlier.position < one.position)
            order by position limit ${perEndpoint} for update skip locked
          ) due limit ${limit}
        ), taken as (
          update event_delivery delivery set next_at = ${at(until)}, attempts = attempts + 1,
            first_attempt_at = coalesce(first_attempt_at, ${at(now)})
          from due where delivery.endpoint_id = due.endpoint_id and delivery.event_id = due.event_id
          returning delivery.*
        )
        select taken.endpoint_id, endpoint.tenant_id, endpoint.network as environment, endpoint.url, endpoint.secret,
          endpoint.former_secret, endpoint.former_until, taken.event_id, event.type, event.at, event.data, event.trace_id,
          taken.attempts, taken.first_attempt_at
        from taken join event_endpoint endpoint on endpoint.id = taken.endpoint_id
          join tenant_event event on event.id = taken.event_id
        order by event.position`.execute(db);
      return rows.map((row) => toLeased(row, now, vault));
    },

    async delivered(delivery, attempt) {
      await sql`
        with ended as (
          update event_delivery set state = 'delivered', next_at = null, ${attempted(attempt)}
          where ${key(delivery)} and ${isSameAttempt(delivery)}
          returning resource, position
        ), behind as (
          -- Those that waited for it.
          update event_delivery next set next_at = least(next.next_at, ${at(attempt.at)}) from ended
          where next.endpoint_id = ${delivery.endpointId} and next.resource = ended.resource and next.next_at is not null
            and next.position > ended.position and next.attempts = 0
        )
        update event_endpoint set failures = 0, failing_since = null
        where id = ${delivery.endpointId} and failures > 0`.execute(db);
    },

    async failedOnce(delivery, attempt, { at: next, restUntil }) {
      const { rows } = await sql<{ failures: number; failingSince: Temporal.Instant }>`
        with tried as (
          update event_delivery set next_at = ${at(next)}, ${attempted(attempt)}
          where ${key(delivery)} and ${isSameAttempt(delivery)}
          returning resource, position
        ), behind as (
          update event_delivery next set next_at = greatest(next.next_at, ${at(next)}) from tried
          where next.endpoint_id = ${delivery.endpointId} and next.resource = tried.resource and next.next_at is not null
            and next.position > tried.position
        )
        update event_endpoint set failures = failures + 1, failing_since = coalesce(failing_since, ${at(attempt.at)})
        where id = ${delivery.endpointId} returning failures, failing_since`.execute(db);
      const [found = { failures: 0, failingSince: attempt.at }] = rows;
      const rest = restUntil(found.failures);
      if (rest !== undefined) {
        await sql`
          update event_delivery set next_at = ${at(rest)}
          where endpoint_id = ${delivery.endpointId} and next_at is not null and next_at < ${at(rest)}`.execute(db);
      }
      return { failingSince: found.failingSince };
    },

    async giveUp({ endpointId, eventId }, { at: tried, status, problem }, because) {
      const isIt = sql`event_id = ${eventId}`;
      const { rows } = await sql`
        with ended as (
          update event_delivery set state = 'failed', next_at = null,
            last_attempt_at = case when ${isIt} then ${at(tried)} else last_attempt_at end,
            last_status = case when ${isIt} then ${status ?? null}::integer else last_status end,
            last_problem = case when ${isIt} then ${problem ?? null}::text else last_problem end
          where endpoint_id = ${endpointId} and next_at is not null
        )
        update event_endpoint set state = 'off', off_because = ${because}, updated_at = ${at(tried)}
        where id = ${endpointId} and state = 'on' returning id`.execute(db);
      return rows.length > 0;
    },

    async replay({ tenantId, environment }, endpointId, which, limit) {
      const chosen =
        "eventIds" in which
          ? sql`event.id = any (${[...which.eventIds]}::text[])`
          : sql`event.at >= ${at(which.since)} and event.at < ${at(which.until)}`;
      const { rows } = await sql`
        insert into event_delivery (endpoint_id, event_id, position, resource, next_at)
        select endpoint.id, event.id, event.position, event.resource, ${at(clock.now())}
        from event_endpoint endpoint join tenant_event event
          on event.tenant_id = endpoint.tenant_id and event.network = endpoint.network
        where endpoint.id = ${endpointId} and endpoint.tenant_id = ${tenantId} and endpoint.network = ${environment} and ${chosen}
          and (endpoint.types = '{}' or event.type = any (endpoint.types))
        order by event.position limit ${limit}
        on conflict (endpoint_id, event_id) do update
          set state = 'waiting', attempts = 0, first_attempt_at = null, next_at = excluded.next_at
        returning event_id`.execute(db);
      return rows.length;
    },
  };
}

function toLeased(row: TakenRow, now: Temporal.Instant, vault: Vault): LeasedDelivery {
  const { secret, formerSecret, formerUntil, traceId, ...rest } = row;
  const context = secretContext(row.endpointId);
  const isBoth = formerSecret !== null && formerUntil !== null && Temporal.Instant.compare(formerUntil, now) > 0;
  return {
    ...rest,
    secrets: [secret, ...(isBoth ? [formerSecret] : [])].map((one) => vault.decrypt(one, context)),
    traceId: traceId ?? undefined,
  };
}
