import type pg from "pg";
import type { Micro } from "../../domain/money.ts";
import { pruneInPieces } from "../../platform/database/prune.ts";
import { settlementColumns } from "./call-columns.ts";
import type { CallPayments } from "./call-payments.ts";
import type { Calls, Settlement } from "./calls.ts";
import { CAPTURE_PLAIN, KEY_LIFETIME_HOURS, SETTLE } from "./store-calls-sql.ts";
import { sweepCalls } from "./store-calls-sweep.ts";
import { createGrants } from "./store-grants.ts";
import { createIdempotencyKeys } from "./store-keys.ts";

const CALL_LIFETIME_HOURS = 48;
/** Between two heartbeats, which are sent every two seconds. */
const LONGEST_GAP_SECONDS = 4;
const PRUNE_KEYS = `delete from idempotency where ctid = any (array(
  select ctid from idempotency where state = 'done' and created_at < $1 limit $2 for update skip locked))`;
const PRUNE_CALLS = `delete from call where ctid = any (array(
  select ctid from call where state <> 'reserved' and effect <> 'open' and created_at < $1 limit $2
  for update skip locked))`;
const CAPTURES = { name: "capture-plain", text: CAPTURE_PLAIN };
const SETTLES = { name: "settle", text: SETTLE };

interface FirstCall {
  usageId: string | null;
  priceMicro: Micro;
}

/** Without a module that takes payments. */
const NO_PAYMENTS: Payments = {
  find: async () => undefined,
  among: async () => new Set(),
  busyProcesses: async () => [],
};

type Payments = Pick<CallPayments, "find" | "among" | "busyProcesses">;

export function createCalls(pool: pg.Pool, payments: Payments = NO_PAYMENTS): Calls {
  return {
    ...createGrants(pool),
    ...createIdempotencyKeys(pool),

    async settle(settlements) {
      // Locks rows in this order, so that concurrent settlements of the same calls do not deadlock.
      const values = settlementColumns(settlements.toSorted(byCallId));
      if (settlements.every(isPlainCapture)) {
        const { rowCount } = await pool.query({ ...CAPTURES, values: values.slice(0, 4) });
        if (rowCount === settlements.length) return settlements.map((settlement) => settlement.usageId);
      }
      // Includes those captured just now, with the record that paid for them.
      const { rows } = await pool.query<{ id: string; usageId: string | null }>({ ...SETTLES, values });
      const paid = new Map(rows.map((row) => [row.id, row.usageId]));
      return settlements.map((settlement) => paid.get(settlement.callId) ?? null);
    },

    async takeOver(firstCallId) {
      const replaced = await pool.query(
        `update call set state = 'replaced' where id = $1 and state = 'released' returning id`,
        [firstCallId],
      );
      if (replaced.rowCount === 1) return { paid: false };
      const { rows } = await pool.query<FirstCall>(
        `select usage_id as "usageId", price_micro as "priceMicro" from call where id = $1`,
        [firstCallId],
      );
      const [first] = rows;
      const payment = await payments.find(firstCallId);
      return {
        paid: true,
        usageId: first?.usageId ?? null,
        price: payment?.amount ?? first?.priceMicro ?? 0n,
        isPending: payment?.isPending ?? false,
        payment: payment?.receipt,
      };
    },

    async heartbeat(processId) {
      // `started_at`: since when it has been seen without a gap; a database outage is a gap for all.
      await pool.query(
        `insert into service_process (id) values ($1) on conflict (id) do update set seen_at = now(), started_at =
           case when service_process.seen_at < now() - make_interval(secs => ${LONGEST_GAP_SECONDS})
           then now() else service_process.started_at end`,
        [processId],
      );
    },

    sweep: (options) => sweepCalls(pool, payments, options),

    async prune(at) {
      const keysBefore = at.subtract({ hours: KEY_LIFETIME_HOURS }).toString();
      await pruneInPieces((limit) => removeSome(pool, PRUNE_KEYS, [keysBefore, limit]));
      const callsBefore = at.subtract({ hours: CALL_LIFETIME_HOURS }).toString();
      await pruneInPieces((limit) => removeSome(pool, PRUNE_CALLS, [callsBefore, limit]));
      await pool.query(
        `delete from service_process where seen_at < now() - interval '1 hour'
         and not exists (select 1 from call where process_id = service_process.id and state = 'reserved')
         and not exists (select 1 from idempotency where process_id = service_process.id and state = 'running')
         and id <> all ($1)`,
        [await payments.busyProcesses()],
      );
    },
  };
}

async function removeSome(pool: pg.Pool, text: string, values: unknown[]): Promise<number> {
  return (await pool.query(text, values)).rowCount ?? 0;
}

function byCallId(one: Settlement, other: Settlement): number {
  if (one.callId === other.callId) return 0;
  return one.callId < other.callId ? -1 : 1;
}

function isPlainCapture({ usageId, idempotency, paidBefore }: Settlement): boolean {
  return usageId !== null && idempotency === "none" && paidBefore === undefined;
}
