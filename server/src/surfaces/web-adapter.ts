import { Failure } from "../domain/errors.ts";
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
  const tooLarge = () => new Failure("too_large", { detail: `The body is over ${maximumBytes} bytes. Send less.` });
  if (Number(request.headers.get("content-length") ?? 0) > maximumBytes) throw tooLarge();
  if (request.body === null) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > maximumBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
