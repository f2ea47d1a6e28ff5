import type pg from "pg";
import { currentTraceId } from "../../domain/trace.ts";
import type { Calls, HeldClaim } from "./calls.ts";
import { KEY_LIFETIME_HOURS, ON_HELD_KEY } from "./store-calls-sql.ts";

/** A read is charged once per key, but asks a supplier each time. */
const MOST_RERUNS = 3;

/** Idempotency keys with their holders and their outcomes. */
export function createIdempotencyKeys(
  pool: pg.Pool,
): Pick<Calls, "claim" | "look" | "keepOutcome" | "countRerun" | "closeClaim"> {
  return {
    async claim(identity, requestHash, callId, processId, at) {
      const { tenantId, environment, subject, tool, key } = identity;
      const claimed = await pool.query({
        name: "claim",
        text: `insert into idempotency (tenant_id, network, subject, tool, key, request_hash, call_id, process_id, created_at, trace_id)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
          ${ON_HELD_KEY}`,
        values: [
          tenantId,
          environment,
          subject,
          tool,
          key,
          requestHash,
          callId,
          processId,
          at.toString(),
          currentTraceId() ?? null,
        ],
      });
      if (claimed.rowCount === 1) return { kind: "claimed" };
      const { rows } = await pool.query<HeldKey>(SELECT_HELD, [tenantId, environment, subject, tool, key]);
      // The row was deleted between the two statements: its call failed and released the key. The caller tries again.
      return rows[0] === undefined ? { kind: "running" } : readClaim(rows[0], requestHash);
    },

    async look({ tenantId, environment, subject, tool, key }, requestHash, at) {
      const { rows } = await pool.query<HeldKey>(
        `${SELECT_HELD} and (state = 'running' or created_at >= $6::timestamptz - make_interval(hours => ${KEY_LIFETIME_HOURS}))`,
        [tenantId, environment, subject, tool, key, at.toString()],
      );
      return rows[0] === undefined ? undefined : readClaim(rows[0], requestHash);
    },

    async keepOutcome({ tenantId, environment, subject, tool, key }, stored, outcomeText) {
      const identity = [tenantId, environment, subject, tool, key];
      await pool.query(
        `update idempotency set outcome = $7 where tenant_id = $1 and network = $2 and subject = $3 and tool = $4
           and key = $5 and outcome = $6`,
        [...identity, stored, outcomeText],
      );
      const { rows } = await pool.query<HeldKey>(SELECT_HELD, identity);
      return rows[0]?.outcome ?? null;
    },

    async countRerun({ tenantId, environment, subject, tool, key }) {
      const counted = await pool.query(
        `update idempotency set reruns = reruns + 1 where tenant_id = $1 and network = $2 and subject = $3 and tool = $4
           and key = $5 and reruns < ${MOST_RERUNS}`,
        [tenantId, environment, subject, tool, key],
      );
      return counted.rowCount === 1;
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
  };
}

const SELECT_HELD = `
  select request_hash as "requestHash", state, outcome, usage_id as "usageId", price_micro as "priceMicro",
    created_at as "createdAt"
  from idempotency
  where tenant_id = $1 and network = $2 and subject = $3 and tool = $4 and key = $5`;

interface HeldKey {
  requestHash: string;
  state: string;
  outcome: string | null;
  usageId: string | null;
  priceMicro: bigint;
  createdAt: Temporal.Instant;
}

function readClaim(row: HeldKey, requestHash: string): HeldClaim {
  if (row.requestHash !== requestHash) return { kind: "mismatch" };
  if (row.state === "running") return { kind: "running" };
  const freeAt = row.createdAt.add({ hours: KEY_LIFETIME_HOURS });
  return { kind: "done", outcomeText: row.outcome, usageId: row.usageId, price: row.priceMicro, freeAt };
}
