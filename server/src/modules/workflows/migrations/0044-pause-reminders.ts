import { type Kysely, sql } from "kysely";

/**
 * Everyone who can resolve a pause is reminded once before it expires: by the run's timeline, and by mail where there is an
 * address.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table workflow_pause
      -- Null: the pause began before there were reminders.
      add column remind_at timestamptz,
      add column reminded_at timestamptz;
    create index workflow_pause_to_remind on workflow_pause (remind_at) where resolved_at is null and reminded_at is null;

    create table pause_reminder (
      id text primary key,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      kind text not null default 'pause_reminder',
      session_id text not null references workflow_pause (session_id) on delete cascade,
      -- Whose address is read when the mail is sent; null: the guest of the run's trip.
      user_id text,
      state text not null default 'pending' check (state in ('pending', 'sent', 'failed')),
      failure_code text,
      worker_id text,
      worker_seen_at timestamptz,
      quiet_until timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null
    );
    create index pause_reminder_open on pause_reminder (created_at) where state not in ('sent', 'failed');
    create index pause_reminder_by_session on pause_reminder (session_id);
    create index pause_reminder_by_user on pause_reminder (tenant_id, network, user_id) where user_id is not null;
  `.execute(db);
}
