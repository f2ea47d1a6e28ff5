import type { DocumentBytes } from "./read-data.ts";

/** The reason why nothing was fetched from an address. */
export type FetchRefusal =
  /** Documents may not be fetched from there. */
  | "not_allowed"
  /** No connection, no answer in time, or a broken one. */
  | "unreachable"
  /** The answer is no document: another status, or too many redirects. */
  | "not_there"
  | "unsupported_document"
  | "document_too_large";

export class DocumentNotFetched extends Error {
  readonly refusal: FetchRefusal;
  /** The answer's status; undefined if there was no answer. */
  readonly status: number | undefined;

  constructor(refusal: FetchRefusal, status?: number) {
    super(refusal);
    this.name = "DocumentNotFetched";
    this.refusal = refusal;
    this.status = status;
  }
}

/** Fetches documents from addresses given by callers. */
export interface DocumentSource {
  /** Throws DocumentNotFetched. */
  get(url: string, signal: AbortSignal): Promise<DocumentBytes>;
}
