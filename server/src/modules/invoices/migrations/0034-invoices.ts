import { type Kysely, sql } from "kysely";

/** Invoices of bookings in escrow and their credit notes, the parties they name, and the numbers of each series. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table invoicing_settings (
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      settings jsonb not null,
      updated_at timestamptz not null,
      updated_by text not null,
      primary key (tenant_id, network)
    );

    -- The row is locked from the number that it gives until the document is stored with it.
    create table invoice_series (
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      series text not null,
      last_number integer not null default 0 check (last_number >= 0),
      primary key (tenant_id, network, series)
    );

    create table booking_invoice (
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      invoice_number text not null,
      series text not null,
      number integer not null check (number > 0),
      kind text not null check (kind in ('invoice', 'credit_note')),
      booking_id text not null,
      -- Null: no order of ours stands behind the booking.
      order_id text,
      total_micro bigint not null check (total_micro >= 0),
      document jsonb not null,
      -- As it was drawn first, so that what was filed and what is read later are the same.
      pdf bytea,
      characters_not_shown text not null default '',
      issued_at timestamptz not null,
      primary key (tenant_id, network, invoice_number),
      unique (tenant_id, network, series, number)
    );
    create unique index booking_invoice_once on booking_invoice (tenant_id, network, booking_id) where kind = 'invoice';
    create index booking_invoice_by_booking on booking_invoice (tenant_id, network, booking_id);
    create index booking_invoice_by_order on booking_invoice (network, order_id) where kind = 'invoice';
    create index order_event_refunded on order_event (at) where kind = 'refunded';
  `.execute(db);
}
