import { type Kysely, sql } from "kysely";

/** What an approval of a flight lets through under the id of another offer; null: nothing, as of those that were asked for before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table approval add column fare_hash text;
    create index approval_by_fare on approval (tenant_id, network, fare_hash) where state = 'approved';
  `.execute(db);
}
