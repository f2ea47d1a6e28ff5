import { type Kysely, sql } from "kysely";

/** An operator who books a movement or resumes payments sees at once whether books and chain agree now, not with the next look. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create trigger chain_network_stopped after update of stopped_because on chain_network for each row
      when (old.stopped_because is not null) execute function tell_work('chain_network');
  `.execute(db);
}
