import { bodyText, endedTooEarly, tooLarge } from "./body-text.ts";
import type { HttpHandler, HttpRequest } from "./http.ts";

/** Carries a handler over web-standard requests, for everything that is not served straight from node:http. */
export async function serveWeb(handler: HttpHandler, request: Request, remoteAddress: string): Promise<Response> {
  const url = new URL(request.url);
  const plain: HttpRequest = {
    method: request.method,
    path: url.pathname,
    query: url.searchParams,
    header: (name) => request.headers.get(name) ?? undefined,
    remoteAddress,
    signal: request.signal,
    text: (maximumBytes) => readText(request, maximumBytes),
  };
  const { status, headers, body } = await handler(plain);
  return new Response(body, { status, headers });
}

async function readText(request: Request, maximumBytes: number): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > maximumBytes) throw tooLarge(maximumBytes);
  if (request.body === null) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  while (true) {
    // A caller that goes away in the middle is no fault of ours, and none of the database.
    const { done, value } = await reader.read().catch(() => Promise.reject(endedTooEarly()));
    if (done) return bodyText(chunks);
    size += value.byteLength;
    if (size > maximumBytes) {
      await reader.cancel();
      throw tooLarge(maximumBytes);
    }
    chunks.push(value);
  }
}
