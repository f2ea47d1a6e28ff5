import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An outside system over its real wire: a loopback HTTP server that answers as it is told and remembers what it was asked. */

interface SeenRequest {
  method: string;
  path: string;
  query: Readonly<Record<string, string>>;
  headers: IncomingMessage["headers"];
  /** Parsed JSON, or undefined. */
  body: unknown;
  /** Differs for every connection. */
  connection: number;
}

export type Answer =
  | { status: number; json?: unknown; text?: string; bytes?: Uint8Array; headers?: Record<string, string> }
  /** Reads the request and breaks the connection. */
  | "reset"
  /** Reads the request and never answers. */
  | "hang"
  /** Announces more bytes than it sends, then breaks the connection. */
  | { truncated: string; status?: number };

export type Script = (request: SeenRequest, turn: number) => Answer | Promise<Answer>;

export interface ScriptedServer {
  url: string;
  requests: SeenRequest[];
  close(): Promise<void>;
}

export async function startScriptedServer(script: Script): Promise<ScriptedServer> {
  const requests: SeenRequest[] = [];
  const connections = new WeakMap<object, number>();
  let connectionCount = 0;

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
    const url = new URL(incoming.url ?? "/", "http://scripted");
    const text = Buffer.concat(chunks).toString("utf8");
    const seen: SeenRequest = {
      method: incoming.method ?? "",
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: incoming.headers,
      body: text === "" ? undefined : JSON.parse(text),
      connection: connections.get(incoming.socket) ?? 0,
    };
    requests.push(seen);
    const answer = await script(seen, requests.length);
    if (answer === "hang") return;
    if (answer === "reset") {
      incoming.socket.resetAndDestroy();
      return;
    }
    if ("truncated" in answer) {
      const announced = Buffer.byteLength(answer.truncated) + 100;
      response.writeHead(answer.status ?? 200, { "content-type": "application/json", "content-length": announced });
      response.write(answer.truncated, () => incoming.socket.destroy());
      return;
    }
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    response.end(answer.bytes ?? answer.text ?? (answer.json === undefined ? "" : JSON.stringify(answer.json)));
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  server.on("connection", (socket) => {
    connectionCount += 1;
    connections.set(socket, connectionCount);
  });
  // Who keeps connections finds them as they were left, however long that was ago.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = isAddress(address) ? address.port : 0;

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function isAddress(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
