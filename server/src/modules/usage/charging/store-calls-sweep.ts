import type pg from "pg";
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
 * Processes that are silent. Only who was there all the time can say so: after the database was away everybody was silent, and
 * whoever comes back first must not take the others for dead. Takes SQL for its two values.
 */
export const selectDead = (processId: string, staleSeconds: string): string => `
  select process.id from service_process process
  where process.id <> ${processId} and process.seen_at < now() - make_interval(secs => ${staleSeconds})
    and exists (
      select 1 from service_process own
      where own.id = ${processId} and own.started_at <= now() - make_interval(secs => ${staleSeconds}))`;
const SELECT_DEAD = selectDead("$1", "$2");

/**
 * Settles the reservations and frees the keys of processes that stopped showing signs of life, and what calls left behind that
 * failed while their effect was undecided. A call with an effect that is
 * done is captured with its recorded result; one without an effect is released; one whose effect is still undecided is left
 * for whoever decides it. Safe beside other sweepers: settling is idempotent.
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
  // One at a time: a sweep is rare, and a row that cannot be settled must not keep the others.
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
  // Mostly nobody is dead, and then keys are not looked at: their table is one of the busiest of all.
  const keys = dead.length === 0 ? 0 : await freeKeys(pool, dead);
  return { captured, released: settlements.length - captured, keys };
}

/** Calls that came with a payment are left out: their payments settle them. */
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

/** Keys of dead processes: a read that was charged keeps its record and stays done; everything else can be tried again. */
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
