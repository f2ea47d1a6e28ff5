import { type Kysely, sql } from "kysely";

/** Receipts of payments after the first receipt of an order, such as for a change of its flights. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table booking_invoice drop constraint booking_invoice_kind_check;
    -- addition: a further receipt of an order that has one. 'invoice' stays the only first document of a booking.
    alter table booking_invoice add constraint booking_invoice_kind_check check (kind in ('invoice', 'addition', 'credit_note'));

    create or replace function tell_invoice() returns trigger language plpgsql as $$
    begin
      perform tell_tenant(new.tenant_id, new.network, case new.kind when 'credit_note' then 'invoice.credited' else 'invoice.issued' end,
        'invoice:' || coalesce(new.order_id, new.booking_id),
        jsonb_build_object('invoiceNumber', new.invoice_number, 'bookingId', new.booking_id, 'orderId', new.order_id,
          'totalUsdc', (case when new.total_micro < 0 then '-' else '' end) || decimal_text(abs(new.total_micro))), new.trace_id);
      return null;
    end $$;
  `.execute(db);
}
