import { z } from "zod";
import type { Finding } from "../area.ts";
import type { Deployment } from "../deployment.ts";
import type { Transfer } from "./chain-view.ts";
import type { Sender } from "./operations.ts";

/** Compares limits and budgets with the money that has left the wallets on the chain. */

export interface LimitedTenant extends Sender {
  /** The highest amount ever allowed, in micro-USDC. */
  allowed: bigint;
}

const Amount = z.string().transform(BigInt);
const Counter = z.object({
  tenant_id: z.string(),
  account: z.string(),
  period: z.string(),
  used: Amount,
  /** The sum of the calls counted there, without those that gave it back. */
  calls: Amount,
  /** Null: nothing limits it. */
  most: Amount.nullable(),
});
const Reserved = z.object({ tenant_id: z.string(), count: Amount });

const COUNTERS = `
  select counter.tenant_id, counter.account, counter.period, counter.used_micro::text as used,
    (select coalesce(sum(line.amount_micro), 0)::text from call_spend_line line
      join call_spend spend using (tenant_id, environment, call_id)
      where spend.state <> 'released' and line.tenant_id = counter.tenant_id and line.environment = counter.environment
        and line.account = counter.account and line.period = counter.period) as calls,
    (case
      when counter.account like 'budget:%' then (select amount_micro from budget
        where budget.tenant_id = counter.tenant_id and budget.environment = counter.environment
          and 'budget:' || budget.budget_id = counter.account)
      when length(counter.period) = 7 then (select per_month_micro from spend_limit
        where spend_limit.tenant_id = counter.tenant_id and spend_limit.environment = counter.environment
          and spend_limit.key_id = case counter.account when 'tenant' then '' else substr(counter.account, 5) end)
    end)::text as most
  from spend_counter counter`;
const RESERVED = `select tenant_id, count(*)::text as count from call_spend where state = 'reserved' group by tenant_id`;

export interface LimitedBooks {
  tenants: readonly LimitedTenant[];
  counters: readonly z.infer<typeof Counter>[];
  reserved: readonly z.infer<typeof Reserved>[];
}

/** Counters and their bounds are read in one statement, from the same moment. */
export async function readLimited(deployment: Deployment, tenants: readonly LimitedTenant[]): Promise<LimitedBooks> {
  const counters = z.array(Counter).parse(await deployment.query(COUNTERS));
  return { tenants, counters, reserved: z.array(Reserved).parse(await deployment.query(RESERVED)) };
}

/** At any moment; the chain was read before the books. */
export function checkLimitsRunning(books: LimitedBooks, transfers: readonly Transfer[]): Finding[] {
  return [checkWithinBounds(books, transfers), checkCounters(books)];
}

export function checkLimitsSettled(books: LimitedBooks, transfers: readonly Transfer[]): Finding[] {
  const { tenants, reserved } = books;
  const problems = tenants.flatMap((tenant) => {
    const moved = movedBy(tenant, transfers);
    const month = tenantBooks(books, tenant).find(({ account, period }) => account === "tenant" && period.length === 7);
    const used = month?.used ?? 0n;
    return moved === used ? [] : [`${tenant.tenantId} has moved ${moved} and its limits have counted ${used}`];
  });
  for (const { tenant_id, count } of reserved) problems.push(`${count} calls of ${tenant_id} still reserve something`);
  return [
    ...checkLimitsRunning(books, transfers),
    {
      invariant: "what limits have counted is what left the wallets, and nothing stays reserved",
      checked: transfers.filter(({ from }) => tenants.some(({ treasury }) => treasury === from)).length,
      problems,
    },
  ];
}

/** By the chain, and by the counters. */
function checkWithinBounds(books: LimitedBooks, transfers: readonly Transfer[]): Finding {
  const problems: string[] = [];
  let checked = 0;
  for (const tenant of books.tenants) {
    const moved = movedBy(tenant, transfers);
    checked += 1;
    if (moved > tenant.allowed) {
      problems.push(`${tenant.tenantId} was allowed ${tenant.allowed}, and ${moved} has left its wallet`);
    }
    for (const { account, period, used, most } of tenantBooks(books, tenant)) {
      if (most === null) continue;
      checked += 1;
      if (used > most) problems.push(`${tenant.tenantId} ${account} ${period} has used ${used} of ${most}`);
    }
  }
  return { invariant: "no limit and no budget is ever passed", checked, problems };
}

/** Also of tenants without a limit: everything is counted. */
function checkCounters({ counters }: LimitedBooks): Finding {
  const problems = counters.flatMap(({ tenant_id, account, period, used, calls }) =>
    used === calls ? [] : [`${tenant_id} ${account} ${period} says ${used}, its calls sum to ${calls}`],
  );
  return { invariant: "every counter of spending is what its calls sum to", checked: counters.length, problems };
}

function tenantBooks({ counters }: LimitedBooks, { tenantId }: LimitedTenant) {
  return counters.filter(({ tenant_id }) => tenant_id === tenantId);
}

/** These tenants send nothing but USDC, and nobody pays out of their wallets for anything else. */
function movedBy({ treasury }: LimitedTenant, transfers: readonly Transfer[]): bigint {
  return transfers.reduce((sum, { from, amount }) => (from === treasury ? sum + amount : sum), 0n);
}
