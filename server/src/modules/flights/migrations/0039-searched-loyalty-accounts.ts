import { type Kysely, sql } from "kysely";

/** The loyalty accounts given in a search, by passenger, sealed: booking one of its offers passes them to the supplier, too. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table private_offer add column loyalty_accounts text`.execute(db);
}
