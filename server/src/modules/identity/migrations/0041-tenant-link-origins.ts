import { type Kysely, sql } from "kysely";

/** Allowed origins of a tenant's guest links in addition to those of the deployment. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tenant add column link_origins text[] not null default '{}'`.execute(db);
}
