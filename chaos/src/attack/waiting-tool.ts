import { once } from "node:events";
import type { McpExtras } from "../../../server/src/surfaces/mcp/extras.ts";

export const WAITING_TOOL = "attack_wait";

/** A tool that works as long as its caller is there, and says how many such calls run. */
export function createWaitingTool(): { extras: McpExtras; running(): number } {
  let running = 0;
  const definition = { name: WAITING_TOOL, inputSchema: { type: "object" } } as const;
  return {
    running: () => running,
    extras: {
      tools: [
        {
          definition,
          async call(_args, { mcpReq }) {
            running += 1;
            try {
              if (!mcpReq.signal.aborted) await once(mcpReq.signal, "abort");
            } finally {
              running -= 1;
            }
            return { content: [] };
          },
        },
      ],
      resources: [],
      resourceTemplates: [],
      prompts: [],
      complete: async () => ({ completion: { values: [] } }),
    },
  };
}
