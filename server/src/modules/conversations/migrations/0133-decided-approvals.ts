import { type Kysely, sql } from "kysely";

/** Conversations hear of decided approvals, and know by an index which of their calls wait for one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create trigger approval_decided after update of state on approval for each row
      when (old.state = 'pending' and new.state <> 'pending') execute function tell_work('conversation_approval');
  `.execute(db);
}
