import { sql } from "kysely";
import type { Queryable } from "../../../platform/database/database.ts";
import type {
  Channel,
  ConversationOwner,
  ConversationSummary,
  EventType,
  StoredEvent,
  TurnStatus,
  TurnSummary,
} from "../conversations.ts";

const EVENTS_AT_ONCE = 200;
const TURNS_READ = 50;

export interface FoundEvents {
  readonly events: readonly StoredEvent[];
  /** Whether more can come. */
  readonly isOpen: boolean;
}

interface EventRow {
  isOpen: boolean;
  sequence: number | null;
  turnId: string;
  type: EventType;
  line: string;
}

/** Undefined: the owner has no such conversation. */
export async function readEvents(
  db: Queryable,
  { tenantId, environment, ownerId }: ConversationOwner,
  conversationId: string,
  { after, turnId }: { after: number; turnId?: string | undefined },
): Promise<FoundEvents | undefined> {
  const isOpen =
    turnId === undefined
      ? sql`conversation.open_turns > 0`
      : sql`exists (select 1 from conversation_turn turn where turn.id = ${turnId} and turn.conversation_id = conversation.id
          and turn.state <> 'ended')`;
  const { rows } = await sql<EventRow>`
    select ${isOpen} as is_open, event.sequence, event.turn_id, event.type, event.line
    from conversation left join lateral (
      select sequence, turn_id, type, line from conversation_event
      where conversation_id = conversation.id and sequence > ${after} ${turnId === undefined ? sql`` : sql`and turn_id = ${turnId}`}
      order by sequence limit ${sql.lit(EVENTS_AT_ONCE)}
    ) event on true
    where conversation.id = ${conversationId} and conversation.tenant_id = ${tenantId} and conversation.network = ${environment}
      and conversation.owner_id = ${ownerId} and conversation.deleted_at is null
    order by event.sequence`.execute(db);
  const [first] = rows;
  if (first === undefined) return undefined;
  const events = rows.flatMap(({ sequence, turnId: ofTurn, type, line }) =>
    sequence === null ? [] : [{ sequence, turnId: ofTurn, type, line }],
  );
  return { events, isOpen: first.isOpen || events.length === EVENTS_AT_ONCE };
}

interface TurnRow {
  id: string;
  conversationId: string;
  state: TurnSummary["state"];
  channel: Channel;
  text: string | null;
  createdAt: Temporal.Instant;
  endedAt: Temporal.Instant | null;
  status: TurnStatus | null;
  reply: string | null;
  afterSequence: number;
  line: string | null;
}

/** The last turns, or one of them; oldest first. */
export async function readTurns(
  db: Queryable,
  { tenantId, environment, ownerId }: ConversationOwner,
  conversationId: string,
  turnId?: string,
): Promise<readonly TurnSummary[]> {
  const { rows } = await sql<TurnRow>`
    select turn.id, turn.conversation_id, turn.state, turn.channel, turn.text, turn.created_at, turn.ended_at, turn.status,
      turn.reply, turn.after_sequence, event.line
    from conversation_turn turn
    join conversation on conversation.id = turn.conversation_id and conversation.deleted_at is null
    left join conversation_event event
      on event.conversation_id = turn.conversation_id and event.turn_id = turn.id and event.type = 'turn_ended'
    where turn.conversation_id = ${conversationId} and turn.tenant_id = ${tenantId} and turn.network = ${environment}
      and turn.owner_id = ${ownerId} ${turnId === undefined ? sql`` : sql`and turn.id = ${turnId}`}
    order by turn.number desc limit ${sql.lit(TURNS_READ)}`.execute(db);
  return rows.toReversed().map((row) => ({
    turnId: row.id,
    conversationId: row.conversationId,
    state: row.state,
    channel: row.channel,
    text: row.text ?? undefined,
    createdAt: row.createdAt,
    endedAt: row.endedAt ?? undefined,
    status: row.status ?? undefined,
    reply: row.reply ?? undefined,
    after: row.afterSequence,
    ended: row.line ?? undefined,
  }));
}

/** The results of the turn's calls that succeeded. */
export async function readResults(
  db: Queryable,
  { tenantId, environment, ownerId }: ConversationOwner,
  turnId: string,
): Promise<readonly unknown[]> {
  const { rows } = await sql<{ result: unknown }>`
    select call.result from conversation_call call join conversation_turn turn on turn.id = call.turn_id
    where turn.id = ${turnId} and turn.tenant_id = ${tenantId} and turn.network = ${environment}
      and turn.owner_id = ${ownerId} and call.outcome = 'ok'
    order by call.step, call.ordinal`.execute(db);
  return rows.map(({ result }) => result);
}

interface ConversationRow {
  id: string;
  locale: string;
  createdAt: Temporal.Instant;
  updatedAt: Temporal.Instant;
  turnCount: number;
  lastSequence: number;
  openTurns: number;
}

/** Newest first; one of them if its id is given. */
export async function readConversations(
  db: Queryable,
  { tenantId, environment, ownerId }: ConversationOwner,
  { limit, before, id }: { limit: number; before?: string | undefined; id?: string | undefined },
): Promise<readonly ConversationSummary[]> {
  const { rows } = await sql<ConversationRow>`
    select id, locale, created_at, updated_at, turn_count, last_sequence, open_turns from conversation
    where tenant_id = ${tenantId} and network = ${environment} and owner_id = ${ownerId} and deleted_at is null
      ${before === undefined ? sql`` : sql`and id < ${before}`} ${id === undefined ? sql`` : sql`and id = ${id}`}
    order by id desc limit ${limit}`.execute(db);
  return rows.map((row) => ({
    conversationId: row.id,
    locale: row.locale,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    turns: row.turnCount,
    lastSequence: row.lastSequence,
    isRunning: row.openTurns > 0,
  }));
}
