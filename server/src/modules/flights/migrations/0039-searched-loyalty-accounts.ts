import { type Kysely, sql } from "kysely";

/** The loyalty accounts that a search gave, by passenger, sealed: the booking of one of its offers gives them to the supplier, too. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table private_offer add column loyalty_accounts text`.execute(db);
}
