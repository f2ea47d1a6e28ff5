import { Failure } from "../../domain/errors.ts";
import type { SignalSource } from "../contracts/invocation.ts";
import type { AllPorts, Tool } from "../contracts/tool.ts";

export interface CostlyCallSettings {
  /** At once, per process. */
  costlyCalls: number;
  /** At once, per tenant or payer. */
  costlyCallsPerTenant: number;
  /** How many calls of one tenant or payer may wait. */
  costlyCallsWaiting: number;
  /** How long a call waits before it is refused. */
  costlyCallsWaitMilliseconds: number;
}

/** Supplier answers and map drawings take long to process and block the event loop meanwhile. */
const COSTLY_PORTS: ReadonlySet<keyof AllPorts> = new Set([
  "flights",
  "flightServicing",
  "stays",
  "stayBookings",
  "mapTiles",
]);

/**
 * Whether a call of the tool waits for its turn. Calls that spend do not: money limits their number, and they may spend
 * minutes at the supplier, which must not occupy a place.
 */
export function isCostly(tool: Tool): boolean {
  return tool.effect !== "spend" && usesCostlyPorts(tool);
}

/** Whether a preview of the tool waits for its turn: it asks a supplier as the call would, and no money limits the number of previews. */
export function usesCostlyPorts({ uses }: Pick<Tool, "uses">): boolean {
  return uses.some((port) => COSTLY_PORTS.has(port));
}

/** A call that waits for a turn. */
export interface CostlyCall {
  /** The tenant, or the payer of a call without a key. */
  owner: string;
  /** True: waits without a time limit, however many others wait. */
  isPatient: boolean;
  gone: SignalSource;
}

export interface Turn {
  /** Resolves when the call may run. Throws `rate_limited` when too many wait, or this one has waited too long. */
  take(): Promise<void>;
  leave(): void;
}

interface Waiter {
  start(): void;
}

/** The running and waiting calls of one owner. */
class Line {
  running = 0;
  readonly waiting: Waiter[] = [];
}

/** Over all owners, as their number is unlimited. */
const MOST_WAITING = 1_000;
const RETRY_AFTER_SECONDS = 2;

/**
 * Limits how many costly calls run at once, per owner and per process. The others wait, and owners take turns, so that
 * one owner's calls do not hold up another's. A tool that calls other tools, such as one that runs a workflow, is not
 * costly itself; otherwise it could wait for itself.
 */
export class CostlyCalls {
  readonly #settings: CostlyCallSettings;
  /** Names the kind of call in the text of a refusal. */
  readonly #what: string;
  /** The owner served last comes last. */
  readonly #lines = new Map<string, Line>();
  #running = 0;
  #waiting = 0;
  #isStarting = false;

  constructor(settings: CostlyCallSettings, what = "searches and other costly calls") {
    this.#settings = settings;
    this.#what = what;
  }

  createTurn(call: CostlyCall): Turn {
    let line: Line | undefined;
    return {
      take: async () => {
        if (line !== undefined) return;
        line = await this.#take(call);
      },
      leave: () => {
        if (line === undefined) return;
        line.running -= 1;
        this.#running -= 1;
        this.#forget(call.owner, line);
        this.#startLater();
      },
    };
  }

  async #take(call: CostlyCall): Promise<Line> {
    const line = this.#openLine(call.owner);
    const isFree = this.#hasRoom(line) && line.waiting.length === 0 && !this.#isStarting;
    if (isFree) this.#begin(call.owner, line);
    else await this.#wait(call, line);
    return line;
  }

  #openLine(owner: string): Line {
    const line = this.#lines.get(owner) ?? new Line();
    this.#lines.set(owner, line);
    return line;
  }

  #forget(owner: string, line: Line): void {
    if (line.running === 0 && line.waiting.length === 0) this.#lines.delete(owner);
  }

  #hasRoom({ running }: Line): boolean {
    const { costlyCalls, costlyCallsPerTenant } = this.#settings;
    return this.#running < costlyCalls && running < costlyCallsPerTenant;
  }

  #begin(owner: string, line: Line): void {
    line.running += 1;
    this.#running += 1;
    this.#lines.delete(owner);
    this.#lines.set(owner, line);
  }

  /** Resolves when the call has its turn. */
  async #wait({ owner, isPatient, gone }: CostlyCall, line: Line): Promise<void> {
    const { costlyCallsWaiting, costlyCallsWaitMilliseconds } = this.#settings;
    const isFull = line.waiting.length >= costlyCallsWaiting || this.#waiting >= MOST_WAITING;
    if (isFull && !isPatient) {
      this.#forget(owner, line);
      throw tooMany(this.#what);
    }
    const turn = Promise.withResolvers<void>();
    const waiter = { start: turn.resolve };
    line.waiting.push(waiter);
    this.#waiting += 1;
    const leave = (failure: Failure) => {
      const at = line.waiting.indexOf(waiter);
      if (at === -1) return;
      line.waiting.splice(at, 1);
      this.#forget(owner, line);
      turn.reject(failure);
    };
    const timer = isPatient ? undefined : setTimeout(() => leave(tooMany(this.#what)), costlyCallsWaitMilliseconds);
    const onGone = () => leave(abandoned());
    const { signal } = gone;
    if (signal.aborted) onGone();
    signal.addEventListener("abort", onGone);
    // The end of a call starts the next one, but none may be running.
    this.#startLater();
    try {
      await turn.promise;
    } finally {
      this.#waiting -= 1;
      clearTimeout(timer);
      signal.removeEventListener("abort", onGone);
    }
  }

  /** Serves requests that arrived meanwhile before the next costly call. */
  #startLater(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    setImmediate(() => {
      this.#isStarting = false;
      this.#startWaiting();
    });
  }

  #startWaiting(): void {
    for (const [owner, line] of this.#lines) {
      if (line.waiting.length === 0 || !this.#hasRoom(line)) continue;
      this.#begin(owner, line);
      line.waiting.shift()?.start();
      // Starts one at a time, so that other requests are served in between.
      this.#startLater();
      return;
    }
  }
}

function tooMany(what: string): Failure {
  return new Failure("rate_limited", {
    detail: `Too many ${what} are running or waiting. Make fewer at once, and send this one again after ${RETRY_AFTER_SECONDS} s.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

function abandoned(): Failure {
  return new Failure("draining", { detail: "The call was abandoned before its turn came. Nothing was done." });
}
