import { type Kysely, sql } from "kysely";

/**
 * Accounts belong to a chain of an environment and are found by that, no longer by their id, which entries refer to and which stays
 * as it is. The reference of a movement names its chain, as the same signed transaction can be on several chains.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table ledger_account add column chain text;
    -- Accounts without a chain are those of a version before there was one. They are closed.
    update ledger_account set chain = coalesce(
      (select bound.chain from chain_network as bound where bound.network = ledger_account.network and bound.is_home), 'none');
    alter table ledger_account alter column chain set not null;
    drop index ledger_account_by_network;
    create unique index ledger_account_key on ledger_account (network, chain, token, kind, coalesce(tenant_id, ''));

    update ledger_transaction as posting
       set reference = 'movement:' || bound.network || ':' || bound.chain
         || substr(posting.reference, length('movement:' || bound.network) + 1)
      from chain_network as bound
     where posting.kind = 'movement' and bound.is_home
       and starts_with(posting.reference, 'movement:' || bound.network || ':');
  `.execute(db);
}
