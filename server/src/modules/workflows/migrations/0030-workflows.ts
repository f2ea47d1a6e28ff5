import { type Kysely, sql } from "kysely";

/** Runs of workflows: a row each, a journal of their steps, and their pauses. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table workflow_run (
      id text primary key,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      workflow_id text not null,
      -- Of the workflow that it began with.
      version integer not null,
      user_id text,
      -- Whose scopes and environment its calls have.
      key_id text not null,
      input jsonb not null,
      trip_id text,
      state text not null check (state in ('running', 'paused', 'completed', 'failed')),
      idempotency_key text,
      request_hash text not null,
      cancel_requested_by text,
      result jsonb,
      failure jsonb,
      trace_id text not null,
      worker_id text,
      worker_seen_at timestamptz,
      quiet_until timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      ended_at timestamptz
    );
    create unique index workflow_run_once on workflow_run (tenant_id, network, idempotency_key) where idempotency_key is not null;
    create index workflow_run_by_tenant on workflow_run (tenant_id, network, id);
    create index workflow_run_by_trip on workflow_run (tenant_id, network, trip_id) where trip_id is not null;
    create index workflow_run_open on workflow_run (created_at) where state = 'running';
    create index workflow_run_ended on workflow_run (ended_at) where ended_at is not null;

    create table workflow_step (
      run_id text not null references workflow_run (id) on delete cascade,
      step_id text not null,
      position integer not null,
      -- Null: a pause.
      tool text,
      state text not null check (state in ('running', 'waiting', 'done', 'failed')),
      attempt integer not null,
      outcome jsonb,
      meter_id text,
      price_micro bigint,
      started_at timestamptz not null,
      ended_at timestamptz,
      primary key (run_id, step_id)
    );

    create table workflow_pause (
      session_id text primary key,
      run_id text not null references workflow_run (id) on delete cascade,
      step_id text not null,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      reason text not null,
      decided_by text not null check (decided_by in ('caller', 'person', 'service')),
      expects jsonb not null,
      shown jsonb,
      event text,
      about text,
      on_timeout jsonb not null,
      expires_at timestamptz not null,
      resolution jsonb,
      resolved_by text,
      resolved_at timestamptz,
      created_at timestamptz not null,
      unique (run_id, step_id)
    );
    create index workflow_pause_by_event on workflow_pause (tenant_id, network, event, about) where resolved_at is null;
    create index workflow_pause_due on workflow_pause (expires_at) where resolved_at is null;

    -- What has happened that runs wait for, so that a pause that begins a moment later still hears of it.
    create table workflow_event (
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      event text not null,
      about text not null,
      resolution jsonb not null,
      at timestamptz not null,
      primary key (tenant_id, network, event, about)
    );
    create index workflow_event_by_age on workflow_event (at);

    create table internal_token (
      id text primary key,
      name text not null,
      token_hash text not null unique,
      start text not null,
      created_at timestamptz not null,
      rotated_at timestamptz,
      revoked_at timestamptz
    );

    -- A key of the tenant that nobody knows: what the token does for the tenant is done with it.
    create table internal_token_tenant (
      token_id text not null references internal_token (id),
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      key_id text not null,
      primary key (token_id, tenant_id)
    );
  `.execute(db);
}
