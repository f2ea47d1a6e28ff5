import { sql } from "kysely";
import type { Queryable } from "../../../platform/database/database.ts";
import { pruneRows } from "../../../platform/database/prune.ts";
import type { ConversationOwner } from "../conversations.ts";

const EMPTIED_AT_ONCE = 100;

/** Hides the conversation and stops what runs. False: the owner has no such conversation. */
export async function markDeleted(
  db: Queryable,
  { tenantId, environment, ownerId }: ConversationOwner,
  conversationId: string,
  now: Temporal.Instant,
): Promise<boolean> {
  const { rows } = await sql`
    with own as (
      update conversation set deleted_at = ${now.toString()}::timestamptz
      where id = ${conversationId} and tenant_id = ${tenantId} and network = ${environment} and owner_id = ${ownerId}
        and deleted_at is null
      returning id
    ), stopped as (
      update conversation_turn set is_stopped = true
      where conversation_id in (select id from own) and state in ('queued', 'running') and not is_stopped
    )
    select id from own`.execute(db);
  return rows.length > 0;
}

/** Removes what deleted conversations say. Their turns and calls stay, as what was called and paid refers to them. */
export async function emptyConversations(db: Queryable): Promise<void> {
  await sql`
    with emptied as (
      update conversation set is_emptied = true where id = any (array(
        select id from conversation where deleted_at is not null and not is_emptied and open_turns = 0
        limit ${sql.lit(EMPTIED_AT_ONCE)}
      )) returning id
    ), events as (
      delete from conversation_event where conversation_id in (select id from emptied)
    ), confirmations as (
      delete from conversation_confirmation where conversation_id in (select id from emptied)
    ), calls as (
      update conversation_call set args = '{}', result = null, state = 'ended' where conversation_id in (select id from emptied)
    )
    update conversation_turn set text = null, reply = null, steps = '[]', problem = null, idempotency_key = null,
      request_hash = 'deleted'
    where conversation_id in (select id from emptied)`.execute(db);
}

/** Removes conversations of all tenants that nobody has used since. */
export async function pruneConversations(db: Queryable, before: Temporal.Instant): Promise<number> {
  return await pruneRows(db, "conversation", sql`updated_at < ${before.toString()}::timestamptz and open_turns = 0`);
}
