import { type Kysely, sql } from "kysely";

/** E-mail as a channel: threads, and which mails were seen already. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table channel drop constraint channel_kind_check,
      add constraint channel_kind_check check (kind in ('slack', 'whatsapp', 'email'));

    -- What answers to a mail need: of each mail that was handled, and of each answer on a page that a mail had a link to.
    create table email_thread (
      network text not null check (network in ('sandbox', 'production')),
      channel_id text not null references channel (id) on delete cascade,
      -- The event of the channel, without the channel's id.
      event_id text not null,
      tenant_id text not null,
      address text not null,
      conversation_id text,
      turn_id text,
      -- Message-ID, the ids before it, and the subject.
      encrypted_thread text not null,
      created_at timestamptz not null,
      primary key (network, channel_id, event_id)
    );
    create index email_thread_by_turn on email_thread (turn_id) where turn_id is not null;
    create index email_thread_by_conversation on email_thread (conversation_id) where conversation_id is not null;
    create index email_thread_by_age on email_thread (created_at);

    -- Hashes of Message-IDs and of contents: the same mail counts once, on whichever way it comes.
    create table email_seen (
      network text not null check (network in ('sandbox', 'production')),
      channel_id text not null references channel (id) on delete cascade,
      hash text not null,
      seen_at timestamptz not null,
      primary key (network, channel_id, hash)
    );
    create index email_seen_by_age on email_seen (seen_at);

    -- Mails as they came. They go when they are handled.
    create table email_mail (
      network text not null check (network in ('sandbox', 'production')),
      channel_id text not null references channel (id) on delete cascade,
      event_id text not null,
      tenant_id text not null,
      encrypted_mail text not null,
      primary key (network, channel_id, event_id)
    );

    alter table channel_event drop constraint channel_event_source_check,
      add constraint channel_event_source_check check (source in ('chat', 'turn', 'approval', 'mail'));

    create or replace function tell_channel_turn() returns trigger language plpgsql as $$
    begin
      insert into channel_event (network, id, tenant_id, source, thread, about, received_at, next_at)
      select new.network, 'turn:' || new.id, new.tenant_id, 'turn', 'conversation:' || new.conversation_id, new.id, now(), now()
      where exists (select 1 from channel_person where conversation_id = new.conversation_id)
        or exists (select 1 from email_thread where conversation_id = new.conversation_id)
      on conflict do nothing;
      return null;
    end $$;
    drop trigger conversation_turn_told_to_channel on conversation_turn;
    -- An answer on a page that a mail had a link to is said on the web, and belongs to the mail's channel.
    create trigger conversation_turn_told_to_channel after update of state on conversation_turn for each row
      when (new.state = 'ended' and old.state <> 'ended'
        and (new.channel in ('slack', 'whatsapp', 'email') or new.idempotency_key like 'channel:%'))
      execute function tell_channel_turn();

    -- True: known by nothing but a new code.
    alter table channel_person add column is_unlinked boolean not null default false;

    -- The key with which somebody proved that an address is theirs: whose scopes and limits their mails have.
    alter table conversation_link add column key_id text;
  `.execute(db);
}
