import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

type KoaCallback = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

interface Given {
  method: string;
  /** With the query. */
  target: string;
  /** In lower case. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/**
 * Runs an application of another framework on a request that was read and judged like any other: it never sees the connection,
 * and its answer leaves like any other.
 */
export async function runKoa(callback: KoaCallback, { method, target, headers, body }: Given): Promise<Response> {
  const request = new IncomingMessage(new Socket());
  const length = Buffer.byteLength(body);
  Object.assign(request, { method, url: target, headers: { ...headers, "content-length": String(length) } });
  if (length > 0) request.push(body);
  request.push(null);
  const response = new KeptResponse(request);
  await callback(request, response);
  return response.toWeb();
}

/** Keeps what would be sent. */
class KeptResponse extends ServerResponse {
  #body = "";

  override end(chunk?: unknown): this {
    if (typeof chunk === "string") this.#body = chunk;
    else if (chunk instanceof Uint8Array) this.#body = Buffer.from(chunk).toString();
    return this;
  }

  toWeb(): Response {
    const headers = new Headers();
    for (const [name, value] of Object.entries(this.getHeaders())) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one !== undefined && name !== "content-length") headers.append(name, String(one));
      }
    }
    const isEmpty = this.statusCode === 204 || this.statusCode === 304;
    return new Response(isEmpty ? null : this.#body, { status: this.statusCode, headers });
  }
}
