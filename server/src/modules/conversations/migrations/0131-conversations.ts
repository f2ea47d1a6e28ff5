import { type Kysely, sql } from "kysely";

/** Conversations with their turns, events, tool calls and confirmations. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table conversation (
      id text primary key,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      -- The traveler: a user of the tenant, or svc:<keyId>.
      owner_id text not null,
      locale text not null,
      last_sequence integer not null default 0,
      turn_count integer not null default 0,
      -- Queued and running.
      open_turns integer not null default 0,
      -- What the budgets count.
      steps integer not null default 0,
      tokens bigint not null default 0,
      fees_micro bigint not null default 0,
      busy_milliseconds bigint not null default 0,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      deleted_at timestamptz,
      -- Its texts are gone.
      is_emptied boolean not null default false
    );
    create index conversation_by_owner on conversation (tenant_id, network, owner_id, id);
    create index conversation_by_age on conversation (updated_at);
    create index conversation_to_empty on conversation (deleted_at) where deleted_at is not null and not is_emptied;

    create table conversation_turn (
      id text primary key,
      conversation_id text not null references conversation (id) on delete cascade,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      owner_id text not null,
      number integer not null,
      state text not null check (state in ('queued', 'running', 'ended')),
      -- Whose scopes and limits its calls have.
      key_id text not null,
      -- The caller named the owner.
      is_named boolean not null,
      channel text not null,
      locale text not null,
      -- Null: the service began the turn, or the text was deleted.
      text text,
      -- The call that a decided approval lets go on.
      continues_call text,
      -- The message was a yes or a no to a confirmation, and no model reads it.
      is_answer boolean not null default false,
      idempotency_key text,
      request_hash text not null,
      trace_id text not null,
      -- Its events come after this number.
      after_sequence integer not null,
      -- Of each step of the model: its text and the question that it asked.
      steps jsonb not null default '[]',
      status text,
      reply text,
      model jsonb,
      price_micro bigint not null default 0,
      problem jsonb,
      is_stopped boolean not null default false,
      worker_id text,
      -- When a running turn's lease ends.
      due_at timestamptz,
      created_at timestamptz not null,
      started_at timestamptz,
      ended_at timestamptz,
      unique (conversation_id, number)
    );
    -- One turn at a time: a turn is claimed before its message is stored.
    create unique index conversation_turn_running on conversation_turn (conversation_id) where state = 'running';
    create unique index conversation_turn_once on conversation_turn (tenant_id, network, owner_id, idempotency_key)
      where idempotency_key is not null;
    create index conversation_turn_due on conversation_turn (due_at) where state = 'running';
    create index conversation_turn_queued on conversation_turn (conversation_id, number) where state = 'queued';

    -- Lines as they were sent, so that a later reader gets the same bytes.
    create table conversation_event (
      conversation_id text not null references conversation (id) on delete cascade,
      sequence integer not null,
      turn_id text not null,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      type text not null,
      line text not null,
      primary key (conversation_id, sequence)
    );

    create table conversation_call (
      id text primary key,
      conversation_id text not null references conversation (id) on delete cascade,
      turn_id text not null,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      step integer not null,
      ordinal integer not null,
      -- The model's own id.
      model_call_id text not null,
      tool text not null,
      args jsonb not null,
      state text not null check (state in ('stored', 'confirming', 'asked', 'ended')),
      -- The first of these calls: its turn, step and ordinal are the idempotency key.
      first_call text,
      outcome text,
      result jsonb,
      meter_id text,
      price_micro bigint,
      approval_id text,
      created_at timestamptz not null,
      ended_at timestamptz,
      unique (turn_id, step, ordinal)
    );
    create index conversation_call_by_conversation on conversation_call (conversation_id, id);
    create index conversation_call_asked on conversation_call (approval_id) where state = 'asked';

    create table conversation_confirmation (
      id text primary key,
      conversation_id text not null references conversation (id) on delete cascade,
      turn_id text not null,
      call_id text not null,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      -- Of what was shown: a changed plan is shown anew, never run.
      plan_hash text not null,
      state text not null check (state in ('open', 'confirmed', 'declined', 'withdrawn', 'replaced')),
      expires_at timestamptz not null,
      created_at timestamptz not null,
      answered_at timestamptz
    );
    create unique index conversation_confirmation_open on conversation_confirmation (conversation_id) where state = 'open';

    -- The next queued turn is running as soon as the one before it has ended, whatever becomes of the process.
    create function run_next_turn() returns trigger language plpgsql as $$
    begin
      update conversation_turn set state = 'running', worker_id = null, due_at = to_timestamp(0)
      where id = (
        select id from conversation_turn where conversation_id = new.conversation_id and state = 'queued'
        order by number limit 1
      );
      if found then
        perform pg_notify('work_changed', 'conversation_turn 0');
      end if;
      return null;
    end $$;
    create trigger conversation_turn_ended after update of state on conversation_turn for each row
      when (old.state = 'running' and new.state = 'ended') execute function run_next_turn();

    -- Other processes look at the end of the lease whether the turn got on.
    create function tell_turn_lease() returns trigger language plpgsql as $$
    begin
      perform pg_notify('work_changed', 'conversation_turn ' || work_time(new.due_at));
      return null;
    end $$;
    create trigger conversation_turn_leased after insert on conversation_turn for each row
      when (new.state = 'running') execute function tell_turn_lease();
    create function tell_turn_stop() returns trigger language plpgsql as $$
    begin
      perform pg_notify('work_changed', 'conversation_stop ' || new.id);
      return null;
    end $$;
    create trigger conversation_turn_stopped after update of is_stopped on conversation_turn for each row
      when (new.is_stopped and not old.is_stopped) execute function tell_turn_stop();
  `.execute(db);
}
