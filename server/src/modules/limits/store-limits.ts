import { type Selectable, sql } from "kysely";
import type { Hex } from "../../domain/tokens.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { SpendLimitTable } from "../../platform/database/generated-tables.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { appendAudit } from "../identity/index.ts";
import { type Limits, NO_LIMITS, type SpendLimits } from "./spend-limits.ts";

/** Stands in `key_id` for the tenant itself. */
const TENANT = "";

/** Joins the caller's transaction when `queryable` is one. */
export function createSpendLimits(queryable: Queryable, clock: Clock): SpendLimits {
  async function list(db: Queryable, tenantId: string, environment: Environment, keyIds: readonly string[]) {
    const rows = await db
      .selectFrom("spendLimit")
      .selectAll()
      .where("tenantId", "=", tenantId)
      .where("environment", "=", environment)
      .where("keyId", "in", keyIds)
      .execute();
    return (keyId: string): Limits => {
      const row = rows.find((one) => one.keyId === keyId);
      return row === undefined ? NO_LIMITS : toLimits(row);
    };
  }

  return {
    async inForce({ tenantId, environment, keyId }) {
      const of = await list(queryable, tenantId, environment, [TENANT, keyId]);
      return { tenant: of(TENANT), key: of(keyId) };
    },

    async get(tenantId, environment, keyId = TENANT) {
      return (await list(queryable, tenantId, environment, [keyId]))(keyId);
    },

    async set(tenantId, environment, keyId = TENANT, change, actor) {
      const work = async (db: Queryable): Promise<Limits> => {
        const lock = `spend_limit:${tenantId}:${environment}:${keyId}`;
        await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(db);
        const before = (await list(db, tenantId, environment, [keyId]))(keyId);
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
        await appendAudit(db, { tenantId, actor, action, subjectId, details }, clock);
        return after;
      };
      return queryable.isTransaction ? await work(queryable) : await queryable.transaction().execute(work);
    },
  };
}

function toColumns({ perCall, perDay, perMonth, recipients, tools }: Limits) {
  return {
    perCallMicro: perCall ?? null,
    perDayMicro: perDay ?? null,
    perMonthMicro: perMonth ?? null,
    recipients: recipients === undefined ? null : [...recipients],
    tools: tools === undefined ? null : [...tools],
  };
}

function toLimits(row: Selectable<SpendLimitTable>): Limits {
  const { perCallMicro, perDayMicro, perMonthMicro, recipients, tools } = row;
  return {
    perCall: perCallMicro ?? undefined,
    perDay: perDayMicro ?? undefined,
    perMonth: perMonthMicro ?? undefined,
    recipients: recipients?.map((address): Hex => `0x${address.slice(2)}`),
    tools: tools ?? undefined,
  };
}

/** For the audit log. */
function describeLimits({ perCall, perDay, perMonth, recipients, tools }: Limits) {
  return {
    perCallMicroUsdc: perCall?.toString() ?? null,
    perDayMicroUsdc: perDay?.toString() ?? null,
    perMonthMicroUsdc: perMonth?.toString() ?? null,
    recipients: recipients ?? null,
    tools: tools ?? null,
  };
}
