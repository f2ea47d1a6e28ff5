import { type Kysely, sql } from "kysely";

/**
 * A tenant's USDC in the Gateway of a chain: `gateway` can be spent, `gateway_reserved` is in flight to another chain until the operator
 * has burned it, `gateway_withdrawing` waits for its block.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table ledger_account
      drop constraint ledger_account_kind_check,
      add check (kind in ('prefunded', 'held', 'outgoing', 'gateway', 'gateway_reserved', 'gateway_withdrawing', 'collection',
        'collection_outgoing', 'escrow', 'external'));
    alter table ledger_transaction
      drop constraint ledger_transaction_kind_check,
      add check (kind in ('deposit', 'hold', 'capture', 'release', 'send', 'take_back', 'refund', 'movement', 'adopt',
        'gateway_reserve', 'gateway_release'));
  `.execute(db);
}
