import { type RawBuilder, sql } from "kysely";
import type { Queryable } from "../../../platform/database/database.ts";
import type { BegunTurn } from "../conversations.ts";
import type { LeasedTurn, Turn } from "../turns.ts";

/** The running turn and those that wait for it. */
const MOST_OPEN_TURNS = 11;

export interface NewTurn extends Omit<Turn, "number" | "afterSequence" | "isStopped"> {
  readonly isNewConversation: boolean;
  readonly idempotencyKey: string | undefined;
  readonly callId: string | undefined;
  readonly requestHash: string;
  /** Undefined: no natural identity. Else the oldest ends of equal turns that count as this one. */
  readonly sameSince: SameSince | undefined;
  readonly workerId: string;
  readonly leasedUntil: Temporal.Instant;
}

interface SameSince {
  /** For a turn that waits for the traveler, or in which they answered a confirmation. */
  readonly asked: Temporal.Instant;
  /** For any other turn: its answer is of its moment. */
  readonly told: Temporal.Instant;
}

/** `turn`: this process is to run it now; undefined: it waits for another one. */
export type Began =
  | { readonly kind: "begun"; readonly begun: BegunTurn; readonly turn: LeasedTurn | undefined; readonly line: string }
  | { readonly kind: "known"; readonly begun: BegunTurn; readonly isSameRequest: boolean }
  | { readonly kind: "missing" }
  | { readonly kind: "full" };

interface BeganRow {
  conversationId: string;
  turnId: string;
  isKnown: boolean;
  requestHash: string;
  callId: string | null;
  afterSequence: number;
  lastSequence: number;
  openTurns: number;
  turnCount: number;
  locale: string;
  steps: number;
  tokens: bigint;
  feesMicro: bigint;
  busyMilliseconds: bigint;
}

const at = (instant: Temporal.Instant) => sql`${instant.toString()}::timestamptz`;

/**
 * One statement: the conversation, the turn and its first event. The lock of the conversation's row orders concurrent
 * messages: the first one claims the conversation, and the others are queued.
 */
export async function beginTurn(db: Queryable, turn: NewTurn, startedLine: string): Promise<Began> {
  const { id, conversationId, tenantId, environment, ownerId, createdAt } = turn;
  const owned = sql`tenant_id = ${tenantId} and network = ${environment} and owner_id = ${ownerId}`;
  const { rows } = await sql<BeganRow>`
    with known as materialized (${selectKnown(turn, owned)}),
    begun as (${turn.isNewConversation ? insertConversation(turn) : claimConversation(turn, owned)}),
    turn as (
      insert into conversation_turn (id, conversation_id, tenant_id, network, owner_id, number, state, key_id, is_named, channel,
        locale, text, continues_call, idempotency_key, call_id, request_hash, trace_id, after_sequence, worker_id, due_at, created_at,
        started_at)
      select ${id}, id, ${tenantId}, ${environment}, ${ownerId}, turn_count,
        case when open_turns = 1 then 'running' else 'queued' end, ${turn.keyId}, ${turn.userId !== undefined}, ${turn.channel}, locale,
        ${turn.text ?? null}, ${turn.continuesCall ?? null}, ${turn.idempotencyKey ?? null}, ${turn.callId ?? null},
        ${turn.requestHash}, ${turn.traceId},
        last_sequence - (open_turns = 1)::integer,
        case when open_turns = 1 then ${turn.workerId} end, case when open_turns = 1 then ${at(turn.leasedUntil)} end,
        ${at(createdAt)}, case when open_turns = 1 then ${at(createdAt)} end
      from begun
    ),
    event as (
      insert into conversation_event (conversation_id, sequence, turn_id, tenant_id, network, type, line)
      select id, last_sequence, ${id}, ${tenantId}, ${environment}, 'turn_started',
        '{"type":"turn_started","sequence":' || last_sequence || ',"locale":' || to_json(locale)::text || ${startedLine}::text
      from begun where open_turns = 1
    )
    select id as conversation_id, ${id} as turn_id, false as is_known, '' as request_hash, null as call_id,
      last_sequence - (open_turns = 1)::integer as after_sequence, last_sequence, open_turns, turn_count, locale, steps, tokens,
      fees_micro, busy_milliseconds
    from begun
    union all
    select conversation_id, id, true, request_hash, call_id, after_sequence, 0, 0, 0, '', 0, 0, 0, 0 from known`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) return { kind: (await isOwn(db, conversationId, owned)) ? "full" : "missing" };
  const begun = { conversationId: row.conversationId, turnId: row.turnId, after: row.afterSequence };
  if (row.isKnown) {
    const isSameRequest = row.requestHash === turn.requestHash;
    return { kind: "known", begun: { ...begun, firstCallId: row.callId ?? undefined }, isSameRequest };
  }
  const line = `{"type":"turn_started","sequence":${row.lastSequence},"locale":${JSON.stringify(row.locale)}${startedLine}`;
  return { kind: "begun", begun, turn: row.openTurns === 1 ? toLeased(turn, row) : undefined, line };
}

function toLeased(turn: NewTurn, row: BeganRow): LeasedTurn {
  return {
    id: turn.id,
    conversationId: row.conversationId,
    tenantId: turn.tenantId,
    environment: turn.environment,
    ownerId: turn.ownerId,
    number: row.turnCount,
    keyId: turn.keyId,
    userId: turn.userId,
    channel: turn.channel,
    locale: row.locale,
    text: turn.text,
    continuesCall: turn.continuesCall,
    traceId: turn.traceId,
    afterSequence: row.afterSequence,
    isStopped: false,
    createdAt: turn.createdAt,
    lastSequence: row.lastSequence,
    spent: {
      steps: row.steps,
      tokens: Number(row.tokens),
      fees: row.feesMicro,
      milliseconds: Number(row.busyMilliseconds),
    },
  };
}

/** The same request before: by its key, or by its text where nothing else was said since. */
function selectKnown(turn: NewTurn, owned: RawBuilder<unknown>): RawBuilder<unknown> {
  const columns = sql`id, conversation_id, request_hash, call_id, after_sequence`;
  if (turn.idempotencyKey !== undefined) {
    return sql`select ${columns} from conversation_turn where ${owned} and idempotency_key = ${turn.idempotencyKey}`;
  }
  if (turn.sameSince === undefined) return sql`select ${columns} from conversation_turn where false`;
  const last = turn.isNewConversation
    ? sql`select id from conversation where ${owned} and deleted_at is null order by id desc limit 1`
    : sql`select ${turn.conversationId}`;
  return sql`
    select ${columns} from (
      select *, row_number() over (order by number desc) as back from conversation_turn
      where ${owned} and conversation_id = (${last}) and text is not null
    ) said
    where back = 1 and request_hash = ${turn.requestHash} and ${turn.locale} in ('', locale)
      and (${!turn.isNewConversation} or number = 1) and (${isSame(turn, turn.sameSince)})`;
}

/** A turn that only told something is another one after any call that writes, as its answer may no longer be true. */
function isSame({ tenantId, environment }: NewTurn, { asked, told }: SameSince): RawBuilder<unknown> {
  return sql`
    ended_at is null
    or ended_at > ${at(asked)} and (is_answer or status <> 'answered')
    or ended_at > ${at(told)} and not exists (
      select 1 from call
      where call.created_at > said.ended_at and call.tenant_id = ${tenantId} and call.network = ${environment}
        and call.tool <> 'ask_travel_agent' and call.state <> 'released')`;
}

const CONVERSATION = sql.raw(
  "id, last_sequence, turn_count, open_turns, locale, steps, tokens, fees_micro, busy_milliseconds",
);

function insertConversation({ conversationId, tenantId, environment, ownerId, locale, createdAt }: NewTurn) {
  return sql`
    insert into conversation (id, tenant_id, network, owner_id, locale, last_sequence, turn_count, open_turns, created_at, updated_at)
    select ${conversationId}, ${tenantId}, ${environment}, ${ownerId}, ${locale}, 1, 1, 1, ${at(createdAt)},
      ${at(createdAt)}
    where not exists (select 1 from known)
    returning ${CONVERSATION}`;
}

function claimConversation({ conversationId, locale, createdAt }: NewTurn, owned: RawBuilder<unknown>) {
  return sql`
    update conversation set turn_count = turn_count + 1, open_turns = open_turns + 1,
      last_sequence = last_sequence + (open_turns = 0)::integer, updated_at = ${at(createdAt)},
      locale = coalesce(nullif(${locale}, ''), locale)
    where id = ${conversationId} and ${owned} and deleted_at is null and open_turns < ${sql.lit(MOST_OPEN_TURNS)}
      and not exists (select 1 from known)
    returning ${CONVERSATION}`;
}

async function isOwn(db: Queryable, conversationId: string, owned: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql`
    select 1 from conversation where id = ${conversationId} and ${owned} and deleted_at is null`.execute(db);
  return rows.length > 0;
}
