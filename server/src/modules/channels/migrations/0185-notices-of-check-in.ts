import { type Kysely, sql } from "kysely";

/** Travelers who want notices are told before each flight that check-in opens. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function tell_notice() returns trigger language plpgsql as $$
    declare
      moved integer;
    begin
      -- A notice of check-in waits for its time, and finds it in the order then.
      insert into notice (id, tenant_id, network, user_id, kind, about, data, next_at, created_at)
      select 'ntc_' || replace(gen_random_uuid()::text, '-', ''), new.tenant_id, new.network, preference.user_id, told.kind,
        told.about, told.data, now(), now()
      from notice_preference preference cross join lateral (
        select new.type as kind, new.id as about, new.data as data
        union all
        select 'checkin.opens', new.data->>'orderId', jsonb_build_object('orderId', new.data->>'orderId')
        where new.type = 'order.ticketed' and new.data->>'orderId' is not null) told
      where preference.tenant_id = new.tenant_id and preference.network = new.network and exists (
        select 1 from booking
        where booking.tenant_id = new.tenant_id and booking.network = new.network and booking.order_id = new.data->>'orderId'
          and (booking.user_id = preference.user_id
            or booking.travelers @> jsonb_build_array(jsonb_build_object('userId', preference.user_id))))
      on conflict do nothing;
      if new.type = 'order.schedule_changed' then
        update notice set next_at = now()
        where tenant_id = new.tenant_id and network = new.network and kind = 'checkin.opens'
          and about = new.data->>'orderId' and state = 'waiting';
        get diagnostics moved = row_count;
        if moved > 0 then perform pg_notify('work_changed', 'notice ' || work_time(now())); end if;
      end if;
      return null;
    end $$;
    create index notice_by_about on notice (tenant_id, network, about) where state = 'waiting';
  `.execute(db);
}
