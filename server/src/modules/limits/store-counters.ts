import { type RawBuilder, sql } from "kysely";
import type { Micro } from "../../domain/money.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { CountedIn } from "./call-spends.ts";
import { type Counters, counterKey } from "./judge-spend.ts";
import type { SpendOwner } from "./spend-limits.ts";

interface CounterRow {
  account: string;
  period: string;
  used: Micro;
}

/** The tenant's own come first, as in every list of counters. */
const LOCK_ORDER = sql`account <> 'tenant', account, period`;

/** Locks the counters until the end of the transaction. */
export async function lockCounters(db: Queryable, owner: SpendOwner, counted: readonly CountedIn[]): Promise<Counters> {
  const locked = await selectLocked(db, owner, counted);
  if (locked.size === counted.length) return locked;
  await sql`
    insert into spend_counter (tenant_id, environment, account, period)
    select ${owner.tenantId}, ${owner.environment}, account, period from ${counterRows(counted)}
    order by ${LOCK_ORDER} on conflict do nothing`.execute(db);
  return await selectLocked(db, owner, counted);
}

export const readCounters = (db: Queryable, owner: SpendOwner, counted: readonly CountedIn[]): Promise<Counters> =>
  selectCounters(db, owner, counted, sql``);

const selectLocked = (db: Queryable, owner: SpendOwner, counted: readonly CountedIn[]): Promise<Counters> =>
  selectCounters(db, owner, counted, sql`order by ${LOCK_ORDER} for update`);

async function selectCounters(
  db: Queryable,
  { tenantId, environment }: SpendOwner,
  counted: readonly CountedIn[],
  ending: RawBuilder<unknown>,
): Promise<Counters> {
  const { rows } = await sql<CounterRow>`
    select account, period, used_micro as used from spend_counter
    where tenant_id = ${tenantId} and environment = ${environment}
      and (account, period) in (select account, period from ${counterRows(counted)})
    ${ending}`.execute(db);
  return new Map(rows.map((row) => [`${row.account} ${row.period}`, row.used]));
}

type CounterChange = CountedIn & { amount: Micro };

/** Requires locked counters. */
export async function addToCounters(
  db: Queryable,
  owner: SpendOwner,
  changes: readonly CounterChange[],
): Promise<void> {
  if (changes.some(({ amount }) => amount !== 0n)) await updateCounters(owner, changes).execute(db);
}

/** Requires locked counters. May be part of a larger statement. */
export function updateCounters(
  { tenantId, environment }: SpendOwner,
  changes: readonly CounterChange[],
): RawBuilder<unknown> {
  const real = changes.filter(({ amount }) => amount !== 0n);
  return sql`
    update spend_counter counter set used_micro = counter.used_micro + change.amount
    from unnest(
      ${real.map(({ account }) => account)}::text[], ${real.map(({ period }) => period)}::text[],
      ${real.map(({ amount }) => amount.toString())}::bigint[]
    ) as change (account, period, amount)
    where counter.tenant_id = ${tenantId} and counter.environment = ${environment}
      and counter.account = change.account and counter.period = change.period`;
}

/** The part of each that pending calls have reserved. */
export async function readReserved(
  db: Queryable,
  { tenantId, environment }: SpendOwner,
  counted: readonly CountedIn[],
): Promise<Counters> {
  const { rows } = await sql<CounterRow>`
    select line.account, line.period, sum(line.amount_micro)::bigint as used
    from call_spend spend join call_spend_line line using (tenant_id, environment, call_id)
    where spend.tenant_id = ${tenantId} and spend.environment = ${environment} and spend.state = 'reserved'
      and (line.account, line.period) in (select account, period from ${counterRows(counted)})
    group by line.account, line.period`.execute(db);
  return new Map(rows.map((row) => [`${row.account} ${row.period}`, row.used]));
}

function counterRows(counted: readonly CountedIn[]) {
  return sql`unnest(
    ${counted.map(({ account }) => account)}::text[], ${counted.map(({ period }) => period)}::text[]
  ) as wanted (account, period)`;
}

export function usedAmount(counters: Counters, counted: CountedIn): Micro {
  return counters.get(counterKey(counted)) ?? 0n;
}
