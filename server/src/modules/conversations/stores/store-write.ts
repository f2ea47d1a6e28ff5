import { sql } from "kysely";
import type { Micro } from "../../../domain/money.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import type { ModelToolResult } from "../../../ports/language-model.ts";
import type { StoredEvent, TurnStatus } from "../conversations.ts";
import type { LeasedTurn, StoredStep } from "../turns.ts";
import { storableJson, storableText } from "./storable.ts";

export interface NewCall {
  readonly id: string;
  readonly step: number;
  readonly ordinal: number;
  readonly modelCallId: string;
  readonly tool: string;
  readonly args: unknown;
  /** The call whose key this one has: it goes on with that one. */
  readonly firstCall: string | undefined;
}

export interface CallChange {
  readonly id: string;
  /** `stored`: it is to run; `confirming`: the user is asked; `asked`: an approver is. */
  readonly state: "stored" | "confirming" | "asked" | "ended";
  readonly outcome?: ModelToolResult["outcome"];
  /** Without values that are shown once. */
  readonly result?: unknown;
  readonly meterId?: string | undefined;
  readonly price?: Micro;
  readonly approvalId?: string | undefined;
}

export interface NewConfirmation {
  readonly id: string;
  readonly callId: string;
  readonly planHash: string;
  readonly expiresAt: Temporal.Instant;
}

export interface AnsweredConfirmation {
  readonly id: string;
  readonly state: "confirmed" | "declined" | "withdrawn" | "replaced";
}

export interface TurnEnd {
  readonly status: TurnStatus;
  readonly reply: string;
  readonly model: { readonly name: string; readonly inputTokens: number; readonly outputTokens: number };
  readonly price: Micro;
  readonly problem: { readonly code: string; readonly detail: string } | undefined;
  readonly milliseconds: number;
}

export interface TurnChanges {
  readonly workerId: string;
  readonly leasedUntil: Temporal.Instant;
  readonly at: Temporal.Instant;
  readonly lastSequence: number;
  readonly events: readonly StoredEvent[];
  readonly steps: readonly StoredStep[];
  readonly newCalls: readonly NewCall[];
  readonly callChanges: readonly CallChange[];
  readonly isAnswer: boolean;
  readonly answered: AnsweredConfirmation | undefined;
  readonly confirmation: NewConfirmation | undefined;
  readonly end: TurnEnd | undefined;
}

const at = (instant: Temporal.Instant) => sql`${instant.toString()}::timestamptz`;

/**
 * Stores what a turn did, by one statement and only while this process has its lease. Undefined: another process has it, and
 * nothing was stored.
 */
export async function writeTurn(
  db: Queryable,
  turn: LeasedTurn,
  changes: TurnChanges,
): Promise<{ isStopped: boolean } | undefined> {
  const { lastSequence, events } = changes;
  const { rows } = await sql<{ isStopped: boolean }>`
    with mine as (${updateTurn(turn, changes)}),
    kept as (${updateConversation(turn, changes)}),
    events as (
      insert into conversation_event (conversation_id, sequence, turn_id, tenant_id, network, type, line)
      select ${turn.conversationId}, event.sequence, ${turn.id}, ${turn.tenantId}, ${turn.environment}, event.type, event.line
      from mine, unnest(${events.map(({ sequence }) => sequence)}::integer[], ${events.map(({ type }) => type)}::text[],
        ${events.map(({ line }) => line)}::text[]) as event (sequence, type, line)
    ),
    stored as (${insertCalls(turn, changes)}),
    changed as (${changeCalls(turn, changes)}),
    answered as (${answerConfirmation(turn, changes)}),
    asked as (${insertConfirmation(turn, changes)})
    select is_stopped, pg_notify('work_changed', ${`conversation ${turn.conversationId} ${lastSequence}`})
    from mine`.execute(db);
  const [mine] = rows;
  return mine === undefined ? undefined : { isStopped: mine.isStopped };
}

function updateTurn({ id }: LeasedTurn, { workerId, leasedUntil, steps, isAnswer, end, at: now }: TurnChanges) {
  const changed =
    end === undefined
      ? sql`due_at = ${at(leasedUntil)}`
      : sql`due_at = null, worker_id = null, state = 'ended', ended_at = ${at(now)}, status = ${end.status},
          reply = ${storableText(end.reply)}, model = ${storableJson(end.model)}::jsonb, price_micro = ${end.price.toString()}::bigint,
          problem = ${end.problem === undefined ? null : storableJson(end.problem)}::jsonb`;
  return sql`
    update conversation_turn set ${changed}, steps = steps || ${storableJson(steps)}::jsonb, is_answer = is_answer or ${isAnswer}
    where id = ${id} and worker_id = ${workerId} and state = 'running'
    returning id, is_stopped`;
}

function updateConversation({ conversationId }: LeasedTurn, { lastSequence, steps, end, at: now }: TurnChanges) {
  const ended =
    end === undefined
      ? sql``
      : sql`, open_turns = open_turns - 1, updated_at = ${at(now)},
          tokens = tokens + ${end.model.inputTokens + end.model.outputTokens}::bigint,
          fees_micro = fees_micro + ${end.price.toString()}::bigint, busy_milliseconds = busy_milliseconds + ${end.milliseconds}::bigint`;
  return sql`
    update conversation set last_sequence = ${lastSequence}, steps = steps + ${steps.length}::integer${ended}
    where id = ${conversationId} and exists (select 1 from mine) returning id`;
}

function insertCalls({ id, conversationId, tenantId, environment }: LeasedTurn, { newCalls, at: now }: TurnChanges) {
  return sql`
    insert into conversation_call (id, conversation_id, turn_id, tenant_id, network, step, ordinal, model_call_id, tool, args, state,
      first_call, created_at)
    select call.id, ${conversationId}, ${id}, ${tenantId}, ${environment}, call.step, call.ordinal, call.model_call_id, call.tool,
      call.args, 'stored', call.first_call, ${at(now)}
    from mine, jsonb_to_recordset(${storableJson(
      newCalls.map((call) => ({
        id: call.id,
        step: call.step,
        ordinal: call.ordinal,
        model_call_id: call.modelCallId,
        tool: call.tool,
        args: call.args ?? {},
        first_call: call.firstCall ?? null,
      })),
    )}::jsonb) as call (id text, step integer, ordinal integer, model_call_id text, tool text, args jsonb, first_call text)`;
}

function answerConfirmation({ conversationId }: LeasedTurn, { answered, at: now }: TurnChanges) {
  if (answered === undefined) return sql`select 1`;
  return sql`
    update conversation_confirmation set state = ${answered.state}, answered_at = ${at(now)}
    where id = ${answered.id} and conversation_id = ${conversationId} and state = 'open' and exists (select 1 from mine)`;
}

function insertConfirmation(
  { id, conversationId, tenantId, environment }: LeasedTurn,
  { confirmation, at: now }: TurnChanges,
) {
  if (confirmation === undefined) return sql`select 1`;
  return sql`
    insert into conversation_confirmation (id, conversation_id, turn_id, call_id, tenant_id, network, plan_hash, state, expires_at,
      created_at)
    select ${confirmation.id}, ${conversationId}, ${id}, ${confirmation.callId}, ${tenantId}, ${environment},
      ${confirmation.planHash}, 'open', ${at(confirmation.expiresAt)}, ${at(now)}
    from mine`;
}

function changeCalls({ conversationId }: LeasedTurn, { callChanges, at: now }: TurnChanges) {
  return sql`
    update conversation_call set state = change.state, outcome = change.outcome, result = change.result,
      meter_id = change.meter_id, price_micro = change.price_micro, approval_id = change.approval_id,
      ended_at = case when change.state = 'ended' then ${at(now)} end
    from mine, jsonb_to_recordset(${storableJson(
      callChanges.map((change) => ({
        id: change.id,
        state: change.state,
        outcome: change.outcome ?? null,
        result: change.result ?? null,
        meter_id: change.meterId ?? null,
        price_micro: change.price?.toString() ?? null,
        approval_id: change.approvalId ?? null,
      })),
    )}::jsonb) as change (id text, state text, outcome text, result jsonb, meter_id text, price_micro bigint, approval_id text)
    where conversation_call.conversation_id = ${conversationId} and conversation_call.id = change.id`;
}
