import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Message } from "./bridge-process.ts";

export interface Received {
  headers: IncomingMessage["headers"];
  message: Message;
}

export type Play = (message: Message, response: ServerResponse, request: IncomingMessage) => void;

export const sendJson = (response: ServerResponse, value: unknown, status = 200, type = "application/json"): void => {
  response.writeHead(status, { "content-type": type }).end(typeof value === "string" ? value : JSON.stringify(value));
};

/** A server that plays what it is told and remembers what it was asked. */
export async function startScriptedMcp(play: Play, port = 0) {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const message: Message = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    received.push({ headers: request.headers, message });
    for (const look of [...waiting]) look();
    play(message, response, request);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}/mcp`,
    received,
    /** Resolves once a message of this method has arrived. */
    arrived: (method: string): Promise<Received> =>
      new Promise((resolve) => {
        const look = () => {
          const found = received.find(({ message }) => message.method === method);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
    async [Symbol.asyncDispose]() {
      if (server.listening) await this.close();
    },
  };
}
