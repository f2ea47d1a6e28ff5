import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import type { Log } from "../ports/log.ts";
import { bodyText, endedTooEarly, tooLarge } from "./body-text.ts";
import type { HttpHandler, HttpRequest } from "./http.ts";
import { answerMalformedRequests, renderMalformedRequest } from "./malformed-request.ts";

const HEADERS_TIMEOUT_MILLISECONDS = 15_000;
const REQUEST_TIMEOUT_MILLISECONDS = 60_000;
const LAST_BYTES_MILLISECONDS = 500;
const KEEP_ALIVE_MILLISECONDS = 30_000;

export interface NodeHost {
  server: Server;
  listen(port: number, host: string): Promise<number>;
  /** Waits until every answer under way has been sent, at most `graceMilliseconds`, and closes. */
  close(graceMilliseconds: number): Promise<void>;
}

/**
 * Serves `hot` routes straight from node:http (a router and web-standard requests cost about a third of a call's CPU) and
 * everything else through `fallback`.
 */
export function createNodeHost(options: {
  /** The handler of this path, whatever the method, when it is a hot one. */
  hot(path: string): HttpHandler | undefined;
  fallback(request: Request, remoteAddress: string): Response | Promise<Response>;
  log: Log;
}): NodeHost {
  const { log } = options;
  const rest = getRequestListener(
    (request, { incoming }) => options.fallback(request, incoming.socket.remoteAddress ?? ""),
    {
      // For HTTP/1.0, whose requests need not name a host; probes of load balancers are such.
      hostname: "localhost",
      errorHandler(error) {
        const { status, headers, body } = renderMalformedRequest(error, log);
        return new Response(body, { status, headers });
      },
    },
  );

  let underWay = 0;
  let whenAnswered: (() => void) | undefined;
  const end = () => {
    underWay -= 1;
    if (underWay === 0) whenAnswered?.();
  };
  const server = createServer((incoming, response) => {
    underWay += 1;
    const url = incoming.url ?? "/";
    const queryStart = url.indexOf("?");
    const path = queryStart === -1 ? url : url.slice(0, queryStart);
    const handler = options.hot(path);
    if (handler === undefined) {
      response.once("close", end);
      void rest(incoming, response);
      return;
    }
    const query = queryStart === -1 ? "" : url.slice(queryStart);
    void serve(handler, incoming, response, path, query, log).finally(end);
  });
  answerMalformedRequests(server, log);
  const answered = () =>
    new Promise<void>((resolve) => {
      whenAnswered = resolve;
      if (underWay === 0) resolve();
    });
  server.headersTimeout = HEADERS_TIMEOUT_MILLISECONDS;
  server.requestTimeout = REQUEST_TIMEOUT_MILLISECONDS;
  server.keepAliveTimeout = KEEP_ALIVE_MILLISECONDS;

  return {
    server,
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, host, () => {
          server.off("error", reject);
          const address = server.address();
          resolve(typeof address === "object" && address !== null ? address.port : port);
        });
      }),
    async close(graceMilliseconds) {
      // New requests are still accepted, and told that the service is stopping, until the last one under way is answered.
      await Promise.race([answered(), delay(graceMilliseconds, undefined, { ref: false })]);
      // What was just handed over still has to leave; nothing that is idle is waited for.
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), LAST_BYTES_MILLISECONDS);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      });
    },
  };
}

async function serve(
  handler: HttpHandler,
  incoming: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: string,
  log: Log,
): Promise<void> {
  // Made only for who asks: a signal costs as much as reading the body.
  let gone: AbortController | undefined;
  const signal = (): AbortSignal => {
    if (gone === undefined) {
      const controller = new AbortController();
      const abort = () => {
        if (!response.writableEnded) controller.abort();
      };
      if (response.closed) abort();
      else response.once("close", abort);
      gone = controller;
    }
    return gone.signal;
  };
  const request: HttpRequest = {
    method: incoming.method ?? "GET",
    path,
    get query() {
      return new URLSearchParams(query);
    },
    header(name) {
      const value = incoming.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    remoteAddress: incoming.socket.remoteAddress ?? "",
    get signal() {
      return signal();
    },
    text: (maximumBytes) => readText(incoming, maximumBytes),
  };
  try {
    const { status, headers, body } = await handler(request);
    const bytes = Buffer.byteLength(body);
    headers["content-length"] = String(bytes);
    // What was not read of a refused body must not be taken for the next request.
    if (!incoming.complete) headers.connection = "close";
    response.writeHead(status, headers);
    response.end(body);
  } catch (error) {
    log.error({ err: error, path }, "a surface failed to answer");
    response.writeHead(500).end();
  }
}

async function readText(incoming: IncomingMessage, maximumBytes: number): Promise<string> {
  return bodyText(await readChunks(incoming, maximumBytes));
}

function readChunks(incoming: IncomingMessage, maximumBytes: number): Promise<Buffer[]> {
  if (Number(incoming.headers["content-length"] ?? 0) > maximumBytes) return Promise.reject(tooLarge(maximumBytes));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maximumBytes) {
        incoming.pause();
        reject(tooLarge(maximumBytes));
        return;
      }
      chunks.push(chunk);
    });
    incoming.on("end", () => resolve(chunks));
    incoming.on("error", () => reject(endedTooEarly()));
  });
}
