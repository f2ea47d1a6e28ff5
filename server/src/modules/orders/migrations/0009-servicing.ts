import { type Kysely, sql } from "kysely";

/** Cancellations and changes of orders, and the links of quotes that the supplier does not give. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table servicing_action (
      id text primary key,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      call_id text not null,
      kind text not null check (kind in ('flight_cancellation', 'flight_change', 'stay_cancellation')),
      subject_id text not null,
      booking_id text not null,
      order_id text not null,
      state text not null check (state in ('intended', 'paying', 'sent', 'done', 'failed')),
      payment_kind text check (payment_kind in ('balance', 'wallet')),
      payment_micro bigint check (payment_micro > 0),
      expected jsonb not null,
      result jsonb,
      failure_code text,
      worker_id text,
      worker_seen_at timestamptz,
      quiet_until timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      check ((payment_kind is null) = (payment_micro is null)),
      check (state <> 'paying' or payment_kind = 'wallet'),
      check ((state = 'done') = (result is not null)),
      check ((state = 'failed') = (failure_code is not null))
    );
    -- The natural identity: the same tenant confirms the same cancellation or change once.
    create unique index servicing_action_live on servicing_action (tenant_id, network, kind, subject_id)
      where state <> 'failed';
    create index servicing_action_unfinished on servicing_action (created_at) where state not in ('done', 'failed');
    create index servicing_action_by_order on servicing_action (network, order_id);

    create table change_offer (
      network text not null check (network in ('sandbox', 'production')),
      change_offer_id text not null,
      tenant_id text not null,
      order_id text not null,
      created_at timestamptz not null,
      primary key (network, change_offer_id)
    );
    create index change_offer_by_age on change_offer (created_at);

    create table stay_cancellation_quote (
      id text primary key,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      stay_id text not null,
      refund_amount text not null,
      refund_currency text not null,
      expires_at timestamptz,
      created_at timestamptz not null
    );
  `.execute(db);
}
