import { type Kysely, sql } from "kysely";

/**
 * Chat channels of tenants, who is known in them, what arrives and what leaves. Triggers of turns and approvals store what is to be
 * told, in the transaction that ends the turn or changes the approval.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table channel (
      id text primary key,
      tenant_id text not null references tenant (id),
      network text not null check (network in ('sandbox', 'production')),
      kind text not null check (kind in ('slack', 'whatsapp')),
      name text not null,
      state text not null check (state in ('to_install', 'on', 'off')),
      off_because text,
      -- It speaks with the carrier simulator.
      is_simulated boolean not null,
      -- A Slack workspace or organisation, or a phone number's id. Null: it is not known yet.
      account_id text,
      encrypted_secrets text not null,
      settings jsonb not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      check ((state = 'off') = (off_because is not null))
    );
    create index channel_by_tenant on channel (tenant_id, network);
    create unique index channel_account on channel (network, kind, account_id) where account_id is not null;

    -- Everybody who wrote.
    create table channel_person (
      id text primary key,
      channel_id text not null references channel (id) on delete cascade,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      -- The person's id in the chat system.
      external_id text not null,
      -- Where the person alone reads.
      address text,
      -- Null: the person has not proved who they are.
      user_id text,
      -- The key that issued the code: whose scopes and limits the person's messages have.
      key_id text,
      conversation_id text,
      last_message_at timestamptz,
      created_at timestamptz not null,
      unique (network, channel_id, external_id),
      check ((user_id is null) = (key_id is null))
    );
    create index channel_person_by_user on channel_person (tenant_id, network, user_id) where user_id is not null;
    create index channel_person_by_conversation on channel_person (conversation_id) where conversation_id is not null;

    -- The inbox: what chat systems told us, ended turns, and approvals.
    create table channel_event (
      network text not null check (network in ('sandbox', 'production')),
      id text not null,
      tenant_id text not null,
      source text not null check (source in ('chat', 'turn', 'approval')),
      channel_id text references channel (id) on delete cascade,
      -- What is handled in order: a sender in a channel, a conversation, an approval.
      thread text not null,
      -- The turn or the approval.
      about text,
      encrypted_event text,
      received_at timestamptz not null,
      next_at timestamptz not null,
      attempts integer not null default 0,
      finished_at timestamptz,
      outcome text,
      last_reason text,
      primary key (network, id)
    );
    create index channel_event_due on channel_event (next_at) where finished_at is null;
    create index channel_event_order on channel_event (network, thread, received_at, id) where finished_at is null;
    create index channel_event_by_age on channel_event (finished_at) where finished_at is not null;

    -- The outbox: how each message should look, and what of it is known to be shown.
    create table channel_message (
      id text primary key,
      position bigint generated always as identity,
      channel_id text not null references channel (id) on delete cascade,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      address text not null,
      kind text not null,
      -- The turn or the approval.
      about text not null,
      encrypted_content text not null,
      -- Counts changes of the content.
      version integer not null default 1,
      shown_version integer not null default 0,
      -- The chat system's id.
      external_id text,
      state text not null default 'waiting' check (state in ('waiting', 'sent', 'delivered', 'read', 'failed')),
      attempts integer not null default 0,
      -- Since when an attempt may have had an effect that nobody knows of.
      unsure_since timestamptz,
      is_template boolean not null default false,
      -- When it is due, or its lease ends; null: nothing is to be done.
      next_at timestamptz,
      give_up_at timestamptz not null,
      last_problem text,
      created_at timestamptz not null,
      sent_at timestamptz,
      trace_id text,
      unique (network, channel_id, address, kind, about)
    );
    create index channel_message_due on channel_message (next_at) where next_at is not null;
    create index channel_message_order on channel_message (channel_id, address, position) where next_at is not null;
    create index channel_message_by_about on channel_message (tenant_id, network, about);
    create index channel_message_by_external on channel_message (channel_id, external_id) where external_id is not null;
    create index channel_message_by_age on channel_message (created_at);

    -- What a button means. Its token says nothing by itself.
    create table channel_button (
      network text not null check (network in ('sandbox', 'production')),
      token_hash text not null,
      tenant_id text not null,
      message_id text not null references channel_message (id) on delete cascade,
      means text not null check (means in ('approve', 'reject', 'say')),
      said text,
      primary key (network, token_hash)
    );
    create index channel_button_by_message on channel_button (message_id);

    create table channel_code (
      network text not null check (network in ('sandbox', 'production')),
      tenant_id text not null,
      channel_id text not null references channel (id) on delete cascade,
      code_hash text not null,
      user_id text not null,
      key_id text not null,
      expires_at timestamptz not null,
      primary key (network, channel_id, code_hash)
    );
    create index channel_code_by_end on channel_code (expires_at);

    create function tell_channel_work() returns trigger language plpgsql as $$
    begin
      perform pg_notify('work_changed', tg_table_name || ' ' || work_time(new.next_at));
      return null;
    end $$;
    create trigger channel_event_stored after insert on channel_event for each row execute function tell_channel_work();
    create trigger channel_message_stored after insert on channel_message for each row execute function tell_channel_work();
    create trigger channel_message_changed after update of version on channel_message for each row
      when (new.next_at is not null) execute function tell_channel_work();

    create function tell_channel_turn() returns trigger language plpgsql as $$
    begin
      insert into channel_event (network, id, tenant_id, source, thread, about, received_at, next_at)
      select new.network, 'turn:' || new.id, new.tenant_id, 'turn', 'conversation:' || new.conversation_id, new.id, now(), now()
      where exists (select 1 from channel_person where conversation_id = new.conversation_id)
      on conflict do nothing;
      return null;
    end $$;
    create trigger conversation_turn_told_to_channel after update of state on conversation_turn for each row
      when (new.state = 'ended' and old.state <> 'ended' and new.channel in ('slack', 'whatsapp'))
      execute function tell_channel_turn();

    create function tell_channel_approval() returns trigger language plpgsql as $$
    begin
      insert into channel_event (network, id, tenant_id, source, thread, about, received_at, next_at)
      select new.network, 'approval:' || new.id || ':' || new.state, new.tenant_id, 'approval', 'approval:' || new.id, new.id,
        now(), now()
      where exists (
        select 1 from channel where tenant_id = new.tenant_id and network = new.network and state = 'on')
      on conflict do nothing;
      return null;
    end $$;
    create trigger approval_asked_in_channel after insert on approval for each row
      when (new.state = 'pending') execute function tell_channel_approval();
    create trigger approval_changed_in_channel after update of state on approval for each row
      when (new.state is distinct from old.state and new.state <> 'used') execute function tell_channel_approval();

    alter table approval drop constraint approval_decided_with_check,
      add constraint approval_decided_with_check check (decided_with in ('key', 'token', 'link', 'channel'));
  `.execute(db);
}
