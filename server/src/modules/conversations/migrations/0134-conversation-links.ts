import { type Kysely, sql } from "kysely";

/** The identities by which a traveler is known in conversations, and the codes that join them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table conversation_link (
      id text primary key,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      kind text not null check (kind in ('key', 'email')),
      -- svc:<keyId>, or an address in lower case that was proved.
      subject text not null,
      user_id text not null,
      created_at timestamptz not null,
      unique (tenant_id, network, kind, subject)
    );
    create index conversation_link_by_user on conversation_link (tenant_id, network, user_id);

    create table conversation_link_code (
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      code_hash text not null,
      user_id text not null,
      -- Set: the code was mailed there, and proves the address.
      email text,
      expires_at timestamptz not null,
      primary key (tenant_id, network, code_hash)
    );
    create index conversation_link_code_by_end on conversation_link_code (expires_at);

    -- Attempts to use a code, by who tries.
    create table conversation_link_attempt (
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      owner_id text not null,
      attempts integer not null,
      since timestamptz not null,
      primary key (tenant_id, network, owner_id)
    );
    create index conversation_link_attempt_by_age on conversation_link_attempt (since);
  `.execute(db);
}
