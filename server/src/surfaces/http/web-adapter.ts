import type { HttpHandler, HttpRequest } from "./http.ts";

/** What a web-standard request does not say. */
export interface WebClient {
  remoteAddress: string;
  /** Whether the whole request is there. */
  isComplete(): boolean;
  /** Reads the body past the request, so that it is bounded like every other. */
  readBody(maximumBytes: number, tenantId: string | undefined): Promise<string>;
}

/** Carries a handler over web-standard requests, for everything that is not served straight from node:http. */
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
  // What was not read of a refused body must not be taken for the next request.
  if (!client.isComplete()) headers.connection = "close";
  if (stream !== undefined) {
    return new Response(ReadableStream.from(stream).pipeThrough(new TextEncoderStream()), { status, headers });
  }
  // These statuses have no body, and Response does not take even an empty one.
  return new Response(status === 204 || status === 304 ? null : (bytes ?? body), { status, headers });
}
