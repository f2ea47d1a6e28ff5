/** The media type of server-sent events. */
export const EVENT_STREAM = "text/event-stream";

/** Plain HTTP values, so that a surface can be served by node:http, an edge runtime or a test. */
export interface HttpRequest {
  method: string;
  /** The path without the query. */
  path: string;
  query: URLSearchParams;
  /** Cheaper than parsing `query`. */
  hasQuery: boolean;
  /** Lower-case names. */
  header(name: string): string | undefined;
  headers(): Iterable<readonly [name: string, value: string]>;
  remoteAddress: string;
  /** The tenant of the request's key; set once the key is verified. The body counts for this tenant from then on. */
  tenantId: string | undefined;
  /** Aborted when the client is gone. */
  signal: AbortSignal;
  /** The body as text; throws Failure, such as `too_large` over the limit. */
  text(maximumBytes: number): Promise<string>;
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Sent instead of `body`: a file, or a long text that is kept as bytes. */
  bytes?: Uint8Array<ArrayBuffer>;
  /** Sent instead of `body`, piece by piece, as fast as the client reads; ends early if the client is gone. */
  stream?: AsyncIterable<string>;
  /** With `stream`: headers known only at its end, sent after it where HTTP can. Lower-case names. */
  trailers?: { names: readonly string[]; read(): Readonly<Record<string, string>> };
}

export type HttpHandler = (request: HttpRequest) => Promise<HttpAnswer>;
