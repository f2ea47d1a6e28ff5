import { sql } from "kysely";
import type { Micro } from "../../../domain/money.ts";
import type { TokenSymbol } from "../../../domain/tokens.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import type { Environment } from "../../../ports/identity.ts";

export interface WalletBalance {
  /** CAIP-2. */
  chain: string;
  token: TokenSymbol;
  amount: Micro;
}

/**
 * The books of a tenant's wallets right after a movement: money that was on its way out has left, held money has not. One
 * statement, so that a movement that is stored meanwhile changes nothing. Quick only for one of the newest movements.
 */
export async function readBalancesAfter(
  db: Queryable,
  tenantId: string,
  { environment, chains }: { environment: Environment; chains: readonly string[] },
  movementId: string,
): Promise<readonly WalletBalance[]> {
  const { rows } = await sql<WalletBalance>`
    select account.chain, account.token, (sum(account.balance_micro) - coalesce(sum(later.total), 0))::bigint as amount
    from ledger_account as account cross join lateral (
      select sum(entry.amount_micro) as total from ledger_entry as entry
      where entry.account_id = account.id and entry.transaction_id > ${movementId}::bigint
    ) as later
    where account.network = ${environment} and account.chain = any (${chains}::text[])
      and account.kind in ('prefunded', 'held') and account.tenant_id = ${tenantId}
    group by account.chain, account.token order by account.chain, account.token`.execute(db);
  return rows;
}
