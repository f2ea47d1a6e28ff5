/** Plain HTTP values, so that a surface can be carried by node:http, an edge runtime or a test without any of them. */
export interface HttpRequest {
  method: string;
  /** Path without the query. */
  path: string;
  query: URLSearchParams;
  /** Lower-case names. */
  header(name: string): string | undefined;
  remoteAddress: string;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
  /** The body as text; throws Failure `too_large` over the limit. */
  text(maximumBytes: number): Promise<string>;
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export type HttpHandler = (request: HttpRequest) => Promise<HttpAnswer>;
