import { type Kysely, sql } from "kysely";

/**
 * Events that tenants are told, and their delivery to endpoints. Triggers of other modules' tables call `tell_tenant`, in the
 * transaction that changes the resource.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table event_endpoint (
      id text primary key,
      tenant_id text not null references tenant (id),
      network text not null check (network in ('sandbox', 'production')),
      url text not null,
      description text not null default '',
      -- Empty: every type.
      types text[] not null default '{}',
      state text not null default 'on' check (state in ('on', 'off')),
      off_because text,
      -- Encrypted, as is the former one, which also signs until its end.
      secret text not null,
      former_secret text,
      former_until timestamptz,
      -- Deliveries that failed since the last one that succeeded.
      failures integer not null default 0,
      failing_since timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      check ((state = 'off') = (off_because is not null)),
      check ((former_secret is null) = (former_until is null))
    );
    create index event_endpoint_by_tenant on event_endpoint (tenant_id, network);

    create table tenant_event (
      id text primary key,
      position bigint generated always as identity,
      -- Its transaction: a reader in the order of positions alone would miss what commits later.
      transaction_number bigint not null default pg_current_xact_id()::text::bigint,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      type text not null,
      -- Events of a resource are delivered in their order.
      resource text not null,
      -- The same thing is told once.
      key text,
      data jsonb not null,
      at timestamptz not null,
      trace_id text
    );
    create index tenant_event_feed on tenant_event (tenant_id, network, transaction_number, position);
    create unique index tenant_event_key on tenant_event (tenant_id, network, type, key) where key is not null;
    create index tenant_event_by_age on tenant_event (at);

    create table event_delivery (
      endpoint_id text not null references event_endpoint (id) on delete cascade,
      event_id text not null references tenant_event (id) on delete cascade,
      position bigint not null,
      resource text not null,
      state text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
      attempts integer not null default 0,
      first_attempt_at timestamptz,
      last_attempt_at timestamptz,
      last_status integer,
      last_problem text,
      -- When it is due, or its lease ends; null: it has ended.
      next_at timestamptz,
      primary key (endpoint_id, event_id),
      check ((next_at is null) = (state <> 'waiting'))
    );
    create index event_delivery_due on event_delivery (next_at) where next_at is not null;
    create index event_delivery_order on event_delivery (endpoint_id, resource, position) where next_at is not null;
    create index event_delivery_list on event_delivery (endpoint_id, position);
    create index event_delivery_by_event on event_delivery (event_id);

    create function decimal_text(micro bigint) returns text immutable language sql as $$
      select micro / 1000000 || '.' || regexp_replace(lpad((micro % 1000000)::text, 6, '0'), '0{1,4}$', '')
    $$;

    -- The time is the transaction's. A key that was told before tells nothing.
    create function tell_tenant(
      told_tenant text, told_network text, told_type text, told_resource text, told_data jsonb,
      told_trace text default null, told_key text default null
    ) returns void language plpgsql as $$
    declare
      told tenant_event%rowtype;
    begin
      insert into tenant_event (id, tenant_id, network, type, resource, key, data, at, trace_id)
      values ('evt_' || replace(gen_random_uuid()::text, '-', ''), told_tenant, told_network, told_type, told_resource,
        told_key, jsonb_strip_nulls(told_data), now(), told_trace)
      on conflict do nothing
      returning * into told;
      if told.id is null then return; end if;
      insert into event_delivery (endpoint_id, event_id, position, resource, next_at)
      select endpoint.id, told.id, told.position, told.resource, now()
      from event_endpoint endpoint
      where endpoint.tenant_id = told_tenant and endpoint.network = told_network and endpoint.state = 'on'
        and (endpoint.types = '{}' or told_type = any (endpoint.types));
    end $$;

    create function tell_event_delivery() returns trigger language plpgsql as $$
    begin
      perform pg_notify('work_changed', 'event_delivery ' || work_time(new.next_at));
      return null;
    end $$;
    create trigger event_delivery_stored after insert on event_delivery for each row execute function tell_event_delivery();
  `.execute(db);
}
