import { type Kysely, sql } from "kysely";

/** Sessions of people in browsers, and what they sign in with. Every secret is stored as a hash. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sign_in_session (
      id text primary key,
      token_hash text not null unique,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      person_id text not null,
      -- Whether the address was proved, which every membership of the address then follows from.
      proves_address boolean not null,
      created_at timestamptz not null,
      proved_at timestamptz not null,
      seen_at timestamptz not null,
      expires_at timestamptz not null,
      ended_at timestamptz,
      browser text not null check (length(browser) <= 300),
      address text not null,
      foreign key (tenant_id, network, person_id) references person (tenant_id, network, id) on delete cascade
    );
    create index sign_in_session_by_person on sign_in_session (tenant_id, network, person_id, created_at);
    create index sign_in_session_by_end on sign_in_session (expires_at);

    create table sign_in_link (
      id text primary key,
      token_hash text not null unique,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      person_id text not null,
      kind text not null check (kind in ('sign_in', 'invitation')),
      proves_address boolean not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      used_at timestamptz,
      foreign key (tenant_id, network, person_id) references person (tenant_id, network, id) on delete cascade
    );
    create index sign_in_link_by_person on sign_in_link (tenant_id, network, person_id, created_at);
    create index sign_in_link_by_end on sign_in_link (expires_at);

    -- A code belongs to an address and to the browser that asked for it.
    create table sign_in_code (
      id text primary key,
      visit_hash text not null,
      email text not null check (length(email) <= 254),
      code_hash text not null,
      tries integer not null default 0,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      used_at timestamptz
    );
    create index sign_in_code_by_visit on sign_in_code (visit_hash, created_at);
    create index sign_in_code_by_email on sign_in_code (email, created_at);
    create index sign_in_code_by_end on sign_in_code (expires_at);
  `.execute(db);
}
