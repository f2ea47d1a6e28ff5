import { type Kysely, sql } from "kysely";

/** Tells tenants of invoices and credit notes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_invoice() returns trigger language plpgsql as $$
    begin
      perform tell_tenant(new.tenant_id, new.network, case new.kind when 'invoice' then 'invoice.issued' else 'invoice.credited' end,
        'invoice:' || coalesce(new.order_id, new.booking_id),
        jsonb_build_object('invoiceNumber', new.invoice_number, 'bookingId', new.booking_id, 'orderId', new.order_id,
          'totalUsdc', (case when new.total_micro < 0 then '-' else '' end) || decimal_text(abs(new.total_micro))), new.trace_id);
      return null;
    end $$;
    create trigger booking_invoice_told after insert on booking_invoice for each row execute function tell_invoice();
  `.execute(db);
}
