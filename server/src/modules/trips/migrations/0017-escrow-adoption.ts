import { type Kysely, sql } from "kysely";

/** The escrow's balance when the ledger adopted it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table ledger_transaction
      drop constraint ledger_transaction_kind_check,
      add check (kind in ('deposit', 'hold', 'capture', 'release', 'send', 'take_back', 'refund', 'movement', 'adopt'))
  `.execute(db);
}
