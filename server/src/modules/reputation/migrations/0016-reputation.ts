import { type Kysely, sql } from "kysely";

/** Ratings of agents and validations of their work, mirroring the registries on the chain. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table feedback (
      id text primary key,
      network text not null check (network in ('sandbox', 'production')),
      -- Up to 256 bits, in decimal digits.
      agent_id text not null,
      tenant_id text not null,
      rater_kind text not null check (rater_kind in ('org', 'user')),
      user_id text not null,
      scope text not null,
      stars smallint not null check (stars between 1 and 5),
      tag text not null,
      trip_id text,
      booking_id text,
      evidence_uri text,
      feedback_hash text not null,
      state text not null default 'pending' check (state in ('pending', 'confirmed')),
      transaction_hash text,
      created_at timestamptz not null,
      confirmed_at timestamptz,
      check ((state = 'confirmed') = (transaction_hash is not null and confirmed_at is not null)),
      check (booking_id is null or trip_id is not null)
    );
    -- One rating in each scope.
    create unique index feedback_by_scope on feedback (network, scope);
    -- Everything that averages are made of, so that they are read from the index alone.
    create index feedback_stars on feedback (network, agent_id, tag) include (stars) where state = 'confirmed';
    create index feedback_recent on feedback (network, agent_id, confirmed_at, id) where state = 'confirmed';
    create index feedback_by_user on feedback (network, tenant_id, user_id, confirmed_at, id)
      where state = 'confirmed' and rater_kind = 'user';

    create table validation (
      id text primary key,
      network text not null check (network in ('sandbox', 'production')),
      request_hash text not null,
      tenant_id text not null,
      agent_id text not null,
      validator text not null,
      tag text not null,
      request_uri text,
      state text not null default 'requesting' check (state in ('requesting', 'requested', 'answering', 'answered')),
      request_transaction_hash text,
      created_at timestamptz not null,
      answer_id text,
      answer_tenant_id text,
      response smallint check (response between 0 and 100),
      response_uri text,
      response_hash text,
      answer_transaction_hash text,
      answered_at timestamptz,
      unique (network, request_hash),
      check ((state = 'requesting') = (request_transaction_hash is null)),
      check ((state in ('answering', 'answered')) =
        (answer_id is not null and answer_tenant_id is not null and response is not null and response_hash is not null)),
      check ((state = 'answered') = (answer_transaction_hash is not null and answered_at is not null))
    );
    create unique index validation_by_answer on validation (answer_id) where answer_id is not null;
  `.execute(db);
}
