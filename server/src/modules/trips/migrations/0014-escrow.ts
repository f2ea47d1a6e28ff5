import { type Kysely, sql } from "kysely";

/** Trips and their bookings in escrow, the escrow's ledger account, and tenants' pricing policies. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table ledger_account
      drop constraint ledger_account_kind_check,
      drop constraint ledger_account_check,
      add check (kind in ('prefunded', 'held', 'outgoing', 'collection', 'collection_outgoing', 'escrow', 'external')),
      add check ((tenant_id is null) = (kind in ('collection', 'collection_outgoing', 'escrow', 'external')));

    create table trip (
      network text not null check (network in ('sandbox', 'production')),
      trip_id text not null,
      tenant_id text not null,
      user_id text not null,
      escrow text not null,
      funder text not null,
      state text not null default 'funding' check (state in ('funding', 'funded', 'closed', 'failed')),
      budget_micro bigint not null check (budget_micro > 0),
      free_micro bigint not null default 0 check (free_micro >= 0),
      held_micro bigint not null default 0 check (held_micro >= 0),
      promised_micro bigint not null default 0 check (promised_micro >= 0),
      vendor_paid_micro bigint not null default 0 check (vendor_paid_micro >= 0),
      markup_paid_micro bigint not null default 0 check (markup_paid_micro >= 0),
      service_fee_paid_micro bigint not null default 0 check (service_fee_paid_micro >= 0),
      action_fee_paid_micro bigint not null default 0 check (action_fee_paid_micro >= 0),
      refunded_micro bigint not null default 0 check (refunded_micro >= 0),
      expires_at timestamptz not null,
      code_nonce text not null,
      requires_code boolean not null,
      wrong_codes integer not null default 0,
      guest_wallet text,
      claimed_at timestamptz,
      pending jsonb,
      details jsonb not null,
      encrypted_guest_email text,
      mail text not null check (mail in ('none', 'pending', 'sent', 'failed')),
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (network, trip_id),
      check (promised_micro <= free_micro),
      check ((guest_wallet is null) = (claimed_at is null)),
      -- The second wall: every step moves money from one of these to another.
      check (state in ('funding', 'failed') or budget_micro = free_micro + held_micro + vendor_paid_micro
        + markup_paid_micro + service_fee_paid_micro + action_fee_paid_micro + refunded_micro)
    );
    create index trip_by_tenant on trip (tenant_id, network, created_at);
    create index trip_by_expiry on trip (network, expires_at) where state in ('funded', 'closed') and free_micro + held_micro > 0;
    create index trip_to_mail on trip (created_at) where mail = 'pending';

    create table escrow_booking (
      network text not null,
      tenant_id text not null,
      booking_id text not null,
      trip_id text not null,
      state text not null default 'reserving'
        check (state in ('reserving', 'reserved', 'committed', 'confirmed', 'settled', 'cancelled', 'failed')),
      pending jsonb,
      reserved_micro bigint not null check (reserved_micro > 0),
      vendor text,
      vendor_amount_micro bigint not null default 0 check (vendor_amount_micro >= 0),
      markup_micro bigint not null default 0 check (markup_micro >= 0),
      service_fee_micro bigint not null default 0 check (service_fee_micro >= 0),
      itinerary_hash text,
      ticket_hash text,
      details jsonb not null default '{}',
      vendor_paid_micro bigint not null default 0 check (vendor_paid_micro >= 0),
      fee_paid_micro bigint not null default 0 check (fee_paid_micro >= 0),
      refunded_micro bigint not null default 0 check (refunded_micro >= 0),
      waiting_micro bigint not null default 0 check (waiting_micro >= 0),
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (tenant_id, network, booking_id),
      foreign key (network, trip_id) references trip (network, trip_id),
      check (vendor_amount_micro + markup_micro + service_fee_micro <= reserved_micro),
      check (vendor_paid_micro + fee_paid_micro + refunded_micro in (0, reserved_micro)),
      check ((state in ('settled', 'cancelled')) = (vendor_paid_micro + fee_paid_micro + refunded_micro = reserved_micro))
    );
    create index escrow_booking_by_trip on escrow_booking (network, trip_id, created_at);

    -- The transaction of each step of a trip, and of its bookings.
    create table escrow_step (
      id bigint generated always as identity primary key,
      network text not null,
      trip_id text not null,
      -- Null: a step of the whole trip.
      booking_id text,
      step text not null,
      transaction_hash text not null,
      at timestamptz not null,
      foreign key (network, trip_id) references trip (network, trip_id)
    );
    create index escrow_step_by_trip on escrow_step (network, trip_id, id);

    create table agent_action (
      network text not null,
      action_id text not null,
      trip_id text not null,
      action_type text not null,
      fee_micro bigint not null check (fee_micro >= 0),
      transaction_hash text not null,
      at timestamptz not null,
      primary key (network, action_id),
      foreign key (network, trip_id) references trip (network, trip_id)
    );
    create index agent_action_by_trip on agent_action (network, trip_id, at);

    create table pricing_policy (
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      version integer not null check (version > 0),
      markup_bps integer not null check (markup_bps between 0 and 10000),
      floor_micro bigint not null check (floor_micro >= 0),
      ceiling_micro bigint,
      service_take_behavior text not null check (service_take_behavior in ('add_to_customer', 'deduct_from_markup')),
      activated_at timestamptz not null,
      activated_by text not null,
      primary key (tenant_id, network, version),
      check (ceiling_micro is null or ceiling_micro >= floor_micro)
    );
  `.execute(db);
}
