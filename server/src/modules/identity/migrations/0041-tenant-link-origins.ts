import { type Kysely, sql } from "kysely";

/** Where a tenant's guest links may lead besides the origins of the deployment. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tenant add column link_origins text[] not null default '{}'`.execute(db);
}
