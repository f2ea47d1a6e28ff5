import { Agent as PlainAgent, request as plainRequest } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { createGunzip } from "node:zlib";
import { traceparent } from "../../domain/trace.ts";
import { HttpFailure } from "./http-failure.ts";

/**
 * The only HTTP client. It uses `node:http` rather than `fetch`, because a caller that spends money must know whether a
 * connection was ever made: `fetch` reports a refused connection and a lost answer as the same `TypeError`.
 */

export interface HttpRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string | URL;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as a form, in place of JSON. */
  form?: Readonly<Record<string, string>>;
  /** Sent as they are, in place of JSON. */
  bytes?: { readonly content: Uint8Array; readonly contentType: string };
  /** The whole request: waiting for a free connection, connecting, sending, reading the whole answer. */
  timeoutMilliseconds: number;
  signal?: AbortSignal | undefined;
  /** Limits the decompressed answer. */
  maxBytes?: number;
  /**
   * Opens a new connection. A kept-alive connection that the server is just closing looks like a lost answer; a request that
   * must not be repeated cannot afford that doubt.
   */
  freshConnection?: boolean;
  /** Resolves the host for this request only; implies a fresh connection. See `ssrf-guard.ts`. */
  lookup?: LookupFunction;
}

export interface HttpResponse {
  status: number;
  header(name: string): string | undefined;
  body: Buffer;
}

export interface HttpClient {
  /** Resolves with any status, including redirects. Throws only `HttpFailure`. */
  send(request: HttpRequest): Promise<HttpResponse>;
  close(): void;
}

export interface HttpClientOptions {
  /** Further requests to the same host wait for a free connection, within their own time-out. */
  maxConnectionsPerHost?: number;
  maxBytes?: number;
  userAgent?: string;
}

const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;
const IDLE_CONNECTION_MILLISECONDS = 4_000;

export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  const maxSockets = options.maxConnectionsPerHost ?? 32;
  const kept = { keepAlive: true, maxSockets, timeout: 0, keepAliveMsecs: IDLE_CONNECTION_MILLISECONDS };
  const fresh = { keepAlive: false, maxSockets };
  const agents = {
    plain: { kept: new PlainAgent(kept), fresh: new PlainAgent(fresh) },
    secure: { kept: new SecureAgent(kept), fresh: new SecureAgent(fresh) },
  };
  const defaults = {
    maxBytes: options.maxBytes ?? DEFAULT_MAX_BYTES,
    userAgent: options.userAgent ?? "wayfare",
  };

  return {
    send: (request) => exchange(request, agents, defaults),
    close() {
      for (const pair of [agents.plain, agents.secure]) {
        pair.kept.destroy();
        pair.fresh.destroy();
      }
    },
  };
}

interface Agents {
  plain: { kept: PlainAgent; fresh: PlainAgent };
  secure: { kept: SecureAgent; fresh: SecureAgent };
}

function exchange(
  request: HttpRequest,
  agents: Agents,
  defaults: { maxBytes: number; userAgent: string },
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const url = new URL(request.url);
    const secure = url.protocol === "https:";
    const { body, contentType } = encodeBody(request);
    const maxBytes = request.maxBytes ?? defaults.maxBytes;
    const trace = traceparent();
    let reached = false;
    let status: number | undefined;

    if (request.signal?.aborted === true) {
      reject(new HttpFailure("aborted", "not_sent", { cause: request.signal.reason }));
      return;
    }

    const pair = secure ? agents.secure : agents.plain;
    const alone = request.freshConnection === true || request.lookup !== undefined;
    const outgoing = (secure ? secureRequest : plainRequest)(url, {
      method: request.method,
      agent: alone ? pair.fresh : pair.kept,
      ...(request.lookup === undefined ? {} : { lookup: request.lookup }),
      headers: {
        accept: "application/json",
        "accept-encoding": "gzip",
        "user-agent": defaults.userAgent,
        ...(body === undefined ? {} : { "content-type": contentType, "content-length": body.byteLength }),
        ...(trace === undefined ? {} : { traceparent: trace }),
        ...request.headers,
      },
    });

    const fail = (problem: HttpFailure["problem"], cause?: unknown): void => {
      settle();
      reject(new HttpFailure(problem, reached ? "unanswered" : "not_sent", { cause, status }));
      outgoing.destroy();
    };
    const timer = setTimeout(() => fail("timeout"), request.timeoutMilliseconds);
    const onAbort = (): void => fail("aborted", request.signal?.reason);
    request.signal?.addEventListener("abort", onAbort, { once: true });
    const settle = (): void => {
      clearTimeout(timer);
      request.signal?.removeEventListener("abort", onAbort);
    };

    outgoing.on("socket", (socket) => {
      // A destroyed socket failed while its host was looked up.
      if (socket.destroyed) return;
      if (outgoing.reusedSocket || !socket.connecting) reached = true;
      else socket.once(secure ? "secureConnect" : "connect", () => (reached = true));
    });
    outgoing.on("error", (error) => fail(reached ? "reset" : "unreachable", error));
    outgoing.on("response", (incoming) => {
      status = incoming.statusCode ?? 0;
      const headers = incoming.headers;
      const packed = headers["content-encoding"] === "gzip";
      const stream = packed ? incoming.pipe(createGunzip()) : incoming;
      const chunks: Buffer[] = [];
      let received = 0;
      stream.on("data", (chunk: Buffer) => {
        received += chunk.byteLength;
        if (received > maxBytes) fail("too_large");
        else chunks.push(chunk);
      });
      stream.on("error", (error) => fail("truncated", error));
      incoming.on("error", (error) => fail("truncated", error));
      incoming.on("close", () => {
        if (!incoming.complete) fail("truncated");
      });
      stream.on("end", () => {
        if (!incoming.complete) return;
        settle();
        resolve({
          status: incoming.statusCode ?? 0,
          header(name) {
            const value = headers[name.toLowerCase()];
            return Array.isArray(value) ? value.join(", ") : value;
          },
          body: Buffer.concat(chunks),
        });
      });
    });
    outgoing.end(body);
  });
}

function encodeBody({ json, form, bytes }: HttpRequest): { body: Uint8Array | undefined; contentType: string } {
  if (bytes !== undefined) return { body: bytes.content, contentType: bytes.contentType };
  if (form !== undefined) {
    const body = Buffer.from(new URLSearchParams(form).toString());
    return { body, contentType: "application/x-www-form-urlencoded" };
  }
  const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
  return { body, contentType: "application/json" };
}
