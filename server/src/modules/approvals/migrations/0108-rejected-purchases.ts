import { type Kysely, sql } from "kysely";

/** Matches a rejection to other calls for the same; null matches only the call itself, as in earlier rows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table approval add column rejection_hash text;
    create index approval_by_rejection on approval (tenant_id, network, rejection_hash) where state = 'rejected';
  `.execute(db);
}
