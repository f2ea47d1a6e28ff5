import { type Kysely, sql } from "kysely";

/** A tenant's people with their permissions, and their own keys. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table person (
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      id text not null,
      name text not null check (length(name) between 1 and 100),
      email text not null check (length(email) between 3 and 254),
      roles text[] not null check (cardinality(roles) > 0),
      created_at timestamptz not null,
      removed_at timestamptz,
      primary key (tenant_id, network, id),
      foreign key (tenant_id, network, id) references app_user (tenant_id, network, id) on delete cascade
    );
    create unique index person_by_email on person (tenant_id, network, lower(email)) where removed_at is null;

    alter table api_key add column person_id text;
    create index api_key_by_person on api_key (tenant_id, person_id) where person_id is not null;
  `.execute(db);
}
