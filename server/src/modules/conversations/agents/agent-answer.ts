import { z } from "zod";
import { wordsOfOthers } from "../../../domain/schemas.ts";
import { CALL_OUTCOMES, TurnEvent } from "../callers/event-schemas.ts";
import { type StoredEvent, TURN_STATUSES, type TurnSummary } from "../conversations.ts";
import { collectSafeIds } from "./safe-ids.ts";

/** A turn as the tools for calling agents answer it. */
export const AgentAnswer = z.object({
  conversationId: z.string(),
  turnId: z.string(),
  status: z.enum(["running", ...TURN_STATUSES]).describe("running: call read_agent_turn for the outcome"),
  reply: z.string().nullable().describe("For the traveler; null while the turn runs"),
  done: z.array(
    z.object({
      tool: z.string(),
      outcome: z.enum(CALL_OUTCOMES),
      problem: z.object({ code: z.string(), detail: z.string() }).nullable(),
    }),
  ),
  waits: z
    .object({
      for: z.enum(["confirmation", "approval", "question"]),
      what: z.string().describe("What to confirm or approve, or what is missing"),
      total: z.string().nullable(),
      expiresAt: z.string().nullable(),
      approvalId: z.string().nullable(),
      choices: z.array(wordsOfOthers()),
    })
    .nullable()
    .describe("What the next message answers; an approval is decided elsewhere"),
  ids: z.record(z.string(), z.array(z.string())).describe("Safe to store, by name"),
  priceMicroUsdc: z.string().describe("Total of the turn's calls"),
});

type Ended = z.output<typeof TurnEvent>;

/** `events`: those of the turn, as far as they are there. */
export function describeAgentTurn(
  { conversationId, turnId }: Pick<TurnSummary, "conversationId" | "turnId">,
  events: readonly StoredEvent[],
  results: readonly unknown[],
): z.output<typeof AgentAnswer> {
  const said = events.map(({ line }) => TurnEvent.parse(JSON.parse(line)));
  const ended = said.findLast((event) => event.type === "turn_ended");
  return {
    conversationId,
    turnId,
    status: ended?.status ?? "running",
    reply: ended?.reply ?? null,
    done: said.flatMap((event) =>
      event.type === "tool_result"
        ? [{ tool: event.tool, outcome: event.outcome, problem: event.problem ?? null }]
        : [],
    ),
    waits: describeWait(said),
    ids: collectSafeIds(results),
    priceMicroUsdc: ended?.priceMicroUsdc ?? "0",
  };
}

const NOTHING = { total: null, expiresAt: null, approvalId: null, choices: [] };

function describeWait(said: readonly Ended[]): z.output<typeof AgentAnswer>["waits"] {
  for (const event of said.toReversed()) {
    if (event.type === "confirmation_requested") {
      const { what, total, expiresAt } = event;
      return { ...NOTHING, for: "confirmation", what, total, expiresAt };
    }
    if (event.type === "approval_requested") {
      return { ...NOTHING, for: "approval", what: event.tool, approvalId: event.approvalId };
    }
    if (event.type === "question") {
      return { ...NOTHING, for: "question", what: event.slot, choices: event.choices ?? [] };
    }
  }
  return null;
}
