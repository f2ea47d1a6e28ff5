import { type Kysely, sql } from "kysely";

/**
 * A person's sessions act with a key of the person's own that no secret opens. A key that a browser asked for remembers the
 * request, so that asking again replaces the key that nobody saw.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table api_key add column kind text not null default 'key' check (kind in ('key', 'session')),
      add column mint_request text,
      add column replaces text;
    create unique index api_key_of_sessions on api_key (tenant_id, environment, person_id)
      where kind = 'session' and revoked_at is null;
    create unique index api_key_by_request on api_key (tenant_id, environment, mint_request)
      where mint_request is not null and revoked_at is null;
    create index person_by_address on person (lower(email)) where removed_at is null;
  `.execute(db);
}
