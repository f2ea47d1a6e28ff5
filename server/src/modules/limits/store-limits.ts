import { type Selectable, sql } from "kysely";
import type { Hex } from "../../domain/tokens.ts";
import { batchLookUps } from "../../platform/batching/batch.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { SpendLimitTable } from "../../platform/database/generated-tables.ts";
import { prepared } from "../../platform/database/prepared.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { appendAudit } from "../identity/index.ts";
import { type FoundLimits, type Limits, NO_LIMITS, type SpendLimits } from "./spend-limits.ts";

/** The `key_id` of the tenant's own limits. */
const TENANT = "";

/** Joins the caller's transaction if `queryable` is one. */
export function createSpendLimits(queryable: Queryable, clock: Clock): SpendLimits {
  async function find(db: Queryable, tenantId: string, environment: Environment, keyId: string): Promise<Limits> {
    const row = await db
      .selectFrom("spendLimit")
      .selectAll()
      .where("tenantId", "=", tenantId)
      .where("environment", "=", environment)
      .where("keyId", "=", keyId)
      .executeTakeFirst();
    return row === undefined ? NO_LIMITS : toLimits(row);
  }

  // Many calls look limits up at the same time.
  const findInForce = batchLookUps((keys) => readInForce(queryable, keys));

  return {
    async inForce({ tenantId, environment, keyId }) {
      const found = await findInForce(`${environment} ${tenantId} ${keyId}`);
      if (found === undefined) throw new Error("A tenant that does not exist has no limits.");
      return found;
    },

    async get(tenantId, environment, keyId = TENANT) {
      return await find(queryable, tenantId, environment, keyId);
    },

    async set(tenantId, environment, keyId = TENANT, change, actor) {
      const work = async (db: Queryable): Promise<Limits> => {
        const lock = `spend_limit:${tenantId}:${environment}:${keyId}`;
        await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(db);
        const before = await find(db, tenantId, environment, keyId);
        const after = { ...before, ...change };
        const values = { ...toColumns(after), updatedAt: clock.now().toString() };
        await db
          .insertInto("spendLimit")
          .values({ tenantId, environment, keyId, ...values })
          .onConflict((conflict) => conflict.columns(["tenantId", "environment", "keyId"]).doUpdateSet(values))
          .execute();
        const action = keyId === TENANT ? "tenant.limits" : "key.limits";
        const subjectId = keyId === TENANT ? tenantId : keyId;
        const details = { environment, before: describeLimits(before), after: describeLimits(after) };
        await appendAudit(db, { tenantId, environment, actor, action, subjectId, details }, clock);
        return after;
      };
      return queryable.isTransaction ? await work(queryable) : await queryable.transaction().execute(work);
    },
  };
}

/** Each key consists of an environment, a tenant and a key's id. */
async function readInForce(db: Queryable, keys: readonly string[]): Promise<ReadonlyMap<string, FoundLimits>> {
  const { rows } = await sql<LimitsRow & { asked: string; keyId: string | null; rulesVersion: number }>`
    select asked, rules_version, key_id, per_call_micro, per_day_micro, per_month_micro, recipients, tools, fees_micro,
      confirm_from_micro
    from unnest(${keys}::text[]) as asked join tenant on tenant.id = split_part(asked, ' ', 2)
      left join spend_limit on environment = split_part(asked, ' ', 1) and tenant_id = tenant.id
        and key_id in (${TENANT}, split_part(asked, ' ', 3))
    ${prepared("limits-in-force-3")}`.execute(db);
  const found = new Map<string, FoundLimits>();
  for (const { asked, rulesVersion: version, keyId, ...row } of rows) {
    const { tenant, key } = found.get(asked) ?? { tenant: NO_LIMITS, key: NO_LIMITS };
    const limits = keyId === null ? NO_LIMITS : toLimits(row);
    found.set(asked, keyId === TENANT ? { tenant: limits, key, version } : { tenant, key: limits, version });
  }
  return found;
}

function toColumns({ perCall, perDay, perMonth, recipients, tools, fees, confirmFrom }: Limits) {
  return {
    perCallMicro: perCall ?? null,
    perDayMicro: perDay ?? null,
    perMonthMicro: perMonth ?? null,
    recipients: recipients === undefined ? null : [...recipients],
    tools: tools === undefined ? null : [...tools],
    feesMicro: fees ?? null,
    confirmFromMicro: confirmFrom ?? null,
  };
}

type LimitsRow = Pick<
  Selectable<SpendLimitTable>,
  "perCallMicro" | "perDayMicro" | "perMonthMicro" | "recipients" | "tools" | "feesMicro" | "confirmFromMicro"
>;

function toLimits(row: LimitsRow): Limits {
  const { perCallMicro, perDayMicro, perMonthMicro, recipients, tools, feesMicro, confirmFromMicro } = row;
  return {
    perCall: perCallMicro ?? undefined,
    perDay: perDayMicro ?? undefined,
    perMonth: perMonthMicro ?? undefined,
    recipients: recipients?.map((address): Hex => `0x${address.slice(2)}`),
    tools: tools ?? undefined,
    fees: feesMicro ?? undefined,
    confirmFrom: confirmFromMicro ?? undefined,
  };
}

/** For the audit log. */
function describeLimits({ perCall, perDay, perMonth, recipients, tools, fees, confirmFrom }: Limits) {
  return {
    perCallMicroUsdc: perCall?.toString() ?? null,
    perDayMicroUsdc: perDay?.toString() ?? null,
    perMonthMicroUsdc: perMonth?.toString() ?? null,
    recipients: recipients ?? null,
    tools: tools ?? null,
    feesMicroUsdc: fees?.toString() ?? null,
    confirmFromMicroUsdc: confirmFrom?.toString() ?? null,
  };
}
