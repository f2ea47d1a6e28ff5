import { z } from "zod";
import { connectClient } from "./mcp-clients.ts";
import type { TestService } from "./service.ts";

const Answer = z.object({
  content: z.tuple([z.object({ type: z.literal("text"), text: z.string() })]),
  isError: z.boolean().default(false),
});
const CHARACTERS_PER_TOKEN = 4;

export const tokensIn = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

/** A day from today on, as an agent writes it. */
export const inDays = (days: number): string => Temporal.Now.plainDateISO("UTC").add({ days }).toString();

/** The view of an agent with only the MCP endpoint: the official client, and the text that a model reads. */
export async function openAgent(service: Pick<TestService, "appUrl" | "apiKey">) {
  const client = await connectClient(`${service.appUrl}/api/mcp`, "v2", service.apiKey);
  async function call(name: string, args: Record<string, unknown> = {}) {
    const { content, isError } = Answer.parse(await client.callTool({ name, arguments: args }));
    const { text } = content[0];
    return { text, isError, tokens: tokensIn(text), said: z.record(z.string(), z.unknown()).parse(JSON.parse(text)) };
  }
  return {
    call,
    /** Returns the answer of a call that must succeed. */
    async ask<Shape extends z.ZodType>(shape: Shape, name: string, args: Record<string, unknown> = {}) {
      const { isError, text, said } = await call(name, args);
      if (isError) throw new Error(`${name} answered ${text}`);
      return shape.parse(said);
    },
    listTools: async () => (await client.listTools()).tools,
    close: () => client.close(),
  };
}
