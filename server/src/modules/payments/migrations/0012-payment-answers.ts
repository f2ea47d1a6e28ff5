import { type Kysely, sql } from "kysely";

/** Paid answers by age: they are deleted after a while. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index payment_answered on payment (updated_at) where state = 'settled' and result <> 'null'`.execute(
    db,
  );
}
