import { type Kysely, sql } from "kysely";

/** Adds to the ledger tokens, money leaving a wallet, and the chain event of a posting. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql`select 1 from ledger_account where kind = 'held' and balance_micro <> 0`.execute(db);
  if (rows.length > 0) {
    throw new Error(
      "Bookings of a version without a chain are still open. Start that version until they are decided, then this one.",
    );
  }
  // Balances of that version were never on a chain. They return to their origin; tenants get real tokens instead.
  await sql`
    with closing as (
      insert into ledger_transaction (reference, kind, created_at)
      select 'before-the-chain:' || id, 'deposit', now() from ledger_account where kind <> 'funding' and balance_micro <> 0
      returning id, substr(reference, length('before-the-chain:') + 1) as account_id
    ), moves as (
      select closing.id as transaction_id, account.id as account_id, account.network, account.balance_micro as amount
      from closing join ledger_account account on account.id = closing.account_id
    )
    insert into ledger_entry (transaction_id, account_id, amount_micro)
    select transaction_id, account_id, -amount from moves
    union all select transaction_id, network || ':funding', amount from moves`.execute(db);
  await sql`
    update ledger_account set balance_micro =
      coalesce((select sum(amount_micro) from ledger_entry where account_id = ledger_account.id), 0)`.execute(db);

  await sql`
    alter table ledger_account
      drop constraint ledger_account_kind_check,
      drop constraint ledger_account_check,
      drop constraint ledger_account_check1,
      add column token text not null default 'USDC' check (token in ('USDC', 'EURC'));
    alter table ledger_account alter column token drop default;
    alter table ledger_entry drop constraint ledger_entry_account_id_fkey;
    update ledger_entry set account_id = replace(regexp_replace(account_id, '^([^:]+):', '\\1:USDC:'), ':funding', ':external');
    update ledger_account set
      id = replace(regexp_replace(id, '^([^:]+):', '\\1:USDC:'), ':funding', ':external'),
      kind = case kind when 'funding' then 'external' else kind end;
    alter table ledger_entry add foreign key (account_id) references ledger_account (id);
    alter table ledger_account
      add check (kind in ('prefunded', 'held', 'outgoing', 'collection', 'collection_outgoing', 'external')),
      add check ((tenant_id is null) = (kind in ('collection', 'collection_outgoing', 'external'))),
      -- The second wall: the posting statements refuse an overdraft themselves.
      add check (balance_micro >= 0 or kind = 'external');
    create index ledger_account_by_network on ledger_account (network, token);

    alter table ledger_transaction
      drop constraint ledger_transaction_kind_check,
      add check (kind in ('deposit', 'hold', 'capture', 'release', 'send', 'take_back', 'refund', 'movement')),
      add column transaction_hash text,
      add column log_index integer,
      add column block_number bigint,
      add check ((kind = 'movement') = (block_number is not null)),
      add check ((transaction_hash is null) = (block_number is null) and (log_index is null) = (block_number is null));
    create index ledger_transaction_by_block on ledger_transaction (block_number) where block_number is not null;

    alter table usage_record add column settlement_id text;
    create index usage_record_unsettled on usage_record (tenant_id, id)
      where status = 'unsettled' and settlement_id is null;
    create index usage_record_settlement on usage_record (settlement_id) where settlement_id is not null;
  `.execute(db);
}
