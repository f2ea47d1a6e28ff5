import type { HttpHandler, HttpRequest } from "./http.ts";

/** Data about the client that a web-standard request lacks. */
export interface WebClient {
  remoteAddress: string;
  /** Whether the whole request has arrived. */
  isComplete(): boolean;
  /** Reads the body from the connection, with the same limits as everywhere. */
  readBody(maximumBytes: number, tenantId: string | undefined): Promise<string>;
}

/** Runs a handler on web-standard requests, for routes that are not served straight from node:http. */
export async function serveWeb(handler: HttpHandler, request: Request, client: WebClient): Promise<Response> {
  const url = new URL(request.url);
  const plain: HttpRequest = {
    method: request.method,
    path: url.pathname,
    query: url.searchParams,
    hasQuery: url.search !== "",
    header: (name) => request.headers.get(name) ?? undefined,
    headers: () => request.headers,
    remoteAddress: client.remoteAddress,
    tenantId: undefined,
    signal: request.signal,
    text: (maximumBytes) => client.readBody(maximumBytes, plain.tenantId),
  };
  const { status, headers, body, bytes, stream } = await handler(plain);
  // The unread rest of a refused body must not be parsed as the next request.
  if (!client.isComplete()) headers.connection = "close";
  if (stream !== undefined) {
    return new Response(ReadableStream.from(stream).pipeThrough(new TextEncoderStream()), { status, headers });
  }
  // These statuses have no body, and Response accepts not even an empty one.
  return new Response(status === 204 || status === 304 ? null : (bytes ?? body), { status, headers });
}
