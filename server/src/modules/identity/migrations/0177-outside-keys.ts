import { type Kysely, sql } from "kysely";

/**
 * Keys that an outside identity provider has issued have a row like every other key, so that limits, usage and runs name them.
 * `key_hash` is `outside:<its id there>` until the key is first used, as only its holder knows it. `outside_key_intent` is written
 * before a key is made there, and stays if its outcome is unknown.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table tenant add column organization_id text;
    create unique index tenant_by_organization on tenant (organization_id) where organization_id is not null;
    alter table api_key add column outside_id text, add column outside_ended_at timestamptz;
    create unique index api_key_by_outside_id on api_key (outside_id) where outside_id is not null;
    create index api_key_to_end_outside on api_key (expires_at)
      where outside_id is not null and outside_ended_at is null;
    create table outside_key_intent (
      key_id text primary key,
      tenant_id text not null references tenant (id),
      organization_id text not null,
      created_at timestamptz not null
    );
    create index outside_key_intent_by_tenant on outside_key_intent (tenant_id, created_at);
  `.execute(db);
}
