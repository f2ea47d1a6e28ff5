import { BodyBytes, endedTooEarly, tooLarge } from "./body-bytes.ts";
import type { HttpHandler, HttpRequest } from "./http.ts";

/** Carries a handler over web-standard requests, for everything that is not served straight from node:http. */
export async function serveWeb(handler: HttpHandler, request: Request, remoteAddress: string): Promise<Response> {
  const url = new URL(request.url);
  const plain: HttpRequest = {
    method: request.method,
    path: url.pathname,
    query: url.searchParams,
    hasQuery: url.search !== "",
    header: (name) => request.headers.get(name) ?? undefined,
    headers: () => request.headers,
    remoteAddress,
    signal: request.signal,
    text: (maximumBytes) => readText(request, maximumBytes),
  };
  const { status, headers, body, bytes, stream } = await handler(plain);
  if (stream !== undefined) {
    return new Response(ReadableStream.from(stream).pipeThrough(new TextEncoderStream()), { status, headers });
  }
  // These statuses have no body, and Response does not take even an empty one.
  return new Response(status === 204 || status === 304 ? null : (bytes ?? body), { status, headers });
}

async function readText(request: Request, maximumBytes: number): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > maximumBytes) throw tooLarge(maximumBytes);
  if (request.body === null) return "";
  const body = new BodyBytes(maximumBytes);
  const reader = request.body.getReader();
  while (true) {
    // A caller that goes away in the middle is no fault of ours, and none of the database.
    const { done, value } = await reader.read().catch(() => Promise.reject(endedTooEarly()));
    if (done) return body.text();
    try {
      body.add(value);
    } catch (error) {
      await reader.cancel();
      throw error;
    }
  }
}
