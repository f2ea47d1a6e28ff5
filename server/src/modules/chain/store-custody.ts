import { sql } from "kysely";
import type { Micro } from "../../domain/money.ts";
import type { Hex, TokenSymbol } from "../../domain/tokens.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "chain.custody": Custody;
  }
}

export interface Custody {
  /** The booked amounts of each wallet and of the escrows at that block, without postings of later blocks. */
  read(chain: ChainKey, token: TokenSymbol, atBlock: bigint): Promise<readonly BookedAmount[]>;
}

export interface BookedAmount {
  address: Hex;
  /** A tenant's further escrows have one account: the addresses of the others. */
  alsoAt: readonly Hex[];
  amount: Micro;
}

export function createCustody(db: Queryable): Custody {
  return { read: (chain, token, atBlock) => readCustody(db, chain, token, atBlock) };
}

async function readCustody(
  db: Queryable,
  { environment, chain }: ChainKey,
  token: TokenSymbol,
  atBlock: bigint,
): Promise<readonly BookedAmount[]> {
  // One statement, so that balances and later postings are from the same moment.
  const { rows } = await sql<{ address: Hex; alsoAt: Hex[]; amount: string }>`
    with account as (
      select id, balance_micro, tenant_id,
        case when kind = 'escrow' then kind when tenant_id is null then 'collection' else 'treasury' end as kind
      from ledger_account
      where network = ${environment} and chain = ${chain} and token = ${token}
        and kind not in ('external', 'in_flight', 'transfer_fee', 'gateway', 'gateway_reserved', 'gateway_withdrawing')
    ), holder as (
      select address, kind, tenant_id, array[]::text[] as also_at from wallet
      where network = ${environment} and chain = ${chain} and kind in ('treasury', 'collection')
      union all
      -- What moved until that block is in the books as the escrow's first balance (adopt-escrow.ts).
      select contracts->>'escrow', 'escrow', null, array[]::text[] from chain_network
      where network = ${environment} and chain = ${chain} and contracts->>'escrow' is not null
        and coalesce((contracts->>'escrowSince')::bigint, 0) <= ${atBlock.toString()}::bigint
      union all
      -- The account has the first balances of all of them, so all must be old enough.
      select min(address), 'escrow', tenant_id, (array_agg(address order by address))[2:] from further_escrow
      where network = ${environment} and chain = ${chain}
      group by tenant_id having max(since_block) <= ${atBlock.toString()}::bigint
    ), later as (
      select entry.account_id, sum(entry.amount_micro) as amount
      from ledger_transaction as posting join ledger_entry as entry on entry.transaction_id = posting.id
      where posting.block_number > ${atBlock.toString()}::bigint group by entry.account_id
    )
    select holder.address, holder.also_at as "alsoAt", coalesce(sum(account.balance_micro - coalesce(later.amount, 0)), 0)::text as amount
    from holder
      left join account on account.kind = holder.kind and account.tenant_id is not distinct from holder.tenant_id
      left join later on later.account_id = account.id
    group by holder.address, holder.also_at order by holder.address`.execute(db);
  return rows.map(({ amount, ...held }) => ({ ...held, amount: BigInt(amount) }));
}
