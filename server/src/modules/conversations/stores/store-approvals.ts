import { sql } from "kysely";
import type { Queryable } from "../../../platform/database/database.ts";
import { dueIfAny } from "../../../platform/leased-queue/watch-queues.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { Channel } from "../conversations.ts";

/** Calls whose approval was decided, or has expired. */
const DECIDED = `
  from conversation_call call
  join approval on approval.id = call.approval_id
  join conversation_turn turn on turn.id = call.turn_id
  join conversation on conversation.id = call.conversation_id and conversation.deleted_at is null
  where call.state = 'asked' and (approval.state <> 'pending' or approval.expires_at <= $1)`;

export const DECIDED_APPROVALS = {
  name: "conversation_approval",
  earliest: dueIfAny(`select 1 ${DECIDED}`),
} as const;

/** A call that can go on. */
export interface DecidedCall {
  readonly callId: string;
  readonly conversationId: string;
  readonly tenantId: string;
  readonly environment: Environment;
  readonly ownerId: string;
  readonly keyId: string;
  readonly isNamed: boolean;
  readonly channel: Channel;
}

export async function listDecidedCalls(
  db: Queryable,
  now: Temporal.Instant,
  limit: number,
): Promise<readonly DecidedCall[]> {
  const { rows } = await sql<DecidedCall>`
    select call.id as call_id, call.conversation_id, call.tenant_id, call.network, conversation.owner_id, turn.key_id,
      turn.is_named, turn.channel
    from conversation_call call
    join approval on approval.id = call.approval_id
    join conversation_turn turn on turn.id = call.turn_id
    join conversation on conversation.id = call.conversation_id and conversation.deleted_at is null
    where call.state = 'asked' and (approval.state <> 'pending' or approval.expires_at <= ${now.toString()}::timestamptz)
    order by call.id limit ${limit}`.execute(db);
  return rows;
}

/** A turn of its own goes on with the call. */
export async function endAskedCall(db: Queryable, { tenantId, environment, callId }: DecidedCall): Promise<void> {
  await db
    .updateTable("conversationCall")
    .set({ state: "ended" })
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("id", "=", callId)
    .where("state", "=", "asked")
    .execute();
}

/** The call with which a turn goes on. */
export async function findCall(
  db: Queryable,
  { tenantId, environment }: Pick<DecidedCall, "tenantId" | "environment">,
  callId: string,
) {
  return await db
    .selectFrom("conversationCall as call")
    .leftJoin("approval", "approval.id", "call.approvalId")
    .select(["call.id", "call.tool", "call.args", "call.firstCall", "approval.state as approvalState"])
    .where("call.tenantId", "=", tenantId)
    .where("call.environment", "=", environment)
    .where("call.id", "=", callId)
    .executeTakeFirst();
}
