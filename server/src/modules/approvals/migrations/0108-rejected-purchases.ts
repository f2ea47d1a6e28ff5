import { type Kysely, sql } from "kysely";

/** What a rejection says no to, by whichever call it is asked for; null: only the call itself, as of those that were asked for before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table approval add column rejection_hash text;
    create index approval_by_rejection on approval (tenant_id, network, rejection_hash) where state = 'rejected';
  `.execute(db);
}
