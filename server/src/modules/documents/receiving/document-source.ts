import type { DocumentBytes } from "./read-data.ts";

/** Why there is nothing at an address. */
export type FetchRefusal =
  /** It leads to where documents may not be fetched from. */
  | "not_allowed"
  /** No connection, no answer in time, or one that broke off. */
  | "unreachable"
  /** An answer that is no document: another status, or too many redirects. */
  | "not_there"
  | "unsupported_document"
  | "document_too_large";

export class DocumentNotFetched extends Error {
  readonly refusal: FetchRefusal;
  /** Of the answer; undefined: there was none. */
  readonly status: number | undefined;

  constructor(refusal: FetchRefusal, status?: number) {
    super(refusal);
    this.name = "DocumentNotFetched";
    this.refusal = refusal;
    this.status = status;
  }
}

/** Fetches documents from addresses that callers give. */
export interface DocumentSource {
  /** Throws DocumentNotFetched. */
  get(url: string, signal: AbortSignal): Promise<DocumentBytes>;
}
