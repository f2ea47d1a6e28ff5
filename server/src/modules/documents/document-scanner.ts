import type { DocumentKind } from "./document-kinds.ts";
import type { Scan } from "./scan.ts";

/** The reason why a document gives no scan. Each code is one of `scan_document`, whose declaration tells what to do next. */
export type DocumentRefusal =
  | "unsupported_document"
  | "document_damaged"
  | "document_encrypted"
  | "document_too_large"
  | "scan_timeout"
  | "scanner_failed";

/** `detail` replaces the declared advice with a more exact one. It never contains text of the document. */
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
  /** As the caller or the document's server says, if either does. The actual type follows from the bytes. */
  mediaType: string | undefined;
  companyName: string | undefined;
  /** In UTC. */
  today: Temporal.PlainDate;
  /** The tenant, or the payer of a call without a key: owners take turns. */
  owner: string;
  /** By `performance.now()`: when the call began, which waits only so long. */
  arrivedAt: number;
  /** Aborted when nobody waits for the scan any more. */
  signal: AbortSignal;
  progress(step: string): void;
}

/** Reads documents without storing anything of them. */
export interface DocumentScanner {
  /** Throws `DocumentRefused`, or a `Failure`: `rate_limited` if too many documents wait, `draining` if nobody waits any more. */
  scan(request: ScanRequest): Promise<Scan>;
}
