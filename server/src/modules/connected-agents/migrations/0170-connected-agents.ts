import { type Kysely, sql } from "kysely";

/**
 * Agents that people have connected, and the rows of the authorization server. A row is found by the hash of its id, which is a
 * token, and what it says is encrypted.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table connected_agent (
      id text primary key,
      key_id text not null unique,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      person_id text not null,
      client_id text not null check (length(client_id) <= 2000),
      client_name text not null check (length(client_name) <= 100),
      -- The host that vouches for the name.
      client_host text,
      resource text not null,
      created_at timestamptz not null,
      seen_at timestamptz,
      ended_at timestamptz,
      foreign key (tenant_id, network, person_id) references person (tenant_id, network, id) on delete cascade
    );
    create index connected_agent_by_person on connected_agent (tenant_id, network, person_id, created_at);
    create index connected_agent_by_client on connected_agent (client_id);

    create table authorization_row (
      model text not null,
      id_hash text not null,
      -- The connection that it belongs to, once a person has allowed it.
      key_id text references connected_agent (key_id) on delete cascade,
      -- Of an access token: the endpoint that it opens.
      audience text,
      payload text not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      consumed_at timestamptz,
      primary key (model, id_hash)
    );
    create index authorization_row_by_key on authorization_row (key_id) where key_id is not null;
    create index authorization_row_by_end on authorization_row (expires_at);

    create table authorization_client (
      id text primary key,
      metadata jsonb not null,
      created_at timestamptz not null
    );
    create index authorization_client_by_age on authorization_client (created_at);
  `.execute(db);
}
