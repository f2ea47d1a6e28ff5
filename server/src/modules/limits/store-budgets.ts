import { type Selectable, sql } from "kysely";
import { Failure } from "../../domain/errors.ts";
import { formatDecimal } from "../../domain/money.ts";
import { batchLookUps } from "../../platform/batching/batch.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { BudgetTable } from "../../platform/database/generated-tables.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { Clock } from "../../ports/clock.ts";
import { appendAudit, ownerKey } from "../identity/index.ts";
import { type Budget, type Budgets, budgetCounter, MOST_BUDGETS } from "./budgets.ts";
import { formatPeriod } from "./periods.ts";
import type { SpendOwner } from "./spend-limits.ts";
import { lockCounters, usedAmount } from "./store-counters.ts";

const columns = [
  "budgetId",
  "amountMicro as amount",
  "costCentre",
  "keyIds",
  "travelerIds",
  "tripIds",
  "startsOn",
  "endsOn",
] as const;

/** Joins the caller's transaction if `queryable` is one. */
export function createBudgets(queryable: Queryable, clock: Clock): Budgets {
  const select = (db: Queryable, { tenantId, environment }: SpendOwner) =>
    db
      .selectFrom("budget")
      .select(columns)
      .where("tenantId", "=", tenantId)
      .where("environment", "=", environment)
      .orderBy("budgetId");

  const findOwners = batchLookUps((keys) => ownersWithBudgets(queryable, keys));
  return {
    hasAny: async (owner) => (await findOwners(ownerKey(owner))) !== undefined,

    async list(owner) {
      return (await select(queryable, owner).execute()).map(withoutNulls);
    },

    async find(owner, budgetIds) {
      if (budgetIds.length === 0) return [];
      return (await select(queryable, owner).where("budgetId", "in", budgetIds).execute()).map(withoutNulls);
    },

    async covering(owner, { keyId, travelerIds, tripId, at }) {
      const day = formatPeriod("perDay", at);
      const rows = await select(queryable, owner)
        .where((where) => where.or([where("startsOn", "is", null), where("startsOn", "<=", day)]))
        .where((where) => where.or([where("endsOn", "is", null), where("endsOn", ">=", day)]))
        .where(sql<boolean>`(key_ids is null or ${keyId} = any (key_ids))`)
        .where(sql<boolean>`(traveler_ids is null or traveler_ids && ${[...travelerIds]}::text[])`)
        .where(sql<boolean>`(trip_ids is null or ${tripId ?? ""} = any (trip_ids))`)
        .execute();
      return rows.map(withoutNulls);
    },

    async put(owner, budget, actor) {
      const work = (db: Queryable) => putBudget(db, clock, { owner, budget, actor });
      await (queryable.isTransaction ? work(queryable) : queryable.transaction().execute(work));
    },
  };
}

async function ownersWithBudgets(db: Queryable, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ key: string }>`
    select key from unnest(${keys}::text[]) as asked (key)
    where exists (select 1 from budget
      where tenant_id = split_part(key, ' ', 2) and environment = split_part(key, ' ', 1))`.execute(db);
  return new Map(rows.map(({ key }) => [key, key]));
}

async function putBudget(
  db: Queryable,
  clock: Clock,
  { owner, budget, actor }: { owner: SpendOwner; budget: Budget; actor: string },
): Promise<void> {
  // Changing and using a budget wait for each other here.
  const counter = budgetCounter(budget);
  const used = usedAmount(await lockCounters(db, owner, [counter]), counter);
  if (used > budget.amount) {
    const usedUsdc = formatDecimal(used);
    throw new Failure("conflict", {
      detail: `${usedUsdc} USDC of the budget ${budget.budgetId} are used or reserved. Set at least that much.`,
      extra: { usedUsdc },
    });
  }
  const { tenantId, environment } = owner;
  const { budgetId } = budget;
  const before = await db
    .selectFrom("budget")
    .selectAll()
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("budgetId", "=", budgetId)
    .executeTakeFirst();
  if (before === undefined) await requireFewEnough(db, owner);
  const values = { ...toColumns(budget), updatedBy: actor, updatedAt: clock.now().toString() };
  await db
    .insertInto("budget")
    .values({ tenantId, environment, budgetId, ...values })
    .onConflict((conflict) => conflict.columns(["tenantId", "environment", "budgetId"]).doUpdateSet(values))
    .execute();
  const { amount, ...rest } = budget;
  const details = {
    environment,
    before: before === undefined ? null : describeRow(before),
    after: { ...rest, amountMicroUsdc: amount.toString() },
  };
  await appendAudit(db, { tenantId, environment, actor, action: "budget.put", subjectId: budgetId, details }, clock);
}

async function requireFewEnough(db: Queryable, { tenantId, environment }: SpendOwner): Promise<void> {
  const { count } = await db
    .selectFrom("budget")
    .select(({ fn }) => fn.countAll<bigint>().as("count"))
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .executeTakeFirstOrThrow();
  if (count < MOST_BUDGETS) return;
  throw new Failure("conflict", {
    detail: `There are already ${MOST_BUDGETS} budgets, the maximum. Reuse the id of one that has ended.`,
  });
}

function toColumns({ amount, costCentre, keyIds, travelerIds, tripIds, startsOn, endsOn }: Budget) {
  const list = (ids: readonly string[] | undefined) => (ids === undefined ? null : [...ids]);
  return {
    amountMicro: amount,
    costCentre: costCentre ?? null,
    keyIds: list(keyIds),
    travelerIds: list(travelerIds),
    tripIds: list(tripIds),
    startsOn: startsOn ?? null,
    endsOn: endsOn ?? null,
  };
}

function describeRow({
  amountMicro,
  costCentre,
  keyIds,
  travelerIds,
  tripIds,
  startsOn,
  endsOn,
}: Selectable<BudgetTable>) {
  return { amountMicroUsdc: amountMicro.toString(), costCentre, keyIds, travelerIds, tripIds, startsOn, endsOn };
}
