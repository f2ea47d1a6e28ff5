import { type Kysely, sql } from "kysely";

/** Mails to guests become messages of the outbox. Their states stay with the trips. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into message (id, tenant_id, network, kind, message_key, record_id, state, attempts, expires_at, quiet_until, created_at,
      updated_at, trace_id)
    select 'msg_' || upper(substr(md5(network || trip_id), 1, 26)), tenant_id, network, 'guest_mail',
      -- As hashReason in the outbox's store makes it.
      rtrim(translate(encode(sha256(convert_to('["guest_mail",null,["' || trip_id || '"]]', 'UTF8')), 'base64'), '+/', '-_'), '='),
      trip_id, 'intended', mail_attempts, created_at + interval '24 hours', mail_due, created_at, updated_at, trace_id
    from trip where mail = 'pending' and state in ('funded', 'closed');

    alter table trip drop column mail_attempts, drop column mail_due;
  `.execute(db);
}
