import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";

/** A table whose rows workers lease, with the columns `id`, `state`, `worker_id`, `worker_seen_at`, `quiet_until` and `created_at`. */
export interface LeasedTable<Row, R> {
  name: string;
  /** States in which nothing happens any more. They are written into the statements, so that partial indexes on them are used. */
  final: readonly string[];
  /** States in which a request may be on its way. */
  sending: readonly string[];
  toRecord(row: Row): R;
}

export interface Leases<R> {
  touch(id: string, workerId: string, quietUntil: Temporal.Instant): Promise<boolean>;
  leave(id: string, workerId: string, quietUntil: Temporal.Instant): Promise<boolean>;
  /** A record that no worker has, and that is in one of these states if any are named, may be looked up now. */
  wake(id: string, states?: readonly string[]): Promise<boolean>;
  claimStale(workerId: string, staleSeconds: number, limit: number, kind?: string): Promise<readonly R[]>;
}

/** What `EffectStore` says of leases, in SQL. Joins the caller's transaction when `queryable` is one. */
export function createLeases<Row, R>(queryable: Queryable, clock: Clock, table: LeasedTable<Row, R>): Leases<R> {
  const name = sql.table(table.name);
  const listOf = (states: readonly string[]) => sql.join(states.map((state) => sql.lit(state)));
  const isOpen = sql`state not in (${listOf(table.final)})`;
  const at = (instant: Temporal.Instant) => sql`${instant.toString()}::timestamptz`;
  const changed = async (statement: ReturnType<typeof sql>): Promise<boolean> =>
    (await statement.execute(queryable)).rows.length > 0;

  return {
    touch: (id, workerId, quietUntil) =>
      changed(sql`
        update ${name} set worker_seen_at = ${at(clock.now())},
          quiet_until = case when state in (${listOf(table.sending)})
            then greatest(quiet_until, ${at(quietUntil)}) else quiet_until end
        where id = ${id} and worker_id = ${workerId} returning id`),

    leave: (id, workerId, quietUntil) =>
      changed(sql`
        update ${name} set worker_id = null, worker_seen_at = null, quiet_until = ${at(quietUntil)}, updated_at = ${at(clock.now())}
        where id = ${id} and worker_id = ${workerId} and ${isOpen} returning id`),

    wake: (id, states) =>
      changed(sql`
        update ${name} set quiet_until = ${at(clock.now())}
        where id = ${id} and worker_id is null and ${states === undefined ? isOpen : sql`state in (${listOf(states)})`}
        returning id`),

    async claimStale(workerId, staleSeconds, limit, kind) {
      const now = clock.now();
      const staleAt = now.subtract({ milliseconds: Math.round(staleSeconds * 1000) });
      const { rows } = await sql<Row>`
        with stale as (
          select id from ${name}
          where ${isOpen}
            and (quiet_until is null or quiet_until <= ${at(now)})
            and (worker_id is null or worker_seen_at < ${at(staleAt)})
            and ${kind === undefined ? sql`true` : sql`kind = ${kind}`}
          order by created_at limit ${limit} for update skip locked
        )
        update ${name} set worker_id = ${workerId}, worker_seen_at = ${at(now)}
        where id in (select id from stale) returning *`.execute(queryable);
      return rows.map(table.toRecord);
    },
  };
}
