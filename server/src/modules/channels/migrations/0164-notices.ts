import { type Kysely, sql } from "kysely";

/** Notices to people about their trips: who wants them where and when, and each notice once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table notice_preference (
      tenant_id text not null references tenant (id),
      network text not null check (network in ('sandbox', 'production')),
      user_id text not null,
      -- In the order in which they are tried.
      channels text[] not null,
      time_zone text not null,
      -- Local times, HH:MM. Null: never quiet.
      quiet_from text,
      quiet_until text,
      -- Kinds that the person does not want.
      muted text[] not null default '{}',
      updated_at timestamptz not null,
      primary key (tenant_id, network, user_id),
      check ((quiet_from is null) = (quiet_until is null))
    );

    create table notice (
      id text primary key,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      user_id text not null,
      kind text not null,
      -- The event of the tenant.
      about text not null,
      data jsonb not null,
      state text not null default 'waiting' check (state in ('waiting', 'sent', 'skipped')),
      channel text,
      reason text,
      attempts integer not null default 0,
      -- When it is due, or its lease ends; null: it has ended.
      next_at timestamptz,
      created_at timestamptz not null,
      unique (tenant_id, network, user_id, kind, about),
      check ((state = 'waiting') = (next_at is not null))
    );
    create index notice_due on notice (next_at) where next_at is not null;
    create index notice_by_age on notice (created_at);

    create function tell_notice_work() returns trigger language plpgsql as $$
    begin
      perform pg_notify('work_changed', 'notice ' || work_time(new.next_at));
      return null;
    end $$;
    create trigger notice_stored after insert on notice for each row execute function tell_notice_work();

    -- For the travelers of the order who have said where they want notices, in the transaction that tells the tenant.
    create function tell_notice() returns trigger language plpgsql as $$
    begin
      insert into notice (id, tenant_id, network, user_id, kind, about, data, next_at, created_at)
      select 'ntc_' || replace(gen_random_uuid()::text, '-', ''), new.tenant_id, new.network, preference.user_id, new.type,
        new.id, new.data, now(), now()
      from notice_preference preference
      where preference.tenant_id = new.tenant_id and preference.network = new.network and exists (
        select 1 from booking
        where booking.tenant_id = new.tenant_id and booking.network = new.network and booking.order_id = new.data->>'orderId'
          and (booking.user_id = preference.user_id
            or booking.travelers @> jsonb_build_array(jsonb_build_object('userId', preference.user_id))))
      on conflict do nothing;
      return null;
    end $$;
    create trigger tenant_event_noticed after insert on tenant_event for each row
      when (new.type in ('order.ticketed', 'order.schedule_changed', 'order.cancelled', 'invoice.issued', 'invoice.credited'))
      execute function tell_notice();
  `.execute(db);
}
