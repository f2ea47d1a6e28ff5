import { z } from "zod";
import { AgentAnswer } from "../agents/agent-answer.ts";
import { askAgent } from "../agents/agent-turns.ts";
import { defineTool } from "../context.ts";

const LONGEST_TEXT = 8_000;

export const askTravelAgent = defineTool({
  name: "ask_travel_agent",
  title: "Ask the travel agent",
  summary:
    "Pass on a traveler's words and show the reply. The agent finds and books, and asks before it spends; the next message answers it. After 25 s it returns running: then call read_agent_turn.",
  area: "conversations",
  effect: "write",
  asksModel: true,
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["agentTurns"],
  input: z.strictObject({
    text: z.string().min(1).max(LONGEST_TEXT),
    locale: z.string().max(100).describe("BCP 47").exactOptional(),
    conversationId: z.string().describe("From an earlier turn").exactOptional(),
  }),
  output: AgentAnswer,
  errors: {},
  example: () => ({ text: "What can you do for me?", locale: "en-GB" }),
  gives: ({ conversationId, turnId }) => ({ conversationId, turnId }),
  // The calls of the turn plan their own movements, and ask first.
  plan: () => ({
    movements: [],
    irreversible: [],
    remarks: ["The agent's calls move money according to their own plans, each only after a yes in the conversation."],
  }),
  run: ({ text, locale, conversationId }, { agentTurns, caller, call }) =>
    askAgent(agentTurns, caller, call, { text, locale, conversationId }),
});
