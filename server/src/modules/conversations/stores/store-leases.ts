import { sql } from "kysely";
import type { Queryable } from "../../../platform/database/database.ts";
import { takeDueRows } from "../../../platform/leased-queue/take-rows.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { Channel, ConversationOwner } from "../conversations.ts";
import type { LeasedTurn } from "../turns.ts";

/** Running turns whose lease has ended: their process died, or they were queued until now. */
export const RUNNING_TURNS = {
  name: "conversation_turn",
  earliest: "select min(due_at) from conversation_turn where state = 'running'",
} as const;

interface TurnRow {
  id: string;
  conversationId: string;
  tenantId: string;
  environment: Environment;
  ownerId: string;
  number: number;
  keyId: string;
  isNamed: boolean;
  channel: Channel;
  locale: string;
  text: string | null;
  continuesCall: string | null;
  traceId: string;
  afterSequence: number;
  isStopped: boolean;
  createdAt: Temporal.Instant;
}

interface Lease {
  workerId: string;
  at: Temporal.Instant;
  until: Temporal.Instant;
}

export async function takeTurns(
  db: Queryable,
  { workerId, at, until }: Lease,
  { limit, except }: { limit: number; except: readonly string[] },
): Promise<readonly LeasedTurn[]> {
  const turns = await takeDueRows<TurnRow>(db, {
    table: "conversation_turn",
    key: ["id"],
    due: "due_at",
    at,
    until,
    // A process that stood still for a while still runs its turns.
    where: sql`state = 'running' and id <> all(${except}::text[])`,
    set: sql`worker_id = ${workerId}, started_at = coalesce(started_at, ${at.toString()}::timestamptz)`,
    limit,
  });
  if (turns.length === 0) return [];
  const conversations = await db
    .selectFrom("conversation")
    .select(["id", "lastSequence", "steps", "tokens", "feesMicro", "busyMilliseconds"])
    .where(
      "id",
      "in",
      turns.map(({ conversationId }) => conversationId),
    )
    .execute();
  return turns.flatMap((turn) => {
    const conversation = conversations.find(({ id }) => id === turn.conversationId);
    if (conversation === undefined) return [];
    const { lastSequence, steps, tokens, feesMicro, busyMilliseconds } = conversation;
    const spent = { steps, tokens: Number(tokens), fees: feesMicro, milliseconds: Number(busyMilliseconds) };
    const { isNamed, text, continuesCall, ...rest } = turn;
    return [
      {
        ...rest,
        userId: isNamed ? turn.ownerId : undefined,
        text: text ?? undefined,
        continuesCall: continuesCall ?? undefined,
        lastSequence,
        spent,
      },
    ];
  });
}

/** Extends the leases of turns that got on. Returns those that this process still has, and whether each is to stop. */
export async function touchTurns(
  db: Queryable,
  { workerId, until }: Omit<Lease, "at">,
  turnIds: readonly string[],
): Promise<ReadonlyMap<string, { isStopped: boolean }>> {
  const { rows } = await sql<{ id: string; isStopped: boolean }>`
    update conversation_turn set due_at = ${until.toString()}::timestamptz
    where id = any(${turnIds}::text[]) and worker_id = ${workerId} and state = 'running'
    returning id, is_stopped`.execute(db);
  return new Map(rows.map(({ id, isStopped }) => [id, { isStopped }]));
}

/** When the earliest lease of another process ends. */
export async function findNextEnd(db: Queryable, workerId: string): Promise<Temporal.Instant | undefined> {
  const { rows } = await sql<{ due: Temporal.Instant | null }>`
    select min(due_at) as due from conversation_turn where state = 'running' and worker_id is distinct from ${workerId}`.execute(
    db,
  );
  return rows[0]?.due ?? undefined;
}

/** Gives the turns of this process to others, who go on at once. */
export async function leaveTurns(db: Queryable, workerId: string): Promise<void> {
  await sql`
    with left_turns as (
      update conversation_turn set worker_id = null, due_at = to_timestamp(0)
      where worker_id = ${workerId} and state = 'running' returning id
    )
    select pg_notify('work_changed', 'conversation_turn 0') where exists (select 1 from left_turns)`.execute(db);
}

/** Marks queued and running turns: what runs ends soon, and what is queued as soon as it is its turn. Undefined: no such conversation. */
export async function stopTurns(
  db: Queryable,
  { tenantId, environment, ownerId }: ConversationOwner,
  conversationId: string,
): Promise<{ stoppedTurns: number } | undefined> {
  const { rows } = await sql<{ stopped: number }>`
    with own as (
      select id from conversation
      where id = ${conversationId} and tenant_id = ${tenantId} and network = ${environment} and owner_id = ${ownerId}
        and deleted_at is null
    ), stopped as (
      update conversation_turn set is_stopped = true
      where conversation_id in (select id from own) and state in ('queued', 'running') and not is_stopped returning id
    )
    select (select count(*) from stopped)::integer as stopped from own`.execute(db);
  return rows[0] === undefined ? undefined : { stoppedTurns: rows[0].stopped };
}
