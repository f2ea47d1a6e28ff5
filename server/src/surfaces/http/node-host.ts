import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { BlockList } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import type { Log } from "../../ports/log.ts";
import { renderThrown } from "../render-error.ts";
import type { BodyRoom } from "./bodies/body-room.ts";
import { type BodyLimits, readBody } from "./bodies/read-body.ts";
import { type ConnectionLimits, limitConnections } from "./connections.ts";
import { answerHalfClosed, type LatestAnswer, markEventStream, rememberLatestAnswers } from "./half-closed.ts";
import { EVENT_STREAM, type HttpAnswer, type HttpHandler, type HttpRequest } from "./http.ts";
import { addressGroup, clientAddress } from "./limits/client-address.ts";
import { takeTurns } from "./limits/take-turns.ts";
import { answerMalformedRequests, refuseAmbiguous, renderMalformedRequest } from "./malformed-request.ts";
import { chooseTraceId } from "./trace.ts";
import type { WebClient } from "./web-adapter.ts";

const HEADERS_TIMEOUT_MILLISECONDS = 15_000;
const REQUEST_TIMEOUT_MILLISECONDS = 60_000;
/** How often connections are checked against the two limits above. */
const LOOK_AT_CONNECTIONS_MILLISECONDS = 5_000;
const LAST_BYTES_MILLISECONDS = 500;
const KEEP_ALIVE_MILLISECONDS = 30_000;
const SLOWEST_READER_MILLISECONDS = 60_000;
const SLOWEST_BODY_MILLISECONDS = 30_000;

export interface NodeHost {
  server: Server;
  listen(port: number, host: string): Promise<number>;
  /** Waits until all pending answers are sent, at most `graceMilliseconds`, and closes. */
  close(graceMilliseconds: number): Promise<void>;
}

interface NodeHostOptions {
  /** The handler of what is served without a router: a hot path, whatever the method, or a stream. */
  hot(path: string, method: string): HttpHandler | undefined;
  fallback(request: Request, client: WebClient): Response | Promise<Response>;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: BlockList;
  /** How long a client may leave an answer unread. */
  slowestReaderMilliseconds?: number;
  /** How long a body may take. */
  slowestBodyMilliseconds?: number;
  connections: ConnectionLimits;
  /** Shared by all hosts of the process, for bodies that arrive slowly. */
  bodyRoom: BodyRoom;
  /** True: each connection ends with its next answer, so that its client moves to another process. */
  isLeaving?: () => boolean;
  /** The URL of the pages. A function, as the system may choose the port. */
  appUrl(): string;
  log: Log;
}

/**
 * The unread part of a request that may wait. A body in one-byte chunks waits as that many objects, which cost many times their
 * bytes.
 */
const UNREAD_BYTES = 16 * 1024;

/**
 * Serves `hot` routes straight from node:http (a router and web-standard requests cost about a third of a call's CPU) and
 * everything else through `fallback`.
 */
export function createNodeHost(options: NodeHostOptions): NodeHost {
  const { slowestReaderMilliseconds = SLOWEST_READER_MILLISECONDS } = options;
  const underWay = new AnswersUnderWay();
  const answer = answerer(options, underWay);
  const server = createServer({
    requireHostHeader: false,
    connectionsCheckingInterval: LOOK_AT_CONNECTIONS_MILLISECONDS,
    highWaterMark: UNREAD_BYTES,
  });
  limitConnections(server, options.connections, options.trustedProxies);
  const inTurn = takeTurns(server);
  server.on("request", (incoming, response) => inTurn(response, () => answer(incoming, response)));
  const latestAnswer = rememberLatestAnswers(server);
  answerMalformedRequests(server, latestAnswer, options);
  answerHalfClosed(server, latestAnswer);
  endIdle(server, latestAnswer, slowestReaderMilliseconds);
  server.headersTimeout = HEADERS_TIMEOUT_MILLISECONDS;
  server.requestTimeout = REQUEST_TIMEOUT_MILLISECONDS;
  server.keepAliveTimeout = KEEP_ALIVE_MILLISECONDS;
  return {
    server,
    listen: (port, host) => listen(server, port, host),
    async close(graceMilliseconds) {
      // New requests are still accepted, and told that the service is stopping, until the last pending one is answered.
      await Promise.race([underWay.none(), delay(graceMilliseconds, undefined, { ref: false })]);
      await closeServer(server);
    },
  };
}

/** Answers a request when its turn comes. */
function answerer(options: NodeHostOptions, underWay: AnswersUnderWay) {
  const { appUrl, log, trustedProxies } = options;
  const { bodyRoom: room, slowestBodyMilliseconds = SLOWEST_BODY_MILLISECONDS } = options;
  const limits: BodyLimits = { room, slowestBodyMilliseconds };
  const rest = getRequestListener(
    (request, { incoming }) => options.fallback(request, webClient(incoming, trustedProxies, limits)),
    {
      // A refused body is not read to its end.
      autoCleanupIncoming: false,
      // For HTTP/1.0 requests without a host, such as load balancers' probes.
      hostname: "localhost",
      errorHandler(error) {
        const { status, headers, body } = renderMalformedRequest(error, appUrl(), log);
        return new Response(body, { status, headers });
      },
    },
  );
  const end = () => underWay.end();
  return (incoming: IncomingMessage, response: ServerResponse): void => {
    if (refuseAmbiguous(incoming, response, options)) return;
    underWay.begin();
    if (options.isLeaving?.()) response.setHeader("connection", "close");
    const url = readTarget(incoming);
    const queryStart = url.indexOf("?");
    const path = queryStart === -1 ? url : url.slice(0, queryStart);
    const handler = options.hot(path, incoming.method ?? "GET");
    if (handler === undefined) {
      response.once("close", end);
      void rest(incoming, response);
      return;
    }
    const query = queryStart === -1 ? "" : url.slice(queryStart);
    const request = new IncomingRequest(
      incoming,
      response,
      addressOfClient(incoming, trustedProxies),
      path,
      query,
      limits,
    );
    void serve(handler, request, incoming, response, options).finally(end);
  };
}

class AnswersUnderWay {
  #count = 0;
  #whenNone: (() => void) | undefined;

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#whenNone?.();
  }

  /** Resolves once no answer is pending. */
  none(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenNone = resolve;
      if (this.#count === 0) resolve();
    });
  }
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

/** Answers that were just written still have to leave; idle connections are closed at once. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), LAST_BYTES_MILLISECONDS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/**
 * The path and the query. A target may also be a whole URL, whose host then counts (RFC 9112, 3.2.2). A fragment, if a client
 * sends one, is cut: it only distinguishes the operations of the API description.
 */
function readTarget(incoming: IncomingMessage): string {
  const { url: whole = "/" } = incoming;
  const fragmentStart = whole.indexOf("#");
  const target = fragmentStart === -1 ? whole : whole.slice(0, fragmentStart);
  incoming.url = target;
  if (target.startsWith("/")) return target;
  const url = URL.parse(target);
  if (url === null || !url.protocol.startsWith("http")) return target;
  incoming.headers.host = url.host;
  return url.pathname + url.search;
}

/** Ends idle connections, but never one whose answer is still being made. */
function endIdle(server: Server, latestAnswer: LatestAnswer, milliseconds: number): void {
  server.setTimeout(milliseconds, (socket) => {
    const answer = latestAnswer(socket);
    const isMaking = answer !== undefined && !answer.writableFinished && socket.writableLength === 0;
    if (!isMaking) socket.destroy();
  });
}

/**
 * A class, as accessors of an object literal would give each request its own hidden class, which lives in the old space and
 * keeps everything that the request refers to until a full collection: minor collections took ten times as long.
 */
class IncomingRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly hasQuery: boolean;
  readonly remoteAddress: string;
  tenantId: string | undefined;
  readonly #incoming: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #query: string;
  readonly #limits: BodyLimits;
  #gone: AbortController | undefined;

  constructor(
    incoming: IncomingMessage,
    response: ServerResponse,
    remoteAddress: string,
    path: string,
    query: string,
    limits: BodyLimits,
  ) {
    this.method = incoming.method ?? "GET";
    this.path = path;
    this.hasQuery = query !== "";
    this.remoteAddress = remoteAddress;
    this.#incoming = incoming;
    this.#response = response;
    this.#query = query;
    this.#limits = limits;
    this.tenantId = undefined;
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.#query);
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  headers(): Iterable<readonly [string, string]> {
    return headerEntries(this.#incoming);
  }

  /** Created on demand: a signal costs as much as reading the body. */
  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      const controller = new AbortController();
      const response = this.#response;
      const abort = () => {
        if (!response.writableEnded) controller.abort();
      };
      if (response.closed) abort();
      else response.once("close", abort);
      this.#gone = controller;
    }
    return this.#gone.signal;
  }

  text(maximumBytes: number): Promise<string> {
    const sender = () => ({ address: addressGroup(this.remoteAddress), tenantId: this.tenantId });
    return readBody(this.#incoming, maximumBytes, sender, this.#limits, (leave) => {
      if (this.#response.closed) leave();
      else this.#response.once("close", leave);
    });
  }
}

async function serve(
  handler: HttpHandler,
  request: HttpRequest,
  incoming: IncomingMessage,
  response: ServerResponse,
  { appUrl, log }: Pick<NodeHostOptions, "appUrl" | "log">,
): Promise<void> {
  try {
    const answer = await handler(request);
    const { status, headers, body, bytes, stream } = answer;
    if (stream !== undefined) {
      if (!incoming.complete) headers.connection = "close";
      await sendStream(answer, stream, response);
      return;
    }
    headers["content-length"] = String(bytes?.byteLength ?? Buffer.byteLength(body));
    // The unread rest of a refused body must not be parsed as the next request.
    if (!incoming.complete) headers.connection = "close";
    response.writeHead(status, headers);
    response.end(bytes ?? body);
  } catch (error) {
    if (response.headersSent) {
      log.error({ err: error, path: request.path }, "a surface failed in the middle of an answer");
      response.destroy();
      return;
    }
    const { status, headers, body } = renderThrown(error, { traceId: chooseTraceId(undefined), appUrl: appUrl() }, log);
    response.writeHead(status, headers).end(body);
  }
}

function addressOfClient(
  { socket, headers }: { socket: { remoteAddress?: string | undefined }; headers: IncomingHttpHeaders },
  trustedProxies: BlockList,
): string {
  // Several headers of this name form one list.
  const forwardedFor = headers["x-forwarded-for"];
  return clientAddress(
    socket.remoteAddress,
    typeof forwardedFor === "string" ? forwardedFor : undefined,
    trustedProxies,
  );
}

/** Data about the client that the web-standard request lacks. */
function webClient(
  incoming: Parameters<typeof readBody>[0] & Pick<IncomingMessage, "socket">,
  trustedProxies: BlockList,
  limits: BodyLimits,
): WebClient {
  const remoteAddress = addressOfClient(incoming, trustedProxies);
  return {
    remoteAddress,
    isComplete: () => incoming.complete,
    readBody: (maximumBytes, tenantId) =>
      readBody(incoming, maximumBytes, () => ({ address: addressGroup(remoteAddress), tenantId }), limits),
  };
}

function* headerEntries(incoming: IncomingMessage): Iterable<readonly [string, string]> {
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) yield [name, Array.isArray(value) ? value.join(", ") : value];
  }
}

/** Takes the next piece only when the client has room for it. */
async function sendStream(
  { status, headers, trailers: announced }: HttpAnswer,
  stream: AsyncIterable<string>,
  response: ServerResponse,
): Promise<void> {
  // HTTP/1.0 has no chunks, and so no place for trailers.
  const trailers = response.req.httpVersion === "1.1" ? announced : undefined;
  if (trailers !== undefined) headers.trailer = trailers.names.join(", ");
  response.writeHead(status, headers);
  // The client sees that it was accepted before there is anything to tell.
  response.flushHeaders();
  if (headers["content-type"]?.startsWith(EVENT_STREAM)) markEventStream(response);
  for await (const piece of stream) {
    if (response.closed || response.destroyed) return;
    if (!response.write(piece)) await roomAgain(response);
  }
  if (trailers !== undefined) response.addTrailers(trailers.read());
  response.end();
}

function roomAgain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.once("drain", done).once("close", done);
  });
}
