import { type Kysely, sql } from "kysely";

/**
 * An agent that a person has connected acts with a key of the person's own that no secret opens. The key remembers what the
 * person allowed, as its scopes follow the person's roles.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table api_key drop constraint api_key_kind_check;
    alter table api_key add constraint api_key_kind_check check (kind in ('key', 'session', 'grant')),
      add column granted_scopes text[];
    create index api_key_of_grants on api_key (tenant_id, environment, person_id)
      where kind = 'grant' and revoked_at is null;
  `.execute(db);
}
