import pg from "pg";
import { dueIfAny } from "../../platform/leased-queue/watch-queues.ts";
import type { CallPayments } from "./call-payments.ts";
import type { Calls, Settlement } from "./calls.ts";
import { LEFT_BEHIND, SETTLE } from "./store-calls-sql.ts";

type SweepOptions = Parameters<Calls["sweep"]>[0];

interface Abandoned {
  id: string;
  effect: "none" | "failed" | "done";
  /** JSON. */
  result: string | null;
}

/**
 * Silent processes. Only a process that was alive throughout may decide that: after a database outage everybody was silent, and
 * the first to return must not declare the others dead. Takes SQL for its two values.
 */
export const selectDead = (processId: string, staleSeconds: string): string => `
  select process.id from service_process process
  where process.id <> ${processId} and process.seen_at < now() - make_interval(secs => ${staleSeconds})
    and exists (
      select 1 from service_process own
      where own.id = ${processId} and own.started_at <= now() - make_interval(secs => ${staleSeconds}))`;
const SELECT_DEAD = selectDead("$1", "$2");

/** Calls and keys that dead processes have left. */
export function abandonedCalls(processId: string, staleSeconds: number): { name: string; earliest: string } {
  const dead = selectDead(pg.escapeLiteral(processId), String(staleSeconds));
  return {
    name: "call",
    earliest: dueIfAny(`
      select from call where state = 'reserved' and effect <> 'open'
        and (process_id = '${LEFT_BEHIND}' or process_id in (${dead}))
      union all select from idempotency where state = 'running' and process_id in (${dead})`),
  };
}

/**
 * Settles reservations and keys of dead processes, and calls that failed before their effect was decided. A call with a
 * completed effect is captured with its recorded result, one without an effect is released, and one with an undecided effect is
 * left. Safe to run concurrently: settling is idempotent.
 */
export async function sweepCalls(
  pool: pg.Pool,
  payments: Pick<CallPayments, "among">,
  options: SweepOptions,
): Promise<{ captured: number; released: number; keys: number }> {
  const found = await pool.query<{ id: string }>(SELECT_DEAD, [options.processId, options.staleSeconds]);
  const dead = found.rows.map((row) => row.id);
  const abandoned = await findAbandoned(pool, payments, [...dead, LEFT_BEHIND], options.limit);
  const settlements = abandoned.map((row): Settlement => {
    const done = row.effect === "done";
    const outcomeText = done ? options.outcomeText(JSON.parse(row.result ?? "null")) : undefined;
    return {
      callId: row.id,
      usageId: done ? options.newUsageId() : null,
      latencyMs: 0,
      at: options.at,
      idempotency: outcomeText === undefined ? "forget" : "store",
      outcomeText: outcomeText ?? null,
    };
  });
  // One at a time: sweeps are rare, and a row that cannot be settled must not block the others.
  for (const settlement of settlements) {
    await pool.query({
      name: "settle",
      text: SETTLE,
      values: [
        [settlement.callId],
        [settlement.usageId],
        [settlement.latencyMs],
        [settlement.at.toString()],
        [settlement.idempotency],
        [settlement.outcomeText],
        [null],
        [0n],
      ],
    });
  }
  const captured = settlements.filter((settlement) => settlement.usageId !== null).length;
  // Usually no process is dead; then the keys, one of the busiest tables, are not read.
  const keys = dead.length === 0 ? 0 : await freeKeys(pool, dead);
  return { captured, released: settlements.length - captured, keys };
}

/** Excludes calls that came with a payment, which settles them. */
async function findAbandoned(
  pool: pg.Pool,
  payments: Pick<CallPayments, "among">,
  processIds: readonly string[],
  limit: number,
): Promise<readonly Abandoned[]> {
  const passed: string[] = [];
  for (;;) {
    const { rows } = await pool.query<Abandoned>(
      `select id, effect, result from call
       where process_id = any ($1) and state = 'reserved' and effect <> 'open' and id <> all ($2) limit $3`,
      [processIds, passed, limit],
    );
    const paid = await payments.among(rows.map(({ id }) => id));
    const found = rows.filter(({ id }) => !paid.has(id));
    if (found.length > 0 || rows.length < limit) return found;
    passed.push(...paid);
  }
}

/** Keys of dead processes: a charged read keeps its record and stays done; every other call can be repeated. */
async function freeKeys(pool: pg.Pool, dead: readonly string[]): Promise<number> {
  const abandoned = `held.process_id = any ($1) and held.state = 'running'
    and not exists (select 1 from call where call.id = held.call_id and call.state = 'reserved')`;
  const finished = await pool.query(
    `update idempotency held set state = 'done', usage_id = record.id, price_micro = record.price_micro
     from usage_record record where record.call_id = held.call_id and ${abandoned}`,
    [dead],
  );
  const freed = await pool.query(`delete from idempotency held where ${abandoned}`, [dead]);
  return (finished.rowCount ?? 0) + (freed.rowCount ?? 0);
}
