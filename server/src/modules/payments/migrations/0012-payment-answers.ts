import { type Kysely, sql } from "kysely";

/** Answers that were paid for, by how old they are: they are not kept for good. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index payment_answered on payment (updated_at) where state = 'settled' and result <> 'null'`.execute(
    db,
  );
}
