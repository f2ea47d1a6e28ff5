import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";

const echo = () => ({
  name: "echo",
  description: "Gives back what it was given.",
  inputSchema: { type: "object" as const, properties: { text: { type: "string" } }, required: ["text"] },
});

/** A server of the official library, for both eras, with one tool. */
export async function startSdkServer() {
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "echo-server", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({ tools: [echo()] }));
    server.setRequestHandler("tools/call", ({ params }) => ({
      content: [{ type: "text", text: String(params.arguments?.text) }],
    }));
    return server;
  });
  const server = createAdaptorServer({ fetch: (request) => handler.fetch(request) });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    async [Symbol.asyncDispose]() {
      if ("closeAllConnections" in server) server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
