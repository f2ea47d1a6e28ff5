import { Worker } from "node:worker_threads";

interface Waiting<Output> {
  resolve(output: Output): void;
  reject(error: Error): void;
}

/** A task for the thread, and its answer. */
export interface ThreadTask<Input> {
  id: number;
  input: Input;
}
export type ThreadAnswer<Output> = { id: number } & ({ output: Output } | { error: string });

interface QueueOptions {
  script: URL;
  /** Passed to the thread when it starts. */
  workerData?: unknown;
  timeoutMilliseconds: number;
  /** Makes the error for callers of `run`. */
  failure(reason: string): Error;
}

const MOST_WAITING = 64;
/** Together they limit the thread's heap to 200 MB. */
export const threadLimits = { maxOldGenerationSizeMb: 168, maxYoungGenerationSizeMb: 32 } as const;

/** Runs work in a thread of its own, so that other requests do not wait for it. Its queue, time and memory are bounded. */
export class WorkerQueue<Input, Output> {
  readonly #options: QueueOptions;
  readonly #waiting = new Map<number, Waiting<Output>>();
  #worker: Worker | undefined;
  #last = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  async run(input: Input): Promise<Output> {
    const { failure, timeoutMilliseconds } = this.#options;
    if (this.#waiting.size >= MOST_WAITING) throw failure("too many wait for it");
    const { promise, resolve, reject } = Promise.withResolvers<Output>();
    this.#last += 1;
    const id = this.#last;
    this.#waiting.set(id, { resolve, reject });
    const timer = setTimeout(() => this.stop("it took too long"), timeoutMilliseconds);
    try {
      this.#open().postMessage({ id, input } satisfies ThreadTask<Input>);
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Waiters get a failure; the next task starts a new thread. */
  stop(reason: string): void {
    const worker = this.#worker;
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(this.#options.failure(reason));
    this.#waiting.clear();
    void worker?.terminate();
  }

  #open(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const { script, workerData } = this.#options;
    const worker = new Worker(script, { resourceLimits: threadLimits, workerData });
    // An otherwise idle process may end.
    worker.unref();
    worker.on("message", (answer: ThreadAnswer<Output>) => this.#finish(answer));
    worker.on("error", (error) => this.#lost(worker, String(error)));
    worker.on("exit", () => this.#lost(worker, "its thread ended"));
    this.#worker = worker;
    return worker;
  }

  #finish(answer: ThreadAnswer<Output>): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ("output" in answer) waiting?.resolve(answer.output);
    else waiting?.reject(this.#options.failure(answer.error));
  }

  #lost(worker: Worker, reason: string): void {
    if (worker === this.#worker) this.stop(reason);
  }
}
