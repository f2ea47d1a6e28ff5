import { type Kysely, sql } from "kysely";

/** Passkeys that people sign in with, and the challenges that a browser answers once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table passkey (
      id text primary key,
      credential_id text not null unique check (length(credential_id) <= 2000),
      public_key text not null,
      counter bigint not null,
      transports text[] not null,
      name text not null check (length(name) between 1 and 100),
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      person_id text not null,
      -- As the session that added it: see sign_in_session.
      proves_address boolean not null,
      created_at timestamptz not null,
      used_at timestamptz,
      foreign key (tenant_id, network, person_id) references person (tenant_id, network, id) on delete cascade
    );
    create index passkey_by_person on passkey (tenant_id, network, person_id, created_at);

    create table passkey_challenge (
      challenge_hash text primary key,
      -- The browser's secret, and what the challenge is for.
      bound_hash text not null,
      expires_at timestamptz not null
    );
    create index passkey_challenge_by_end on passkey_challenge (expires_at);
  `.execute(db);
}
