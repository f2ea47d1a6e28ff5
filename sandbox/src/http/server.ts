// Carries requests from sockets to the app and back, and plays the faults that happen between them.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Hono } from "hono";
import { type Clock, toIso } from "../clock.ts";
import type { Scenarios } from "../control/scenarios.ts";
import { newId } from "../ids.ts";
import type { Env, Fault } from "../sandbox.ts";
import { isDatabaseUnavailable } from "../storage/database.ts";
import { type ErrorType, wireError } from "./errors.ts";
import type { HeldRequests } from "./held-requests.ts";
import { withHostileNames } from "./hostile-names.ts";
import type { Allowance, RateLimit } from "./rate-limit.ts";
import type { RecordedRequests } from "./recorded-requests.ts";
import { findRefusal } from "./refusals.ts";

const LARGEST_BODY_BYTES = 1_000_000;
const REFUSED_MS = 5_000;
const UNAVAILABLE = "The service is temporarily unavailable.";

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    // An excessive body is read to its end and dropped, so that the answer still reaches the client.
    if (length <= LARGEST_BODY_BYTES) chunks.push(bytes);
  }
  return length <= LARGEST_BODY_BYTES ? Buffer.concat(chunks) : undefined;
}

function sendError(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  type: ErrorType = "api_error",
): void {
  const requestId = newId("req");
  const body = JSON.stringify({
    meta: { status, request_id: requestId },
    errors: [wireError(type, code, message)],
  });
  response.writeHead(status, { "content-type": "application/json", "x-request-id": requestId }).end(body);
}

function sendTooMany(response: ServerResponse): void {
  const message = "Too many requests hit the API too quickly. Please retry your request after the time specified.";
  sendError(response, 429, "rate_limit_exceeded", message, "rate_limit_error");
}

/** Goes out with whatever is answered, errors included. */
function announce(response: ServerResponse, allowance: Allowance): void {
  for (const [name, value] of Object.entries(allowance.headers)) response.setHeader(name, value);
}

function toRequest(incoming: IncomingMessage, baseUrl: string, body: Buffer): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  const method = incoming.method ?? "GET";
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(new URL(incoming.url ?? "/", baseUrl), {
    method,
    headers,
    ...(hasBody ? { body: new Uint8Array(body) } : {}),
  });
}

async function send(response: ServerResponse, answer: Response, fault: Fault | undefined): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  if (fault?.kind === "reset_after_effect") {
    response.socket?.resetAndDestroy();
    return;
  }
  const sent = disturb(body, fault);
  const headers: Record<string, string> = Object.fromEntries(answer.headers);
  if (answer.status !== 204) headers["content-length"] = String(sent.length);
  response.writeHead(answer.status, headers).end(sent);
}

function disturb(body: Buffer, fault: Fault | undefined): Buffer {
  if (fault?.kind === "truncated_json") return body.subarray(0, Math.floor(body.length / 2));
  if (fault?.kind === "hostile_texts") return Buffer.from(withHostileNames(body.toString("utf8")));
  return body;
}

/** No supplier has this header: the service says for whom it asks, so that a fault can be one tenant's. */
const readTenant = ({ headers }: IncomingMessage): string | undefined => headers["x-sandbox-tenant"]?.toString();

function describe(incoming: IncomingMessage, arrivedMs: number, body: Buffer | undefined) {
  const { method = "GET", url: path = "/", headers } = incoming;
  const text = body === undefined || body.length === 0 ? null : body.toString("utf8");
  const traceparent = headers.traceparent?.toString() ?? null;
  return { at: toIso(arrivedMs), method, path, traceparent, body: text };
}

export type RunningServer = { readonly port: number; close(): Promise<void> };

export async function listen(
  app: Hono<Env>,
  parts: { scenarios: Scenarios; clock: Clock; limits: RateLimit; held: HeldRequests; recorded: RecordedRequests },
  address: { host: string; port: number },
): Promise<RunningServer> {
  let baseUrl = `http://${address.host}`;

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrivedMs = parts.clock.nowMs();
    const path = (incoming.url ?? "/").split("?")[0] ?? "/";
    const controlled = path.startsWith("/_sandbox") || path === "/healthz" || path.startsWith("/photos/");
    const allowance = controlled ? undefined : parts.limits.take();
    if (allowance !== undefined) announce(response, allowance);
    const body = await readBody(incoming);
    if (!controlled) parts.recorded.add(describe(incoming, arrivedMs, body));
    if (allowance?.allowed === false) return sendTooMany(response);
    if (body === undefined) return sendError(response, 413, "request_too_large", "The request body is too large.");
    if (!URL.canParse(incoming.url ?? "/", baseUrl))
      return sendError(response, 400, "malformed_request", "The request's path is malformed.");
    const fault = controlled
      ? undefined
      : await parts.scenarios.take(incoming.method ?? "GET", path, readTenant(incoming));
    if (fault?.kind === "timeout" || fault?.kind === "late_effect") parts.held.add(response);
    // Held open without an answer until the client gives up; nothing was done.
    if (fault?.kind === "timeout") return;
    if (fault?.kind === "rate_limited") {
      announce(response, parts.limits.refuse(fault.delayMs || REFUSED_MS));
      return sendTooMany(response);
    }
    if (fault?.kind === "http_500") return sendError(response, 500, "internal_server_error", "Something went wrong.");
    if (fault?.kind === "http_503") return sendError(response, 503, "service_unavailable", UNAVAILABLE);
    const refusal = findRefusal(fault?.kind);
    if (refusal !== undefined) {
      const requestId = newId("req");
      const headers = { "content-type": refusal.contentType, "x-request-id": requestId };
      return void response.writeHead(refusal.status, headers).end(refusal.body(requestId));
    }
    if (fault?.kind === "late_effect") await parts.clock.waitUntil(arrivedMs + fault.delayMs);
    const remoteAddress = incoming.socket.remoteAddress ?? "";
    const answer = await app.fetch(toRequest(incoming, baseUrl, body), { fault, baseUrl, remoteAddress });
    // The effect is there, the client never hears of it.
    if (fault?.kind === "late_effect") return;
    await send(response, answer, fault);
  }

  const server: Server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return;
      if (isDatabaseUnavailable(error)) return sendError(response, 503, "service_unavailable", UNAVAILABLE);
      sendError(response, 500, "internal_server_error", "Something went wrong.");
    });
  });
  // Answers that are held back on purpose may take as long as the client waits.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(address.port, address.host, resolve);
  });
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : address.port;
  baseUrl = `http://${address.host}:${port}`;
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
