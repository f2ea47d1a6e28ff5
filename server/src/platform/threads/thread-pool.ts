import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Log } from "../../ports/log.ts";
import type { ThreadJob, Threads, ThreadTask } from "../../ports/threads.ts";

export type ThreadMessage<Output> = { isReady: true } | { output: Output } | { error: string };

interface ThreadPoolOptions {
  log: Log;
  /** Makes the error for callers of `run`. */
  failure(reason: string): Error;
  threads?: number;
  /** The longest time for a job, waiting included. */
  timeoutMilliseconds?: number;
  /** Further jobs are refused. */
  mostWaiting?: number;
  /** Smaller jobs run in place: handing them over would take longer. */
  smallBytes?: number;
  /** For hostile input: a thread that needs more ends, and the process lives on. */
  mostMegabytes?: number;
}

interface Job {
  owner: string;
  message: { module: string; input: unknown };
  transfer: readonly ArrayBuffer[];
  resolve(output: never): void;
  fail(reason: string): void;
}

interface Thread {
  worker: Worker;
  isReady: boolean;
  job: Job | undefined;
}

const TIMEOUT_MILLISECONDS = 20_000;
const MOST_WAITING = 256;
const SMALL_BYTES = 131_072;
/** Runs in place while no thread is ready: reading it takes less time than a thread needs to start. */
const MEDIUM_BYTES = 1_048_576;
/** After the start of the service, which needs the processor itself. */
const START_MILLISECONDS = 1_000;
const MOST_MEGABYTES = 512;

/** Threads for large jobs. Owners take turns, so that the jobs of one do not hold up another's. */
export class ThreadPool implements Threads {
  readonly #options: Required<ThreadPoolOptions>;
  /** The waiting jobs; the owner served last comes last. */
  readonly #lines = new Map<string, Job[]>();
  readonly #threads = new Set<Thread>();
  readonly #modules = new Set<string>();
  #waiting = 0;
  #start: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = {
      threads: availableParallelism() > 2 ? 2 : 1,
      timeoutMilliseconds: TIMEOUT_MILLISECONDS,
      mostWaiting: MOST_WAITING,
      smallBytes: SMALL_BYTES,
      mostMegabytes: MOST_MEGABYTES,
      ...options,
    };
  }

  /** Threads start a little later: most short-lived processes never need them. */
  prepare({ module }: Pick<ThreadTask<never, unknown>, "module">): void {
    this.#modules.add(module);
    this.#start ??= setTimeout(() => this.#open(), START_MILLISECONDS).unref();
  }

  async run<Input, Output>(task: ThreadTask<Input, Output>, job: ThreadJob<Input>): Promise<Output> {
    const { smallBytes, failure, log } = this.#options;
    this.#modules.add(task.module);
    try {
      const isReady = [...this.#threads].some((thread) => thread.isReady);
      if (job.bytes < smallBytes || (job.bytes < MEDIUM_BYTES && !isReady)) return await task.run(job.input);
      return await this.#runInThread<Output>(task.module, job);
    } catch (error) {
      if (job.signal?.aborted !== true) {
        log.error({ task: task.module.split("/").at(-1), bytes: job.bytes, err: error }, "a job for a thread failed");
      }
      throw failure(String(error));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#start);
    const lines = [...this.#lines.values()];
    this.#lines.clear();
    for (const job of lines.flat()) job.fail("the service is stopping");
    await Promise.all([...this.#threads].map((thread) => this.#lose(thread, "the service is stopping")));
  }

  async #runInThread<Output>(module: string, job: ThreadJob<unknown>): Promise<Output> {
    const { owner, input, transfer = [], signal } = job;
    const { timeoutMilliseconds, mostWaiting } = this.#options;
    if (this.#isClosed || this.#waiting >= mostWaiting) throw new Error("no thread is free");
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Output>();
    const fail = (reason: string) => reject(new Error(reason));
    const one: Job = { owner, message: { module, input }, transfer, resolve, fail };
    const timer = setTimeout(() => this.#giveUp(one, "it took too long"), timeoutMilliseconds);
    const leave = () => this.#leaveLine(one, "the caller has gone");
    signal?.addEventListener("abort", leave, { once: true });
    this.#lines.set(owner, [...(this.#lines.get(owner) ?? []), one]);
    this.#waiting += 1;
    this.#open();
    this.#next();
    try {
      return await promise;
    } finally {
      this.#waiting -= 1;
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
    }
  }

  #open(): void {
    while (this.#threads.size < this.#options.threads && !this.#isClosed) {
      const worker = new Worker(new URL("./task-thread.ts", import.meta.url), {
        resourceLimits: { maxOldGenerationSizeMb: this.#options.mostMegabytes },
        workerData: [...this.#modules],
      });
      // An otherwise idle process may end.
      worker.unref();
      const thread: Thread = { worker, isReady: false, job: undefined };
      worker.on("message", (message: ThreadMessage<never>) => this.#receive(thread, message));
      worker.on("error", (error) => void this.#lose(thread, String(error)));
      worker.on("exit", () => void this.#lose(thread, "its thread ended"));
      this.#threads.add(thread);
    }
  }

  #next(): void {
    for (const thread of this.#threads) {
      if (thread.job !== undefined) continue;
      const job = this.#takeJob();
      if (job === undefined) return;
      try {
        thread.worker.postMessage(job.message, job.transfer);
        thread.job = job;
      } catch (error) {
        job.fail(String(error));
      }
    }
  }

  #takeJob(): Job | undefined {
    for (const [owner, [job, ...others]] of this.#lines) {
      this.#lines.delete(owner);
      if (others.length > 0) this.#lines.set(owner, others);
      return job;
    }
    return undefined;
  }

  #receive(thread: Thread, message: ThreadMessage<never>): void {
    if ("isReady" in message) {
      thread.isReady = true;
      return;
    }
    if ("output" in message) thread.job?.resolve(message.output);
    else thread.job?.fail(message.error);
    thread.job = undefined;
    this.#next();
  }

  /** Only the running job fails; the others go to the thread that replaces this one. */
  async #lose(thread: Thread, reason: string): Promise<void> {
    if (!this.#threads.delete(thread)) return;
    thread.job?.fail(reason);
    thread.job = undefined;
    if (this.#lines.size > 0) this.#open();
    this.#next();
    await thread.worker.terminate();
  }

  /** A running job can only be interrupted by ending its thread. */
  #giveUp(job: Job, reason: string): void {
    this.#leaveLine(job, reason);
    for (const thread of this.#threads) if (thread.job === job) void this.#lose(thread, reason);
  }

  #leaveLine(job: Job, reason: string): void {
    const line = this.#lines.get(job.owner) ?? [];
    if (!line.includes(job)) return;
    const others = line.filter((other) => other !== job);
    if (others.length > 0) this.#lines.set(job.owner, others);
    else this.#lines.delete(job.owner);
    job.fail(reason);
  }
}
