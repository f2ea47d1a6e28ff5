import { type Kysely, sql } from "kysely";

/** Tells tenants of events of their orders. Booking and holding are told by the booking itself. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_order_event() returns trigger language plpgsql as $$
    declare
      owner record;
      what text := case when new.kind = 'refunded' and new.details ->> 'reason' = 'paid_by_escrow' then 'reimbursed' else new.kind end;
    begin
      select tenant_id, case kind when 'stay' then 'stay' else 'flight' end as kind into owner
        from booking where network = new.network and order_id = new.order_id limit 1;
      if not found then return null; end if;
      perform tell_tenant(owner.tenant_id, new.network, 'order.' || what, 'order:' || new.order_id,
        jsonb_build_object('orderId', new.order_id, 'kind', owner.kind)
          || case what when 'ticketed' then '{}'::jsonb else jsonb_build_object('details', new.details) end,
        new.trace_id, case what when 'ticketed' then new.order_id end);
      return null;
    end $$;
    create trigger order_event_told after insert on order_event for each row
      when (new.kind in ('ticketed', 'changed', 'cancelled', 'lapsed', 'refunded', 'credit_issued', 'schedule_changed'))
      execute function tell_order_event();
  `.execute(db);
}
