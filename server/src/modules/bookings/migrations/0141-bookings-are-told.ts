import { type Kysely, sql } from "kysely";

/** Tells tenants of bookings that are made, held or failed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_booking() returns trigger language plpgsql as $$
    declare
      about jsonb := jsonb_build_object('orderId', new.order_id, 'bookingId', new.id,
        'kind', case new.kind when 'stay' then 'stay' else 'flight' end, 'pnr', new.pnr, 'offerId', new.offer_id,
        'totalAmount', new.total_amount, 'totalCurrency', new.total_currency);
      ticketing text := coalesce(new.ticketing, new.result ->> 'ticketing');
      resource text := coalesce('order:' || new.order_id, 'booking:' || new.id);
    begin
      if new.state = 'failed' then
        perform tell_tenant(new.tenant_id, new.network, 'booking.failed', resource,
          about || jsonb_build_object('code', new.failure_code), new.trace_id);
      elsif new.state = 'on_hold' then
        perform tell_tenant(new.tenant_id, new.network, 'order.held', resource, about, new.trace_id);
      else
        perform tell_tenant(new.tenant_id, new.network, 'order.booked', resource,
          about || jsonb_build_object('ticketing', ticketing), new.trace_id);
        if ticketing = 'ticketed' then
          perform tell_tenant(new.tenant_id, new.network, 'order.ticketed', resource,
            jsonb_build_object('orderId', new.order_id, 'kind', case new.kind when 'stay' then 'stay' else 'flight' end),
            new.trace_id, new.order_id);
        end if;
      end if;
      return null;
    end $$;
    create trigger booking_told after update of state on booking for each row
      when (new.state is distinct from old.state and new.state in ('booked', 'on_hold', 'failed'))
      execute function tell_booking();
  `.execute(db);
}
