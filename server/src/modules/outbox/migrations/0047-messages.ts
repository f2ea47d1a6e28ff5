import { type Kysely, sql } from "kysely";

/** Mails to a tenant's own people. Each is an effect of `modules/effects` and is sent once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table message (
      id text primary key,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      -- To whom.
      user_id text not null,
      kind text not null,
      -- What it is about, as a hash: the same person is written to about the same thing once.
      message_key text not null,
      state text not null check (state in ('intended', 'sending', 'sent', 'kept', 'failed')),
      -- Address, subject and text, encrypted. Null: it went, or never will.
      encrypted_mail text,
      attempts integer not null default 0,
      -- Nobody needs it any more from then on.
      expires_at timestamptz not null,
      failure_code text,
      worker_id text,
      worker_seen_at timestamptz,
      quiet_until timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      check ((state = 'failed') = (failure_code is not null)),
      check (state not in ('intended', 'sending') or encrypted_mail is not null)
    );
    create unique index message_live on message (tenant_id, network, message_key) where state <> 'failed';
    create index message_unfinished on message (created_at) where state not in ('sent', 'kept', 'failed');
    create index message_by_user on message (tenant_id, network, user_id);
    create index message_by_age on message (created_at);
  `.execute(db);
}
