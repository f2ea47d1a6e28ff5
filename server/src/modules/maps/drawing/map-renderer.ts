import { Worker } from "node:worker_threads";
import type { DrawnMap, MapScene } from "./scene.ts";

interface RendererOptions {
  /** A map that waits or is drawn for longer than this fails with `MapNotDrawn`. */
  timeoutMilliseconds?: number;
  /** The queue refuses further scenes beyond this. */
  mostWaiting?: number;
}

/** The map was not drawn: the queue is full, it took too long, or drawing failed. */
export class MapNotDrawn extends Error {
  readonly reason: "busy" | "timeout" | "failed";

  constructor(reason: MapNotDrawn["reason"], cause?: unknown) {
    super(`No map was drawn: ${reason}.`, { cause });
    this.name = "MapNotDrawn";
    this.reason = reason;
  }
}

interface Task {
  scene: MapScene;
  resolve(drawn: DrawnMap): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

type Answer = { drawn: DrawnMap } | { error: string };

const TIMEOUT_MILLISECONDS = 10_000;
const MOST_WAITING = 32;
/** An idle worker is stopped after this time, which frees the memory of the geography. */
const IDLE_MILLISECONDS = 300_000;
const MOST_MEGABYTES = 256;

/** Draws maps one at a time in a thread of its own, so that other requests do not wait for them. */
export class MapRenderer {
  readonly #timeoutMilliseconds: number;
  readonly #mostWaiting: number;
  readonly #waiting: Task[] = [];
  #current: Task | undefined;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({ timeoutMilliseconds = TIMEOUT_MILLISECONDS, mostWaiting = MOST_WAITING }: RendererOptions = {}) {
    this.#timeoutMilliseconds = timeoutMilliseconds;
    this.#mostWaiting = mostWaiting;
  }

  /** Throws `MapNotDrawn`. */
  render(scene: MapScene): Promise<DrawnMap> {
    if (this.#waiting.length >= this.#mostWaiting) return Promise.reject(new MapNotDrawn("busy"));
    const { promise, resolve, reject } = Promise.withResolvers<DrawnMap>();
    const task: Task = {
      scene,
      resolve,
      reject,
      timer: setTimeout(() => this.#giveUp(task), this.#timeoutMilliseconds),
    };
    this.#waiting.push(task);
    this.#next();
    return promise;
  }

  async close(): Promise<void> {
    for (const task of this.#waiting.splice(0)) end(task, new MapNotDrawn("failed"));
    await this.#stopWorker("failed");
  }

  #next(): void {
    if (this.#current !== undefined) return;
    clearTimeout(this.#idle);
    this.#current = this.#waiting.shift();
    if (this.#current !== undefined) this.#open().postMessage(this.#current.scene);
    else this.#idle = setTimeout(() => void this.#stopWorker("failed"), IDLE_MILLISECONDS).unref();
  }

  #open(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL("./drawing-thread.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
    });
    // An otherwise idle process may end.
    worker.unref();
    worker.on("message", (answer: Answer) => this.#finish(worker, answer));
    worker.on("error", (error) => this.#lost(worker, error));
    worker.on("exit", () => this.#lost(worker, undefined));
    this.#worker = worker;
    return worker;
  }

  #finish(worker: Worker, answer: Answer): void {
    const task = this.#current;
    if (worker !== this.#worker || task === undefined) return;
    this.#current = undefined;
    end(task, "drawn" in answer ? answer.drawn : new MapNotDrawn("failed", answer.error));
    this.#next();
  }

  #giveUp(task: Task): void {
    const place = this.#waiting.indexOf(task);
    if (place !== -1) this.#waiting.splice(place, 1);
    end(task, new MapNotDrawn("timeout"));
    // A drawing under way can only be interrupted by stopping its thread.
    if (task === this.#current) void this.#stopWorker("timeout").then(() => this.#next());
  }

  #lost(worker: Worker, cause: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    const task = this.#current;
    this.#current = undefined;
    if (task !== undefined) end(task, new MapNotDrawn("failed", cause));
    this.#next();
  }

  async #stopWorker(reason: MapNotDrawn["reason"]): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    const task = this.#current;
    this.#worker = undefined;
    this.#current = undefined;
    if (task !== undefined) end(task, new MapNotDrawn(reason));
    await worker?.terminate();
  }
}

function end(task: Task, outcome: DrawnMap | Error): void {
  clearTimeout(task.timer);
  if (outcome instanceof Error) task.reject(outcome);
  else task.resolve(outcome);
}
