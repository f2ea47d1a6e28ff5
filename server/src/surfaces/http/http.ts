/** Plain HTTP values, so that a surface can be carried by node:http, an edge runtime or a test without any of them. */
export interface HttpRequest {
  method: string;
  /** Path without the query. */
  path: string;
  query: URLSearchParams;
  /** Cheaper than looking into `query`. */
  hasQuery: boolean;
  /** Lower-case names. */
  header(name: string): string | undefined;
  headers(): Iterable<readonly [name: string, value: string]>;
  remoteAddress: string;
  /** Whose key was shown; set once it was found good. Its body counts as this tenant's from then on. */
  tenantId: string | undefined;
  /** Aborted when the client has gone. */
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
  /** Sent instead of `body`, piece by piece, as fast as the client reads; it is ended early when the client has gone. */
  stream?: AsyncIterable<string>;
}

export type HttpHandler = (request: HttpRequest) => Promise<HttpAnswer>;
