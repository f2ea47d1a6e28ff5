import { type RawBuilder, sql } from "kysely";
import pg from "pg";
import type { Clock } from "../../ports/clock.ts";
import type { Queryable } from "../database/database.ts";
import { takeRows } from "./take-rows.ts";
import type { Queue } from "./watch-queues.ts";

/**
 * A table of rows that workers lease, with the columns `id`, `state`, `worker_id`, `worker_seen_at`, `quiet_until` and
 * `created_at`.
 */
export interface LeasedTable<Row, R> {
  name: string;
  /** The states with work to do, as in the table's partial index. */
  open: { in: readonly string[] } | { notIn: readonly string[] };
  /** States in which a request may have been sent. */
  sending?: readonly string[];
  /** The columns to return; default: all. */
  returning?: readonly string[];
  toRecord(row: Row): R;
}

export interface WorkerLeases<R> {
  /**
   * The worker's heartbeat. False: another worker has taken over. In a sending state the quiet time moves to `quietUntil`, so
   * that it counts from the last heartbeat.
   */
  touch(id: string, workerId: string, quietUntil?: Temporal.Instant): Promise<boolean>;
  /** Releases an open record, which no worker may lease before `quietUntil`. */
  leave(id: string, workerId: string, quietUntil: Temporal.Instant): Promise<boolean>;
  /** Makes an open record without a worker due now, if it is in one of these states (default: any). */
  wake(id: string, states?: readonly string[]): Promise<boolean>;
  /**
   * Leases open records, oldest first, whose quiet time is over and whose worker was not seen for this time. `kinds`: only
   * these.
   */
  claimStale(workerId: string, staleSeconds: number, limit: number, kinds?: readonly string[]): Promise<readonly R[]>;
  /** The records that `claimStale` would lease, for the watch over all queues. */
  queue(staleSeconds: number, kinds?: readonly string[]): Queue;
  /** Leases one record in the same way. Undefined: it is not open, its quiet time is not over, or another worker has it. */
  claim(id: string, workerId: string, staleSeconds: number): Promise<R | undefined>;
}

/** Joins the caller's transaction if `queryable` is one. */
export function createWorkerLeases<Row, R>(
  queryable: Queryable,
  clock: Clock,
  table: LeasedTable<Row, R>,
): WorkerLeases<R> {
  const name = sql.table(table.name);
  const { open, sending = [], returning } = table;
  // The states are literals: with parameters, PostgreSQL would not use the partial indexes.
  const literalList = (states: readonly string[]) => sql.join(states.map((state) => sql.lit(state)));
  const openStates = "in" in open ? { is: "in", states: open.in } : { is: "not in", states: open.notIn };
  const isOpen = sql`state ${sql.raw(openStates.is)} (${literalList(openStates.states)})`;
  const at = (instant: Temporal.Instant) => sql`${instant.toString()}::timestamptz`;
  const changed = async (statement: ReturnType<typeof sql>): Promise<boolean> =>
    (await statement.execute(queryable)).rows.length > 0;

  async function take(
    worker: { id: string; staleSeconds: number },
    limit: number,
    condition: RawBuilder<unknown>,
  ): Promise<readonly R[]> {
    const now = clock.now();
    const staleAt = now.subtract({ milliseconds: Math.round(worker.staleSeconds * 1000) });
    const rows = await takeRows<Row>(queryable, {
      table: table.name,
      key: ["id"],
      orderBy: "created_at",
      limit,
      returning,
      where: sql`${isOpen}
        and (quiet_until is null or quiet_until <= ${at(now)})
        and (worker_id is null or worker_seen_at < ${at(staleAt)})
        and ${condition}`,
      set: sql`worker_id = ${worker.id}, worker_seen_at = ${at(now)}`,
    });
    return rows.map(table.toRecord);
  }

  return {
    touch(id, workerId, quietUntil) {
      const moved =
        quietUntil === undefined || sending.length === 0
          ? sql``
          : sql`, quiet_until = case when state in (${literalList(sending)})
              then greatest(quiet_until, ${at(quietUntil)}) else quiet_until end`;
      return changed(sql`
        update ${name} set worker_seen_at = ${at(clock.now())}${moved}
        where id = ${id} and worker_id = ${workerId} returning id`);
    },

    leave: (id, workerId, quietUntil) =>
      changed(sql`
        update ${name} set worker_id = null, worker_seen_at = null, quiet_until = ${at(quietUntil)}, updated_at = ${at(clock.now())}
        where id = ${id} and worker_id = ${workerId} and ${isOpen} returning id`),

    wake: (id, states) =>
      changed(sql`
        update ${name} set quiet_until = ${at(clock.now())}
        where id = ${id} and worker_id is null and ${states === undefined ? isOpen : sql`state in (${literalList(states)})`}
        returning id`),

    claimStale: (id, staleSeconds, limit, kinds) =>
      take({ id, staleSeconds }, limit, kinds === undefined ? sql`true` : sql`kind in (${literalList(kinds)})`),

    queue(staleSeconds, kinds) {
      const list = (values: readonly string[]) => values.map((value) => pg.escapeLiteral(value)).join(", ");
      const kind = kinds === undefined ? "" : ` and kind in (${list(kinds)})`;
      return {
        name: table.name,
        earliest: `
          select min(coalesce(greatest(quiet_until, worker_seen_at + interval '${staleSeconds} seconds'), created_at))
          from ${table.name} where state ${openStates.is} (${list(openStates.states)})${kind}`,
      };
    },

    async claim(id, workerId, staleSeconds) {
      const [record] = await take({ id: workerId, staleSeconds }, 1, sql`id = ${id}`);
      return record;
    },
  };
}
