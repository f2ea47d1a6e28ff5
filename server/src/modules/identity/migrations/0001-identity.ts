import { type Kysely, sql } from "kysely";

/** Tenants, keys, users, traveler profiles and the audit log. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table tenant (
      id text primary key,
      name text not null check (length(name) between 1 and 100),
      plan text not null check (plan in ('free', 'pro', 'enterprise')),
      monthly_cap_micro bigint not null check (monthly_cap_micro >= 0),
      is_demo boolean not null default false,
      signing_secret text not null,
      signing_secret_revealed_at timestamptz,
      created_at timestamptz not null
    );
    -- Processes that start together on an empty database must not each make a demo tenant.
    create unique index tenant_one_demo on tenant (is_demo) where is_demo;

    create table api_key (
      id text primary key,
      tenant_id text not null references tenant (id),
      name text not null,
      key_hash text not null unique,
      start text not null,
      scopes text[] not null,
      environment text not null check (environment in ('sandbox', 'production')),
      created_at timestamptz not null,
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz
    );
    create index api_key_by_tenant on api_key (tenant_id, created_at);

    create table app_user (
      tenant_id text not null references tenant (id),
      id text not null check (length(id) between 1 and 128),
      created_at timestamptz not null,
      primary key (tenant_id, id)
    );

    create table traveler_profile (
      tenant_id text not null,
      user_id text not null,
      profile jsonb not null,
      updated_at timestamptz not null,
      primary key (tenant_id, user_id),
      foreign key (tenant_id, user_id) references app_user (tenant_id, id)
    );

    create table traveler_customer (
      tenant_id text not null,
      user_id text not null,
      network text not null,
      customer_user_id text not null,
      created_at timestamptz not null,
      primary key (tenant_id, user_id, network),
      unique (tenant_id, network, customer_user_id),
      foreign key (tenant_id, user_id) references app_user (tenant_id, id)
    );

    -- No reference to tenant: a line outlives what it tells of.
    create table audit_log (
      id bigint generated always as identity primary key,
      at timestamptz not null,
      tenant_id text,
      actor text not null,
      action text not null,
      subject_id text,
      details jsonb not null default '{}'
    );
    create index audit_log_by_tenant on audit_log (tenant_id, id);
  `.execute(db);

  await sql`
    create function refuse_audit_change() returns trigger language plpgsql as $$
    begin
      raise exception 'audit_log is append-only';
    end $$;
    create trigger audit_log_append_only before update or delete or truncate on audit_log
      for each statement execute function refuse_audit_change();

    -- Whoever caches what a key proves listens here. last_used_at is left out: it changes all the time and proves nothing.
    create function notify_api_key_changed() returns trigger language plpgsql as $$
    begin
      perform pg_notify('identity_changed', 'key:' || old.key_hash);
      return null;
    end $$;
    create trigger api_key_changed after update on api_key for each row
      when ((old.key_hash, old.tenant_id, old.scopes, old.environment, old.expires_at, old.revoked_at)
        is distinct from (new.key_hash, new.tenant_id, new.scopes, new.environment, new.expires_at, new.revoked_at))
      execute function notify_api_key_changed();
    create trigger api_key_deleted after delete on api_key for each row execute function notify_api_key_changed();

    create function notify_tenant_changed() returns trigger language plpgsql as $$
    begin
      perform pg_notify('identity_changed', 'tenant:' || old.id);
      return null;
    end $$;
    create trigger tenant_changed after update on tenant for each row
      when ((old.plan, old.monthly_cap_micro, old.is_demo, old.signing_secret)
        is distinct from (new.plan, new.monthly_cap_micro, new.is_demo, new.signing_secret))
      execute function notify_tenant_changed();
  `.execute(db);
}
