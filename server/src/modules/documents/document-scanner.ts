import type { DocumentKind, Scan } from "./scan.ts";

/** Why a document gives no scan. Each code is one of `scan_document`, whose declaration says what to do next. */
export type DocumentRefusal =
  | "unsupported_document"
  | "document_damaged"
  | "document_encrypted"
  | "document_too_large"
  | "scan_timeout"
  | "scanner_failed";

/** `detail` replaces the declared advice where there is more to say. It never holds a word of the document. */
export class DocumentRefused extends Error {
  readonly code: DocumentRefusal;
  readonly detail: string | undefined;

  constructor(code: DocumentRefusal, detail?: string) {
    super(detail ?? code);
    this.name = "DocumentRefused";
    this.code = code;
    this.detail = detail;
  }
}

export interface ScanRequest {
  bytes: Uint8Array;
  kind: DocumentKind;
  /** As the caller or the server of the document says; undefined: nobody does. What the bytes are is found out from them. */
  mediaType: string | undefined;
  companyName: string | undefined;
  /** In UTC. */
  today: Temporal.PlainDate;
  /** The tenant, or who pays without a key: owners take turns. */
  owner: string;
  /** Aborted: nobody waits for the scan any more. */
  signal: AbortSignal;
  progress(step: string): void;
}

/** Reads documents, and keeps nothing of them. */
export interface DocumentScanner {
  /** Throws `DocumentRefused`, or a `Failure`: `rate_limited` when too many documents wait, `draining` when nobody waits any more. */
  scan(request: ScanRequest): Promise<Scan>;
}
