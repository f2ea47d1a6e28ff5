import { type Kysely, sql } from "kysely";

/** Matches an approval of a flight to the id of another offer; null matches none, as in earlier rows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table approval add column fare_hash text;
    create index approval_by_fare on approval (tenant_id, network, fare_hash) where state = 'approved';
  `.execute(db);
}
