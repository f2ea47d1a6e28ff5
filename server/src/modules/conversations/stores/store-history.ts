import { sql } from "kysely";
import { z } from "zod";
import type { Queryable } from "../../../platform/database/database.ts";
import type { ModelToolResult } from "../../../ports/language-model.ts";
import type { LeasedTurn, StoredStep } from "../turns.ts";

/** The turns that a model reads. Of older ones only what they did is told. */
const TURNS_READ = 40;
/** Their results are read whole. */
const TURNS_WITH_RESULTS = 12;

export interface StoredCall {
  readonly id: string;
  readonly turnId: string;
  readonly step: number;
  readonly ordinal: number;
  readonly modelCallId: string;
  readonly tool: string;
  readonly args: unknown;
  readonly state: "stored" | "confirming" | "asked" | "ended";
  readonly firstCall: string | undefined;
  readonly outcome: ModelToolResult["outcome"] | undefined;
  readonly result: unknown;
  readonly meterId: string | undefined;
  readonly price: bigint | undefined;
  /** The user said yes to it. */
  readonly isConfirmed: boolean;
}

export interface StoredTurn {
  readonly id: string;
  readonly number: number;
  readonly text: string | undefined;
  readonly isAnswer: boolean;
  readonly createdAt: Temporal.Instant;
  readonly steps: readonly StoredStep[];
  readonly calls: readonly StoredCall[];
}

export interface OpenConfirmation {
  readonly id: string;
  readonly callId: string;
  readonly planHash: string;
  readonly expiresAt: Temporal.Instant;
}

export interface StoredHistory {
  /** Oldest first; the last one is the turn itself. */
  readonly turns: readonly StoredTurn[];
  readonly confirmation: OpenConfirmation | undefined;
}

const Steps = z.array(z.object({ text: z.string(), question: z.string().exactOptional() }));
const Calls = z
  .array(
    z
      .object({
        id: z.string(),
        turnId: z.string(),
        step: z.int(),
        ordinal: z.int(),
        modelCallId: z.string(),
        tool: z.string(),
        args: z.unknown(),
        state: z.enum(["stored", "confirming", "asked", "ended"]),
        firstCall: z.string().nullable(),
        outcome: z.enum(["ok", "failed", "declined", "withdrawn", "awaits_approval"]).nullable(),
        result: z.unknown(),
        meterId: z.string().nullable(),
        price: z.string().nullable(),
        isConfirmed: z.boolean(),
      })
      .transform(({ firstCall, outcome, meterId, price, ...call }) => ({
        ...call,
        firstCall: firstCall ?? undefined,
        outcome: outcome ?? undefined,
        meterId: meterId ?? undefined,
        price: price === null ? undefined : BigInt(price),
      })),
  )
  .nullable();
const Confirmation = z
  .object({ id: z.string(), callId: z.string(), planHash: z.string(), expiresAt: z.string() })
  .nullable();

interface HistoryRow {
  id: string;
  number: number;
  text: string | null;
  isAnswer: boolean;
  createdAt: Temporal.Instant;
  steps: unknown;
  calls: unknown;
  confirmation: unknown;
}

/** One statement: the last turns up to this one with their calls, and the confirmation that is open. */
export async function readHistory(db: Queryable, turn: LeasedTurn): Promise<StoredHistory> {
  const { conversationId, tenantId, environment, number } = turn;
  const { rows } = await sql<HistoryRow>`
    select turn.id, turn.number, turn.text, turn.is_answer, turn.created_at, turn.steps,
      (
        select jsonb_agg(jsonb_build_object(
          'id', call.id, 'turnId', call.turn_id, 'step', call.step, 'ordinal', call.ordinal, 'modelCallId', call.model_call_id,
          'tool', call.tool, 'args', call.args, 'state', call.state, 'firstCall', call.first_call, 'outcome', call.outcome,
          'result', case when turn.number > ${number - TURNS_WITH_RESULTS} then call.result end,
          'meterId', call.meter_id, 'price', call.price_micro::text,
          'isConfirmed', exists (
            select 1 from conversation_confirmation confirmed
            where confirmed.conversation_id = call.conversation_id and confirmed.state = 'confirmed'
              and confirmed.call_id in (call.id, call.first_call)
          )
        ) order by call.step, call.ordinal)
        from conversation_call call where call.turn_id = turn.id
      ) as calls,
      (
        select jsonb_build_object('id', open.id, 'callId', open.call_id, 'planHash', open.plan_hash, 'expiresAt', open.expires_at)
        from conversation_confirmation open
        where open.conversation_id = turn.conversation_id and open.state = 'open' and turn.number = ${number}
      ) as confirmation
    from conversation_turn turn
    where turn.conversation_id = ${conversationId} and turn.tenant_id = ${tenantId} and turn.network = ${environment}
      and turn.number <= ${number} and turn.number > ${number - TURNS_READ}
    order by turn.number`.execute(db);
  const found = Confirmation.parse(rows.at(-1)?.confirmation ?? null);
  return {
    turns: rows.map(({ id, number: at, text, isAnswer, createdAt, steps, calls }) => ({
      id,
      number: at,
      text: text ?? undefined,
      isAnswer,
      createdAt,
      steps: Steps.parse(steps),
      calls: Calls.parse(calls) ?? [],
    })),
    confirmation: found === null ? undefined : { ...found, expiresAt: Temporal.Instant.from(found.expiresAt) },
  };
}
