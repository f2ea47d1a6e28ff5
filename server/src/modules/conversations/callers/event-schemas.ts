import { z } from "zod";
import { CHANNELS, TURN_STATUSES } from "../conversations.ts";

/** The events of a turn as callers see them. */

const event = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.object({
    type: z.literal(type),
    sequence: z.int().min(1).describe("Counted per conversation"),
    at: z.iso.datetime(),
    ...shape,
  });

const Problem = z.object({ code: z.string(), detail: z.string() });
const ToolCallId = z.string().describe("tcl_…");
const MeterId = z.string().describe("Id of the usage record");
const MicroUsdc = z.string().describe("Micro-USDC");

export const CALL_OUTCOMES = ["ok", "failed", "declined", "withdrawn", "awaits_approval"] as const;

const EndedCall = z.object({
  toolCallId: ToolCallId,
  tool: z.string(),
  outcome: z.enum(CALL_OUTCOMES),
  meterId: MeterId.exactOptional(),
  priceMicroUsdc: MicroUsdc.exactOptional(),
});

const TurnEnded = event("turn_ended", {
  turnId: z.string(),
  status: z.enum(TURN_STATUSES),
  reply: z.string().describe("The whole reply"),
  toolCalls: z.array(EndedCall),
  traceId: z.string(),
  meterIds: z.array(MeterId),
  priceMicroUsdc: MicroUsdc,
  model: z.object({ name: z.string(), inputTokens: z.int(), outputTokens: z.int() }),
  problem: Problem.exactOptional().describe("Why the turn failed or ended at a limit"),
  signature: z
    .string()
    .describe(
      "t=<unix seconds>,v1=<hex>: the HMAC-SHA256 of <t>.<trace id>. and the lines of this turn before this one, each with its line feed, with the tenant's signing secret",
    ),
});

export const TurnEvent = z.discriminatedUnion("type", [
  event("turn_started", {
    conversationId: z.string(),
    turnId: z.string(),
    traceId: z.string(),
    channel: z.enum(CHANNELS),
    locale: z.string(),
  }),
  event("reply_delta", { text: z.string().describe("The next piece of the reply") }),
  event("tool_call", { toolCallId: ToolCallId, tool: z.string(), args: z.looseObject({}) }),
  event("tool_result", { ...EndedCall.shape, problem: Problem.exactOptional() }),
  event("confirmation_requested", {
    confirmationId: z.string().describe("cnf_…"),
    toolCallId: ToolCallId,
    tool: z.string(),
    what: z.string(),
    forWhom: z.array(z.string()),
    total: z.string().nullable().describe("null: only the supplier knows it"),
    irreversible: z.array(
      z.object({ what: z.string(), undoableUntil: z.string().nullable(), undoCost: z.string().nullable() }),
    ),
    approvers: z.array(z.string()).exactOptional().describe("Who must approve it after the yes"),
    expiresAt: z.iso.datetime(),
  }),
  event("approval_requested", {
    approvalId: z.string(),
    tool: z.string(),
    approvers: z.array(z.string()),
  }),
  event("question", { slot: z.string().describe("Asked for"), choices: z.array(z.string()).exactOptional() }),
  TurnEnded,
]);

/** The whole turn in one answer. */
export const TurnDocument = TurnEnded.omit({ type: true, sequence: true, at: true }).extend({
  ok: z.literal(true),
  conversationId: z.string(),
  turnId: z.string(),
  channel: z.enum(CHANNELS),
  locale: z.string(),
  events: z.array(TurnEvent),
});

export const EventsDocument = z.object({ ok: z.literal(true), events: z.array(TurnEvent) });

/** Schemas of a stream's other formats, by media type; the first is one event a line. */
export const otherFormats = (document: z.ZodType) => ({
  "text/event-stream": z.string().describe("Server-sent events: `data` is a line, `id` its sequence number"),
  "application/json": document,
});
