import { type Kysely, sql } from "kysely";

/**
 * Phone numbers of people besides their ids, repetitions of messages whose outcome is unknown, and for the records of channels: the
 * conversation or approval that a message belongs to, and the trace that brought it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table channel_person add column phone text;
    create index channel_person_by_phone on channel_person (channel_id, phone) where phone is not null;

    alter table channel_event
      add column trace_id text,
      add column conversation_id text,
      add column approval_id text;
    create index channel_event_by_tenant on channel_event (tenant_id, network, received_at) where source = 'chat';

    alter table channel_message
      add column conversation_id text,
      -- How often it was sent again although it may have arrived before.
      add column repeats integer not null default 0;
    create index channel_message_by_tenant on channel_message (tenant_id, network, created_at);
  `.execute(db);
}
