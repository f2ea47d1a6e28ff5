import { type Kysely, sql } from "kysely";

/** A card is shown as ended once its time is over, although nobody has decided. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- When its buttons end by themselves. Null: they do not, or have ended.
    alter table channel_message add column ends_at timestamptz;
    create index channel_message_ends on channel_message (ends_at) where ends_at is not null;

    create function tell_channel_end() returns trigger language plpgsql as $$
    begin
      perform pg_notify('work_changed', 'channel_card ' || work_time(new.ends_at));
      return null;
    end $$;
    create trigger channel_card_stored after insert on channel_message for each row
      when (new.ends_at is not null) execute function tell_channel_end();
    create trigger channel_card_changed after update of ends_at on channel_message for each row
      when (new.ends_at is not null) execute function tell_channel_end();

    -- Cards of earlier releases.
    update channel_message message set ends_at = approval.expires_at
    from approval
    where message.kind = 'approval' and message.about = approval.id and message.tenant_id = approval.tenant_id
      and message.network = approval.network and approval.state = 'pending'
      and exists (select 1 from channel_button where message_id = message.id);
  `.execute(db);
}
