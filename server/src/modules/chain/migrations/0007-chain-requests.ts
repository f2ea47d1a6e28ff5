import { type Kysely, sql } from "kysely";

/** A caller that repeats a call with its idempotency key while the outcome is open gets the existing order. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table chain_transaction add column request_key text;
    create index chain_transaction_request on chain_transaction (network, tenant_id, request_key)
      where request_key is not null;
  `.execute(db);
}
