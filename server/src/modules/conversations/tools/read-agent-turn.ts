import { z } from "zod";
import { AgentAnswer } from "../agents/agent-answer.ts";
import { LONGEST_WAIT_SECONDS, readAgentTurn } from "../agents/agent-turns.ts";
import { defineTool } from "../context.ts";

export const readAgentTurnTool = defineTool({
  name: "read_agent_turn",
  title: "Read a conversation's turn",
  summary: "Show a turn of ask_travel_agent once it ends, or after waiting.",
  area: "conversations",
  effect: "read",
  asksModel: true,
  price: 500n,
  payableWithoutKey: false,
  uses: ["agentTurns"],
  input: z.strictObject({
    conversationId: z.string(),
    turnId: z.string(),
    wait: z.int().min(0).max(LONGEST_WAIT_SECONDS).default(LONGEST_WAIT_SECONDS).describe("Seconds"),
  }),
  output: AgentAnswer,
  errors: { turn_not_found: "You have no such turn. Use both ids from ask_travel_agent." },
  example: (_today, { conversationId, turnId }) => ({ conversationId, turnId }),
  async run({ wait, ...ids }, { agentTurns, caller, call, fail }) {
    const found = await readAgentTurn(agentTurns, caller, ids, { seconds: wait, call });
    if (found === undefined) throw fail("turn_not_found");
    return found;
  },
});
