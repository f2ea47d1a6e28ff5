import { Failure } from "../../../domain/errors.ts";
import { CostlyCalls } from "../../../kernel/call/costly-calls.ts";
import type { DocumentKind } from "../document-kinds.ts";
import { DocumentRefused } from "../document-scanner.ts";
import type { DocumentType } from "../receiving/document-type.ts";
import type { Scan } from "../scan.ts";
import type { ScanAnswer, ScanOrder } from "./scan-message.ts";
import { ScanningEnded, ScanningProcess } from "./scanning-process.ts";

export interface ScannerSettings {
  /** Documents read at once. */
  processes: number;
  /** The maximum time of one document: from `arrivedAt` on, otherwise from its turn on. */
  timeoutMilliseconds: number;
  /** The memory limit of one document. */
  memoryMegabytes: number;
  /** Documents of one owner read at once. */
  processesPerOwner?: number;
  /** Documents of one owner that may wait. */
  mostWaitingPerOwner?: number;
  /** The total size of waiting documents. */
  mostWaitingMegabytes?: number;
  /** How long a document waits for its turn before it is refused. */
  waitMilliseconds?: number;
}

export interface ScanRequest {
  bytes: Uint8Array;
  type: DocumentType;
  kind: DocumentKind;
  companyName?: string | undefined;
  /** Today in UTC. */
  today: Temporal.PlainDate;
  /** Lines of each page as read by a vision model. */
  transcripts?: readonly (readonly string[])[] | undefined;
  /** Whether to return the pages as images. */
  wantsImages?: boolean | undefined;
  /** The tenant, or the payer of a call without a key: owners take turns. */
  owner: string;
  /** By `performance.now()`: its caller has been waiting since. */
  arrivedAt?: number | undefined;
  /** Ends the scan when nobody waits for it any more. */
  signal: AbortSignal;
  progress?: ((step: string) => void) | undefined;
}

export interface Scanned {
  scan: Scan;
  /** Each page as JPEG, at most 1,600 pixels per side, if requested. */
  images: readonly Uint8Array[];
}

export type ScanOutcome = "read" | "refused" | "timeout" | "failed" | "left";

/** Totals since the scanner was made, except for current counts. */
export interface ScannerStats {
  running: number;
  waiting: number;
  waitingBytes: number;
  scans: Readonly<Record<ScanOutcome, number>>;
  /** The total wait of documents until their turn. */
  waitSeconds: number;
  /** The total reading time. */
  scanSeconds: number;
}

export interface ScannerObserver {
  /** A document was not read because of an internal error: its kind, without the document. */
  failed?(how: string): void;
}

const MEGABYTE = 1_048_576;
const PROCESSES_PER_OWNER = 1;
const MOST_WAITING_PER_OWNER = 8;
const MOST_WAITING_MEGABYTES = 100;
const WAIT_MILLISECONDS = 60_000;
/** How long a spare process is kept. */
const SPARE_MILLISECONDS = 60_000;
const RETRY_AFTER_SECONDS = 5;

/**
 * Reads each document in its own process, which starts before the document arrives and ends with it: a harmful document
 * affects no other, and leaves nothing behind.
 */
export class Scanner {
  readonly #settings: ScannerSettings;
  readonly #observer: ScannerObserver;
  readonly #queue: CostlyCalls;
  readonly #running = new Set<ScanningProcess>();
  readonly #scans: Record<ScanOutcome, number> = { read: 0, refused: 0, timeout: 0, failed: 0, left: 0 };
  #spare: ScanningProcess | undefined;
  #spareTimer: NodeJS.Timeout | undefined;
  #waiting = 0;
  #waitingBytes = 0;
  #waitSeconds = 0;
  #scanSeconds = 0;
  #isClosed = false;

  constructor(settings: ScannerSettings, observer: ScannerObserver = {}) {
    this.#settings = settings;
    this.#observer = observer;
    this.#queue = new CostlyCalls(
      {
        costlyCalls: settings.processes,
        costlyCallsPerTenant: settings.processesPerOwner ?? PROCESSES_PER_OWNER,
        costlyCallsWaiting: settings.mostWaitingPerOwner ?? MOST_WAITING_PER_OWNER,
        costlyCallsWaitMilliseconds: settings.waitMilliseconds ?? WAIT_MILLISECONDS,
      },
      "documents",
    );
  }

  /**
   * Waits for its turn, then reads. Throws `DocumentRefused`, or a `Failure`: `rate_limited` if too many documents wait
   * or this one has waited too long, `draining` when `signal` aborts or the scanner is closed.
   */
  async scan(request: ScanRequest): Promise<Scanned> {
    const turn = this.#queue.createTurn({ owner: request.owner, isPatient: false, gone: request });
    try {
      await this.#wait(request, () => turn.take());
      return await this.#run(request);
    } finally {
      turn.leave();
    }
  }

  stats(): ScannerStats {
    return {
      running: this.#running.size,
      waiting: this.#waiting,
      waitingBytes: this.#waitingBytes,
      scans: { ...this.#scans },
      waitSeconds: this.#waitSeconds,
      scanSeconds: this.#scanSeconds,
    };
  }

  /** Ends running scans and refuses waiting ones. Resolves when no process is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const processes = [...this.#running, ...(this.#spare === undefined ? [] : [this.#spare])];
    this.#forgetSpare();
    for (const running of processes) running.stop("stopped");
    await Promise.all(processes.map(({ ended }) => ended));
  }

  async #wait({ bytes, progress }: ScanRequest, take: () => Promise<void>): Promise<void> {
    const ahead = this.#running.size + this.#waiting;
    const isFull =
      this.#waitingBytes + bytes.length > (this.#settings.mostWaitingMegabytes ?? MOST_WAITING_MEGABYTES) * MEGABYTE;
    if (isFull && ahead > 0) throw tooMany();
    if (ahead >= this.#settings.processes)
      progress?.(`waiting for ${ahead === 1 ? "another document" : `${ahead} other documents`}`);
    const begun = performance.now();
    this.#waiting += 1;
    this.#waitingBytes += bytes.length;
    try {
      await take();
      this.#waitSeconds += (performance.now() - begun) / 1_000;
    } finally {
      this.#waiting -= 1;
      this.#waitingBytes -= bytes.length;
    }
  }

  async #run(request: ScanRequest): Promise<Scanned> {
    if (this.#isClosed || request.signal.aborted) throw this.#left();
    const begun = performance.now();
    const { timeoutMilliseconds } = this.#settings;
    const left = timeoutMilliseconds - (begun - (request.arrivedAt ?? begun));
    if (left <= 0) throw this.#timedOut();
    const running = this.#takeProcess();
    this.#running.add(running);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      running.stop("stopped");
    }, left);
    const onAbort = () => running.stop("stopped");
    request.signal.addEventListener("abort", onAbort);
    try {
      return this.#settle(await running.scan(toOrder(request), request.bytes, (step) => request.progress?.(step)));
    } catch (error) {
      throw isLate ? this.#timedOut() : this.#explain(error, request.signal);
    } finally {
      clearTimeout(timer);
      request.signal.removeEventListener("abort", onAbort);
      // Its memory stays in use until then.
      await running.ended;
      this.#running.delete(running);
      this.#scanSeconds += (performance.now() - begun) / 1_000;
      this.#keepSpare();
    }
  }

  #settle(answer: Exclude<ScanAnswer, { step: string }>): Scanned {
    if ("scan" in answer) {
      this.#scans.read += 1;
      return { scan: answer.scan, images: answer.images.map((image) => Buffer.from(image, "base64")) };
    }
    if ("refused" in answer) throw new DocumentRefused(answer.refused, answer.detail);
    throw new ScanningEnded("crashed", answer.failed);
  }

  #explain(error: unknown, signal: AbortSignal): Error {
    if (error instanceof DocumentRefused) {
      this.#scans.refused += 1;
      return error;
    }
    if (signal.aborted || this.#isClosed) return this.#left();
    if (error instanceof ScanningEnded && error.ending === "too_much_memory") {
      this.#scans.refused += 1;
      return new DocumentRefused(
        "document_too_large",
        `Reading the document needs more than the ${this.#settings.memoryMegabytes} MB allowed. Send a smaller file, or send it page by page.`,
      );
    }
    this.#scans.failed += 1;
    this.#observer.failed?.(error instanceof Error ? error.message : "unknown");
    return new DocumentRefused(
      "scanner_failed",
      "The document could not be read because of an internal error. Send it once more; if that fails too, save it in another format.",
    );
  }

  #timedOut(): DocumentRefused {
    this.#scans.timeout += 1;
    return new DocumentRefused(
      "scan_timeout",
      `Reading the document and waiting for its turn took longer than ${this.#settings.timeoutMilliseconds / 1_000} s, which also happens when the machine is busy. Send it again; if that fails too, send fewer pages, or a smaller image.`,
    );
  }

  #left(): Failure {
    this.#scans.left += 1;
    return new Failure("draining", {
      detail: "The call was abandoned, so the document was dropped. Nothing was done.",
    });
  }

  #takeProcess(): ScanningProcess {
    const spare = this.#spare;
    this.#forgetSpare();
    return spare !== undefined && !spare.isEnded ? spare : new ScanningProcess(this.#settings.memoryMegabytes);
  }

  /** A document that arrives soon finds a process already started. */
  #keepSpare(): void {
    if (this.#isClosed || this.#spare !== undefined || this.#running.size > 0) return;
    const spare = new ScanningProcess(this.#settings.memoryMegabytes);
    this.#spare = spare;
    this.#spareTimer = setTimeout(() => {
      if (this.#spare === spare) this.#forgetSpare();
      spare.stop("stopped");
    }, SPARE_MILLISECONDS).unref();
  }

  #forgetSpare(): void {
    clearTimeout(this.#spareTimer);
    this.#spare = undefined;
  }
}

function toOrder({ type, kind, today, companyName, transcripts, wantsImages = false }: ScanRequest): ScanOrder {
  return {
    type,
    kind,
    wantsImages,
    today: today.toString(),
    ...(companyName === undefined ? {} : { companyName }),
    ...(transcripts === undefined ? {} : { transcripts: transcripts.map((lines) => [...lines]) }),
  };
}

function tooMany(): Failure {
  return new Failure("rate_limited", {
    detail: `Too many documents are waiting to be read. Send this one again after ${RETRY_AFTER_SECONDS} s.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
