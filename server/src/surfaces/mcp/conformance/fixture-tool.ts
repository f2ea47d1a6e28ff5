import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { McpExtras } from "../extras.ts";

export type FixtureTool = McpExtras["tools"][number];

/** A tool of the suites; most take no arguments. */
export function fixtureTool(
  name: string,
  description: string,
  call: FixtureTool["call"],
  inputSchema: Tool["inputSchema"] = { type: "object", additionalProperties: false },
): FixtureTool {
  return { definition: { name, title: name, description, inputSchema }, call };
}

export const textResult = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });
