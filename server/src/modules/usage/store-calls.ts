import pg from "pg";
import { instantText } from "../../ports/clock.ts";
import type { Calls, ChargeLine, Claim, Settlement } from "./calls.ts";
import { CAPTURE_PLAIN, CHARGE, CHARGE_PLAIN, RESERVE, RESERVE_PLAIN, SETTLE } from "./calls-sql.ts";
import { sweepCalls } from "./calls-sweep.ts";

const KEY_LIFETIME_HOURS = 24;
const CALL_LIFETIME_HOURS = 48;
/** Between two signs of life, one of which comes every second. */
const LONGEST_GAP_SECONDS = 3;
const UNIQUE_VIOLATION = "23505";

const grants = {
  charge: { plain: { name: "charge-plain", text: CHARGE_PLAIN }, full: { name: "charge", text: CHARGE } },
  reserve: { plain: { name: "reserve-plain", text: RESERVE_PLAIN }, full: { name: "reserve", text: RESERVE } },
} as const;
const CAPTURES = { name: "capture-plain", text: CAPTURE_PLAIN };
const SETTLES = { name: "settle", text: SETTLE };

export function createCalls(pool: pg.Pool): Calls {
  /** Spend rows that this process knows to exist; a statement needs one for each tenant and month. */
  const knownSpendRows = new Set<string>();

  async function ensureSpendRows(lines: readonly ChargeLine[]): Promise<void> {
    const missing = lines.filter((line) => !knownSpendRows.has(`${line.tenantId} ${line.period}`));
    if (missing.length === 0) return;
    await pool.query(
      `insert into tenant_spend (tenant_id, period)
       select distinct tenant_id, period from unnest($1::text[], $2::text[]) as line (tenant_id, period)
       order by tenant_id, period on conflict do nothing`,
      [missing.map((line) => line.tenantId), missing.map((line) => line.period)],
    );
    if (knownSpendRows.size > 50_000) knownSpendRows.clear();
    for (const line of missing) knownSpendRows.add(`${line.tenantId} ${line.period}`);
  }

  async function grant(
    name: "charge" | "reserve",
    lines: readonly ChargeLine[],
    extra: readonly unknown[],
  ): Promise<boolean[]> {
    await ensureSpendRows(lines);
    const values = [...columnsOf(lines), ...extra];
    const { plain, full } = grants[name];
    if (lines.every((line) => line.callId === null)) {
      const answer = await unlessPresent(pool.query<{ written: number }>({ ...plain, values }));
      if (answer?.rows[0]?.written === lines.length) return lines.map(() => true);
    }
    // Refused, keyed, or sent again after its connection was lost and its first sending was written: the full statement tells.
    // That first sending may still run, and then be seen by the second look.
    const send = () => pool.query<{ id: string }>({ ...full, values });
    const { rows } = (await unlessPresent(send())) ?? (await send());
    const granted = new Set(rows.map((row) => row.id));
    return lines.map((line) => granted.has(line.id));
  }

  return {
    charge: (lines) => grant("charge", lines, []),
    reserve: (lines, processId) => grant("reserve", lines, [processId]),

    async settle(settlements) {
      const values = settlementColumns(settlements);
      if (settlements.every(isPlainCapture)) {
        const { rows } = await pool.query<{ written: number }>({ ...CAPTURES, values: values.slice(0, 4) });
        if (rows[0]?.written === settlements.length) return settlements.map((settlement) => settlement.usageId);
      }
      // Also for those that were captured just now: they are settled, and say under which record.
      const { rows } = await pool.query<{ id: string; usage_id: string | null }>({ ...SETTLES, values });
      const paid = new Map(rows.map((row) => [row.id, row.usage_id]));
      return settlements.map((settlement) => paid.get(settlement.callId) ?? null);
    },

    async claim(identity, requestHash, callId, processId, at) {
      const { tenantId, subject, tool, key } = identity;
      const claimed = await pool.query({
        name: "claim",
        text: `insert into idempotency (tenant_id, subject, tool, key, request_hash, call_id, process_id, created_at)
          values ($1, $2, $3, $4, $5, $6, $7, $8)
          on conflict (tenant_id, subject, tool, key) do update set request_hash = excluded.request_hash,
            call_id = excluded.call_id, process_id = excluded.process_id, state = 'running', outcome = null,
            usage_id = null, price_micro = 0, created_at = excluded.created_at
          where idempotency.created_at < excluded.created_at - make_interval(hours => ${KEY_LIFETIME_HOURS})
            and idempotency.state = 'done'
          returning call_id`,
        values: [tenantId, subject, tool, key, requestHash, callId, processId, at.toString()],
      });
      if (claimed.rowCount === 1) return { kind: "claimed" };
      const { rows } = await pool.query<{
        request_hash: string;
        state: string;
        outcome: string | null;
        usage_id: string | null;
        price_micro: bigint;
      }>(
        `select request_hash, state, outcome, usage_id, price_micro from idempotency
         where tenant_id = $1 and subject = $2 and tool = $3 and key = $4`,
        [tenantId, subject, tool, key],
      );
      return readClaim(rows[0], requestHash);
    },

    async closeClaim(callId) {
      const finished = await pool.query({
        name: "finish-claim",
        text: `update idempotency claim set state = 'done', usage_id = record.id, price_micro = record.price_micro
          from usage_record record where record.call_id = $1 and claim.call_id = $1 and claim.state = 'running'`,
        values: [callId],
      });
      if (finished.rowCount === 1) return true;
      const freed = await pool.query(`delete from idempotency where call_id = $1 and state = 'running'`, [callId]);
      return freed.rowCount === 1;
    },

    async takeOver(firstCallId) {
      const replaced = await pool.query(
        `update call set state = 'replaced' where id = $1 and state = 'released' returning id`,
        [firstCallId],
      );
      if (replaced.rowCount === 1) return { paid: false };
      const { rows } = await pool.query<{ usage_id: string | null; price_micro: bigint; is_pending: boolean }>(
        `select call.usage_id, coalesce(payment.amount_micro, call.price_micro) as price_micro,
           coalesce(payment.state in ('claimed', 'earned'), false) as is_pending
         from call left join payment on payment.call_id = call.id where call.id = $1`,
        [firstCallId],
      );
      const [first] = rows;
      return {
        paid: true,
        usageId: first?.usage_id ?? null,
        price: first?.price_micro ?? 0n,
        isPending: first?.is_pending ?? false,
      };
    },

    async heartbeat(processId) {
      // `started_at`: since when it has been seen without a gap; while the database was away, nobody was.
      await pool.query(
        `insert into service_process (id) values ($1) on conflict (id) do update set seen_at = now(), started_at =
           case when service_process.seen_at < now() - make_interval(secs => ${LONGEST_GAP_SECONDS})
           then now() else service_process.started_at end`,
        [processId],
      );
    },

    sweep: (options) => sweepCalls(pool, options),

    async prune(at) {
      await pool.query(`delete from idempotency where state = 'done' and created_at < $1`, [
        at.subtract({ hours: KEY_LIFETIME_HOURS }).toString(),
      ]);
      await pool.query(`delete from call where state <> 'reserved' and effect <> 'open' and created_at < $1`, [
        at.subtract({ hours: CALL_LIFETIME_HOURS }).toString(),
      ]);
      await pool.query(
        `delete from service_process where seen_at < now() - interval '1 hour'
         and not exists (select 1 from call where process_id = service_process.id and state = 'reserved')
         and not exists (select 1 from idempotency where process_id = service_process.id and state = 'running')
         and not exists (select 1 from payment where process_id = service_process.id and state = 'claimed')`,
      );
    },
  };
}

function readClaim(
  row:
    | { request_hash: string; state: string; outcome: string | null; usage_id: string | null; price_micro: bigint }
    | undefined,
  requestHash: string,
): Claim {
  // The row went away between the two statements: its call failed and freed the key. The caller tries again.
  if (row === undefined) return { kind: "running" };
  if (row.request_hash !== requestHash) return { kind: "mismatch" };
  if (row.state === "running") return { kind: "running" };
  return { kind: "done", outcomeText: row.outcome, usageId: row.usage_id, price: row.price_micro };
}

/** Undefined when a row of the batch is there already. */
async function unlessPresent<Result>(sending: Promise<Result>): Promise<Result | undefined> {
  try {
    return await sending;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) return undefined;
    throw error;
  }
}

function isPlainCapture({ usageId, idempotency, paidBefore }: Settlement): boolean {
  return usageId !== null && idempotency === "none" && paidBefore === undefined;
}

function columnsOf(lines: readonly ChargeLine[]): unknown[] {
  return [
    lines.map((line) => line.id),
    lines.map((line) => line.callId),
    lines.map((line) => line.tenantId),
    lines.map((line) => line.keyId),
    lines.map((line) => line.subject),
    lines.map((line) => line.tool),
    lines.map((line) => line.surface),
    lines.map((line) => line.period),
    lines.map((line) => line.listPrice),
    lines.map((line) => line.discountPercent),
    lines.map((line) => line.price),
    lines.map((line) => line.usageStatus),
    lines.map((line) => line.traceId),
    lines.map((line) => line.idempotencyKey),
    lines.map((line) => line.latencyMs),
    lines.map((line) => instantText(line.at)),
  ];
}

function settlementColumns(settlements: readonly Settlement[]): unknown[] {
  return [
    settlements.map((line) => line.callId),
    settlements.map((line) => line.usageId),
    settlements.map((line) => line.latencyMs),
    settlements.map((line) => instantText(line.at)),
    settlements.map((line) => line.idempotency),
    settlements.map((line) => line.outcomeText),
    settlements.map((line) => line.paidBefore?.usageId ?? null),
    settlements.map((line) => line.paidBefore?.price ?? 0n),
  ];
}
