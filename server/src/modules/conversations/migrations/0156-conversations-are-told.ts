import { type Kysely, sql } from "kysely";

/** Tells tenants how turns end, and what waits for the traveler's yes. No text of a conversation is told. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_turn() returns trigger language plpgsql as $$
    declare
      about jsonb := jsonb_build_object('conversationId', new.conversation_id, 'turnId', new.id,
        'channel', new.channel, 'status', new.status, 'priceUsdc', decimal_text(new.price_micro));
    begin
      perform tell_tenant(new.tenant_id, new.network, 'conversation.turn_ended', 'conversation:' || new.conversation_id,
        about, new.trace_id);
      return null;
    end $$;
    create trigger conversation_turn_told after update of state on conversation_turn for each row
      when (old.state <> 'ended' and new.state = 'ended') execute function tell_turn();

    create function tell_confirmation() returns trigger language plpgsql as $$
    declare
      turn record;
    begin
      select t.trace_id, c.tool into turn from conversation_turn t
        join conversation_call c on c.id = new.call_id where t.id = new.turn_id;
      perform tell_tenant(new.tenant_id, new.network, 'conversation.confirmation_requested',
        'conversation:' || new.conversation_id,
        jsonb_build_object('conversationId', new.conversation_id, 'turnId', new.turn_id,
          'tool', turn.tool, 'expiresAt', new.expires_at), turn.trace_id);
      return null;
    end $$;
    create trigger conversation_confirmation_told after insert on conversation_confirmation for each row
      execute function tell_confirmation();

    create function tell_conversation_end() returns trigger language plpgsql as $$
    begin
      perform tell_tenant(new.tenant_id, new.network, 'conversation.deleted', 'conversation:' || new.id,
        jsonb_build_object('conversationId', new.id), null);
      return null;
    end $$;
    create trigger conversation_deletion_told after update of deleted_at on conversation for each row
      when (old.deleted_at is null and new.deleted_at is not null) execute function tell_conversation_end();
  `.execute(db);
}
