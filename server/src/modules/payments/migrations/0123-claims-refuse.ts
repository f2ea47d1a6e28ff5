import { type Kysely, sql } from "kysely";

/** Lets the statement that writes claims refuse them: an error of its own undoes all that it has written. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function refuse_claim(reason text) returns boolean language plpgsql as $$
    begin
      raise exception using errcode = 'WF001', message = reason;
    end $$;
  `.execute(db);
}
