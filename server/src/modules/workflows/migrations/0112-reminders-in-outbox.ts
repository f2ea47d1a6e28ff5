import { type Kysely, sql } from "kysely";

/** Reminders become messages of the outbox. One that was sent just before is recognised by its id and not sent again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into message (id, tenant_id, network, user_id, kind, message_key, record_id, state, expires_at, quiet_until, created_at,
      updated_at, trace_id)
    select 'msg_' || substr(id, 5), tenant_id, network, user_id, 'pause_reminder',
      -- As hashReason in the outbox's store makes it.
      rtrim(translate(encode(sha256(convert_to(
        '["pause_reminder",' || coalesce(to_json(user_id)::text, 'null') || ',[' || to_json(session_id)::text || ']]', 'UTF8')),
        'base64'), '+/', '-_'), '='),
      session_id, 'intended', created_at + interval '24 hours', quiet_until, created_at, updated_at, trace_id
    from pause_reminder where state = 'pending'
    -- Those without an id of their own are one person.
    on conflict do nothing;

    drop table pause_reminder;
  `.execute(db);
}
