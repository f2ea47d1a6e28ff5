import { type Kysely, sql } from "kysely";

/** The state of booked orders after the booking, and the supplier's events about them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table booking
      add column booked_at timestamptz,
      add column order_status text not null default 'confirmed' check (order_status in ('confirmed', 'cancelled')),
      -- What the order costs now, as changes move it; null: what it cost when it was booked.
      add column order_total_amount text,
      add column order_total_currency text,
      add column order_documents jsonb not null default '[]',
      -- Null: as it was booked.
      add column order_slices jsonb,
      add column order_schedule_changes jsonb not null default '[]',
      add column order_read_at timestamptz,
      -- When the supplier is asked about it again without being told to; null: never.
      add column order_check_at timestamptz;
    update booking set booked_at = updated_at, order_check_at = updated_at where state = 'booked';
    alter table booking add check ((state = 'booked') = (booked_at is not null));
    create index booking_by_order on booking (network, order_id) where state = 'booked';
    create index booking_to_check on booking (order_check_at) where order_check_at is not null;

    create table order_event (
      id bigint generated always as identity primary key,
      network text not null check (network in ('sandbox', 'production')),
      order_id text not null,
      kind text not null,
      -- Tells two events of one kind apart; what can happen once only has none.
      key text not null,
      source text not null check (source in ('call', 'webhook', 'reconciliation')),
      details jsonb not null,
      at timestamptz not null,
      unique (network, order_id, kind, key)
    );

    create table webhook_event (
      network text not null check (network in ('sandbox', 'production')),
      id text not null,
      type text not null,
      subject_id text,
      order_id text,
      booking_id text,
      created_at text,
      received_at timestamptz not null,
      attempts integer not null default 0,
      -- Nobody works on it before this.
      next_at timestamptz not null,
      last_reason text,
      finished_at timestamptz,
      outcome text,
      primary key (network, id),
      check ((finished_at is null) = (outcome is null))
    );
    create index webhook_event_waiting on webhook_event (network, next_at) where finished_at is null;
    create index webhook_event_finished on webhook_event (finished_at) where finished_at is not null;

    -- Where the supplier sends its events for this deployment, as far as the deployment registered that itself.
    create table webhook_endpoint (
      network text primary key check (network in ('sandbox', 'production')),
      endpoint_id text not null,
      url text not null,
      encrypted_secret text not null,
      updated_at timestamptz not null
    );
  `.execute(db);
}
