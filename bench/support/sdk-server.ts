import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { catalog } from "../../server/src/contributions.ts";
import { createCatalog } from "../../server/src/kernel/contracts/catalog.ts";
import { probeTools } from "./probe-tools.ts";

/**
 * The SDK's own handler with a low-level server and the same tools: lists and schemas made once, arguments validated and the tool
 * run, and no key, cap, record or signature.
 */
const { entries, find } = createCatalog([...catalog.entries.map(({ tool }) => tool), ...probeTools]);
const tools = entries.map(({ tool, inputSchema, outputSchema }) => ({
  name: tool.name,
  title: tool.title,
  description: tool.summary,
  inputSchema: { ...inputSchema, type: "object" as const },
  outputSchema: { ...outputSchema, type: "object" as const },
}));

const handler = createMcpHandler(() => {
  const server = new Server({ name: "baseline", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const entry = find(params.name);
    if (entry === undefined) throw new Error("no such tool");
    const input = entry.tool.input.parse(params.arguments ?? {});
    const result = probe(input);
    return { content: [{ type: "text", text: JSON.stringify(result, null, 2) }], structuredContent: result };
  });
  return server;
});

/** The answer of both probe tools. */
function probe(input: Record<string, unknown>): Record<string, unknown> {
  return { text: input.text };
}

const server = createServer(getRequestListener((request) => handler.fetch(request)));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ port })}\n`);
});
