import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

export const clientKinds = ["v1", "v2", "v2 stateless"] as const;
type ClientKind = (typeof clientKinds)[number];

const info = { name: "test", version: "1.0.0" };

/** The common part of both official clients that the tests need. */
export interface AnyClient {
  listTools(): Promise<{
    tools: { name: string; description?: string | undefined; outputSchema?: unknown; annotations?: unknown }[];
  }>;
  callTool(call: {
    name: string;
    arguments?: Record<string, unknown>;
    _meta?: Record<string, unknown>;
  }): Promise<Record<string, unknown>>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  readResource(params: { uri: string }): Promise<{ contents: unknown[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

/** Connects one of the official clients. `apiKey` undefined: without a key. */
export async function connectClient(url: string, kind: ClientKind, apiKey: string | undefined): Promise<AnyClient> {
  const requestInit: RequestInit = apiKey === undefined ? {} : { headers: { authorization: `Bearer ${apiKey}` } };
  if (kind === "v1") {
    const client = new ClientV1(info);
    // The library's own type does not fit its own interface under exact optional properties.
    const transport: object = new TransportV1(new URL(url), { requestInit });
    await Reflect.apply(client.connect, client, [transport]);
    return client;
  }
  const mode = kind === "v2 stateless" ? { pin: "2026-07-28" } : "legacy";
  const client = new Client(info, { versionNegotiation: { mode } } as const);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}
